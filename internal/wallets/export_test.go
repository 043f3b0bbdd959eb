package wallets

import (
	"context"
	"fmt"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// EnterUnguarded is Enter as it must not be: it takes no lock, and its UPDATE sets what
// it has worked out from what it read, whatever the version is by then. between runs
// after the balance was read and before it is written.
func (s *Service) EnterUnguarded(ctx context.Context, u *uow.Unit, p Posting, between func()) (*Entry, error) {
	wallet, err := s.Wallet(ctx, p.UserID)
	if err != nil {
		return nil, err
	}
	between()
	if err := wallet.check(p.Amount); err != nil {
		return nil, err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	err = tx.Exec("UPDATE wallets SET balance = ?, version = version + 1 WHERE tenant_id = ? AND user_id = ?",
		wallet.Balance+p.Amount, caller.TenantID, p.UserID).Error
	if err != nil {
		return nil, fmt.Errorf("write the balance: %w", err)
	}
	u.Audit(uow.Entry{Action: "wallet.entry", Resource: resource(p.UserID)})
	return &Entry{UserID: p.UserID, Amount: p.Amount, Balance: wallet.Balance + p.Amount}, nil
}

// EnterAfterPause is the rest of Enter for a holder that was paused after it had read the
// wallet.
func (s *Service) EnterAfterPause(ctx context.Context, u *uow.Unit, seen Wallet, p Posting) error {
	u.Audit(uow.Entry{Action: "wallet.entry", Resource: resource(p.UserID)})
	if err := addToBalance(ctx, u, &seen, p.Amount); err != nil {
		return err
	}
	return insertEntry(ctx, u, &seen, &Entry{UserID: p.UserID, Amount: p.Amount, Kind: p.Kind, Reference: p.Reference})
}

// Standing is what an entry reads before it is made.
type Standing = standing
