package wallets

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

type walletView struct {
	UserID principal.CustomerID `json:"userId"`
	// In minor units.
	Balance  int64  `json:"balance" validate:"min=0"`
	Currency string `json:"currency"`
	guard.OptionalStamp
}

func viewOf(ctx context.Context, w Wallet) walletView {
	return walletView{UserID: w.UserID, Balance: w.Balance, Currency: principal.CurrencyOf(ctx), OptionalStamp: w.OptionalStamp()}
}

// readView is a wallet with the requirements of an entry.
type readView struct {
	walletView
	// Absent if no amount needs votes, because the tenant has no `walletApprovalThreshold`.
	ChangeNeeds *changeNeeds `json:"changeNeeds,omitempty"`
}

// changeNeeds are the votes that an entry above an amount needs.
type changeNeeds struct {
	// The amount, in minor units and regardless of sign, above which an entry is proposed.
	Above int64 `json:"above" validate:"min=0"`
	// The number of votes of other users that it needs.
	Approvals int `json:"approvals" validate:"min=1"`
}

type entryView struct {
	ID     int64                `json:"id"`
	UserID principal.CustomerID `json:"userId"`
	// In minor units: positive for a credit, negative for a debit.
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	// After the entry.
	Balance int64 `json:"balance" validate:"min=0"`
	// The version of the wallet after the entry.
	Version int64 `json:"version"`
	// Assigned by the caller; the service also uses `transfer`, `payment` and `refund`.
	Kind      string `json:"kind" validate:"required"`
	Reference string `json:"reference" validate:"required"`
	// The user at the other end of a transfer.
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

type transferView struct {
	// The id of the debiting entry.
	ID          int64                `json:"id"`
	FromUserID  principal.CustomerID `json:"fromUserId"`
	ToUserID    principal.CustomerID `json:"toUserId"`
	Amount      int64                `json:"amount" validate:"min=1"`
	Currency    string               `json:"currency"`
	Reference   string               `json:"reference" validate:"required"`
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

// mismatchView has the members of a rejected reference: the entry that has it.
type mismatchView struct {
	First entryView `json:"first"`
}

// SchemaName returns the name in the contract.
func (mismatchView) SchemaName() string { return "EntryMismatch" }

// The examples of the contract.
var (
	inCNY        = principal.With(context.Background(), principal.Principal{Currency: "CNY"})
	entryTime    = time.Date(2026, time.January, 31, 9, 30, 0, 123_456_000, time.UTC)
	entryExample = entryViewOf(inCNY, Entry{
		ID: 77, UserID: "user-12", Version: 1, Amount: 5000, Balance: 5000, Kind: "topup", Reference: "psp-90211", CreatedBy: 7, CreatedByName: "Li", CreatedTime: entryTime,
	})
	example = readView{walletView: viewOf(inCNY, Wallet{
		Row:    guard.Row{ID: 9, Version: 1, CreatedTime: entryTime, UpdatedTime: entryTime, UpdatedBy: 7, UpdatedByName: "Li"},
		UserID: "user-12", Balance: 5000,
	})}
)
