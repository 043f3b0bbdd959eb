package wallets

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// find returns a user's wallet, zeros when it has no row.
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

// earlier returns the entry of a wallet that has a reference, or nil.
func earlier(tx *gorm.DB, user principal.CustomerID, reference string) (*Entry, error) {
	var rows []Entry
	if err := tx.Where("user_id = ? AND reference = ?", user, reference).Limit(1).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("look for a reference: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// post makes an entry of which amount, kind, reference and the users are given, or
// returns the one that was made before with the same content.
func (s *Service) post(ctx context.Context, u *uow.Unit, entry *Entry) (made *Entry, first bool, err error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, false, err
	}
	before, err := earlier(tx, entry.UserID, entry.Reference)
	switch {
	case err != nil:
		return nil, false, err
	case before != nil && !before.same(entry):
		return nil, false, mismatch(before)
	case before != nil:
		return before, false, nil
	}
	wallet, err := find(tx, entry.UserID)
	if err != nil {
		return nil, false, err
	}
	if err := wallet.check(entry.Amount); err != nil {
		return nil, false, err
	}
	if err := move(ctx, u, wallet, entry.Amount); err != nil {
		return nil, false, err
	}
	return entry, true, s.keep(ctx, u, wallet, entry)
}

// overtaken runs the unit again: what it read is not there any more, because it has
// lost its lock or another writer took none. It says so when that does not help.
func overtaken() error {
	return uow.Again(apperr.New(apperr.ResourceLocked, "Others moved the same money at the same time; nothing was changed. Try again.").After(time.Second))
}

// move changes the balance of a wallet that the unit has read:
//
//	UPDATE wallets SET balance = balance + ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND version = ? AND balance + ? >= 0
//
// and the first entry inserts the row. That the balance stays in its bounds is for the
// caller to have asked; a refusal by the guard means that the row has moved on, and runs
// the unit again.
func move(ctx context.Context, u *uow.Unit, wallet *Wallet, amount int64) error {
	wallet.Balance += amount
	if wallet.ID == 0 {
		err := guard.Insert(ctx, u, wallet)
		if storage.IsDuplicate(err, "uq_wallets_user") {
			return overtaken()
		}
		if err != nil {
			return fmt.Errorf("insert wallet: %w", err)
		}
		return nil
	}
	err := guard.Adjust[Wallet](ctx, u, wallet.ID, guard.Set{"balance": guard.Add("balance", amount)},
		"version = ? AND balance + ? >= 0", wallet.Version, amount)
	if errors.Is(err, guard.ErrRefused) {
		return overtaken()
	}
	if err != nil {
		return fmt.Errorf("move money: %w", err)
	}
	return guard.Advance(ctx, u, wallet)
}

// keep adds the entry that made a wallet's present version, and announces it.
func (s *Service) keep(ctx context.Context, u *uow.Unit, wallet *Wallet, entry *Entry) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	p, _ := principal.From(ctx)
	entry.Version, entry.Balance = wallet.Version, wallet.Balance
	entry.CreatedBy, entry.CreatedByName, entry.CreatedTime = p.UserID, p.Name, u.Now()
	err = tx.Create(entry).Error
	if storage.IsDuplicate(err, "uq_wallet_entries_reference") || storage.IsDuplicate(err, "uq_wallet_entries_version") {
		return overtaken()
	}
	if err != nil {
		return fmt.Errorf("keep wallet entry: %w", err)
	}
	change.Announce(u, s.bus, Topic, string(wallet.UserID), events.Change{
		Version: wallet.Version, ETag: wallet.Ref().ETag(), Action: entry.Kind,
	})
	return nil
}
