package wallets

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

type walletView struct {
	UserID   principal.CustomerID `json:"userId"`
	Balance  int64                `json:"balance"`
	Currency string               `json:"currency"`
	guard.OptionalStamp
}

func viewOf(ctx context.Context, w Wallet) walletView {
	return walletView{UserID: w.UserID, Balance: w.Balance, Currency: principal.CurrencyOf(ctx), OptionalStamp: w.OptionalStamp()}
}

// readView is a wallet with the requirements of an entry.
type readView struct {
	walletView
	// ChangeNeeds is nil if no amount needs votes.
	ChangeNeeds *changeNeeds `json:"changeNeeds,omitempty"`
}

// changeNeeds are the votes that an entry above an amount needs.
type changeNeeds struct {
	Above     int64 `json:"above"`
	Approvals int   `json:"approvals"`
}

type entryView struct {
	ID          int64                 `json:"id"`
	UserID      principal.CustomerID  `json:"userId"`
	Amount      int64                 `json:"amount"`
	Currency    string                `json:"currency"`
	Balance     int64                 `json:"balance"`
	Version     int64                 `json:"version"`
	Kind        string                `json:"kind"`
	Reference   string                `json:"reference"`
	OtherUserID *principal.CustomerID `json:"otherUserId"`
	CreatedBy   principal.Person      `json:"createdBy"`
	CreatedTime time.Time             `json:"createdTime"`
}

func entryViewOf(ctx context.Context, e Entry) entryView {
	return entryView{
		ID: e.ID, UserID: e.UserID, Amount: e.Amount, Currency: principal.CurrencyOf(ctx), Balance: e.Balance, Version: e.Version, Kind: e.Kind, Reference: e.Reference,
		OtherUserID: e.OtherUserID, CreatedBy: principal.Person{ID: e.CreatedBy, Name: e.CreatedByName}, CreatedTime: e.CreatedTime,
	}
}

// transferView is a transfer; its id is that of the debiting entry.
type transferView struct {
	ID          int64                `json:"id"`
	FromUserID  principal.CustomerID `json:"fromUserId"`
	ToUserID    principal.CustomerID `json:"toUserId"`
	Amount      int64                `json:"amount"`
	Currency    string               `json:"currency"`
	Reference   string               `json:"reference"`
	Debit       entryView            `json:"debit"`
	Credit      entryView            `json:"credit"`
	CreatedTime time.Time            `json:"createdTime"`
}

func transferViewOf(ctx context.Context, debit, credit Entry) transferView {
	return transferView{
		ID: debit.ID, FromUserID: debit.UserID, ToUserID: credit.UserID, Amount: credit.Amount, Currency: principal.CurrencyOf(ctx), Reference: debit.Reference,
		Debit: entryViewOf(ctx, debit), Credit: entryViewOf(ctx, credit), CreatedTime: debit.CreatedTime,
	}
}
