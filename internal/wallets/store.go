package wallets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// find returns a user's wallet, zeros if it has no row.
func find(db *gorm.DB, user principal.CustomerID) (*Wallet, error) {
	var rows []Wallet
	if err := db.Where("user_id = ?", user).Limit(1).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read wallet: %w", err)
	}
	if len(rows) == 0 {
		return &Wallet{UserID: user}, nil
	}
	return &rows[0], nil
}

// walletWithEntry is a row of findForEntry: a wallet, and the id of its entry with the reference.
type walletWithEntry struct {
	Wallet
	EntryID *int64
}

// findForEntry returns a user's wallet (zeros if it has no row) and its entry with a reference, or
// nil. One statement reads the wallet and the entry's id, and a second one reads the entry, if it
// exists:
//
//	SELECT wallets.*, wallet_entries.id FROM wallets LEFT JOIN wallet_entries ON …
//	 WHERE wallets.tenant_id = ? AND wallets.user_id = ?
func findForEntry(db *gorm.DB, user principal.CustomerID, reference string) (*Wallet, *Entry, error) {
	var rows []walletWithEntry
	err := db.Model(&Wallet{}).
		Select("wallets.*, wallet_entries.id AS entry_id").
		Joins("LEFT JOIN wallet_entries ON wallet_entries.tenant_id = wallets.tenant_id AND wallet_entries.user_id = wallets.user_id AND wallet_entries.reference = ?", reference).
		Where("wallets.user_id = ?", user).
		Find(&rows).Error
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("read a wallet and its entry with a reference: %w", err)
	case len(rows) == 0:
		return &Wallet{UserID: user}, nil, nil
	case rows[0].EntryID == nil:
		return &rows[0].Wallet, nil, nil
	}
	var entry Entry
	if err := db.Where("id = ?", *rows[0].EntryID).Take(&entry).Error; err != nil {
		return nil, nil, fmt.Errorf("read the wallet entry with a reference: %w", err)
	}
	return &rows[0].Wallet, &entry, nil
}

// sumWindow is the period in which the entries of one author on one wallet are summed.
const sumWindow = 24 * time.Hour

// recentSum returns the sum of the absolute amounts that users have entered by hand in a wallet,
// without votes, within sumWindow before now:
//
//	SELECT SUM(ABS(amount)) FROM wallet_entries WHERE tenant_id = ? AND user_id = ? AND created_time > ?
//	 AND approval_id = 0 AND reference NOT LIKE '@%' AND (created_by IN (…) OR creator_id IN (…))
//
// It is a float, because the sum of the largest amounts exceeds an int64.
func recentSum(db *gorm.DB, wallet principal.CustomerID, users []int64, now time.Time) (sum float64, err error) {
	if len(users) == 0 {
		return 0, nil
	}
	err = db.Model(&Entry{}).Select("COALESCE(SUM(ABS(amount) * 1.0), 0)").
		Where("user_id = ? AND created_time > ? AND approval_id = 0 AND reference NOT LIKE '@%'", wallet, now.Add(-sumWindow)).
		Where("created_by IN ? OR creator_id IN ?", users, users).Scan(&sum).Error
	if err != nil {
		return 0, fmt.Errorf("sum the latest entries of an author: %w", err)
	}
	return sum, nil
}

// addToBalance changes the balance of a wallet that the unit has read:
//
//	UPDATE wallets SET balance = balance + ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND version = ? AND balance + ? >= 0
//
// If the wallet has no row, addToBalance inserts it. The caller has checked the bounds of the
// balance, so a rejection by the guard means that another writer has changed the row, and the unit
// is retried.
func addToBalance(ctx context.Context, u *uow.Unit, wallet *Wallet, amount int64) error {
	wallet.Balance += amount
	if wallet.ID == 0 {
		err := guard.Insert(ctx, u, wallet)
		if storage.IsDuplicate(err, "uq_wallets_user") {
			return uow.Overtaken("money")
		}
		if err != nil {
			return fmt.Errorf("insert wallet: %w", err)
		}
		return nil
	}
	err := guard.Adjust[Wallet](ctx, guard.Deferred(u), wallet.ID, guard.Set{"balance": guard.Add("balance", amount)},
		"version = ? AND balance + ? >= 0", wallet.Version, amount)
	if errors.Is(err, guard.ErrRefused) {
		return uow.Overtaken("money")
	}
	if err != nil {
		return fmt.Errorf("update the balance of a wallet: %w", err)
	}
	return guard.Advance(ctx, u, wallet)
}

// insertEntry inserts the entry of a wallet's current version.
func insertEntry(ctx context.Context, u *uow.Unit, wallet *Wallet, entry *Entry) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	p, _ := principal.From(ctx)
	entry.Version, entry.Balance = wallet.Version, wallet.Balance
	entry.CreatedBy, entry.CreatedByName, entry.CreatedTime = p.UserID, p.Name, u.Now()
	entry.CreatorID, entry.ApprovalID = p.Via.CreatorID, u.Approval()
	err = tx.Create(entry).Error
	if storage.IsDuplicate(err, "uq_wallet_entries_reference") || storage.IsDuplicate(err, "uq_wallet_entries_version") {
		return uow.Overtaken("money")
	}
	if err != nil {
		return fmt.Errorf("insert wallet entry: %w", err)
	}
	return nil
}
