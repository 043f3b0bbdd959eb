package wallets

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// Posting is an entry to be made.
type Posting struct {
	UserID principal.CustomerID
	// Amount is in minor units: positive to credit, negative to debit, never 0.
	Amount    int64
	Kind      string
	Reference string
}

// Enter makes an entry under the wallet's lock, for which it waits at most wait: it is the
// first thing that its unit does. first is false when the same entry was made before: that
// one is returned, and nothing was changed now. entry is nil when its amount is above the
// tenant's threshold and the unit has proposed it.
//
// Errors: lock.ErrNotAcquired when the lock is not had in time; PayloadMismatch when the
// reference was used with other content; InsufficientBalance; ValidationFailed when the
// balance would be more than can be counted.
func (s *Service) Enter(ctx context.Context, u *uow.Unit, p Posting, wait time.Duration) (entry *Entry, first bool, err error) {
	if ctx, err = s.Lock(ctx, u, wait, p.UserID); err != nil {
		return nil, false, err
	}
	entry, first, err = s.post(ctx, u, &Entry{UserID: p.UserID, Amount: p.Amount, Kind: p.Kind, Reference: p.Reference})
	if err != nil || !first {
		return entry, false, err
	}
	u.Audit(auditOf(entry))
	return entry, true, nil
}

// auditOf is the audit entry of an entry that somebody makes by hand.
func auditOf(entry *Entry) uow.Entry {
	return uow.Entry{Action: "wallet.entry", Resource: resource(entry.UserID), Detail: map[string]any{
		"version": entry.Version, "amount": entry.Amount, "balance": entry.Balance, "kind": entry.Kind, "reference": entry.Reference,
	}}
}

// Pay debits a wallet for an order, in the order's unit, which has the wallet's lock and whose
// audit entry covers both. amount is positive, in minor units. The same reference again
// changes nothing. Errors: InsufficientBalance, PayloadMismatch.
func (s *Service) Pay(ctx context.Context, u *uow.Unit, user principal.CustomerID, amount int64, reference string) error {
	_, _, err := s.post(ctx, u, &Entry{UserID: user, Amount: -amount, Kind: Paid, Reference: reference})
	return err
}

// Refund credits a wallet for a refund, in the unit of another resource, like Pay. Errors:
// PayloadMismatch; ValidationFailed when the balance would be more than can be counted.
func (s *Service) Refund(ctx context.Context, u *uow.Unit, user principal.CustomerID, amount int64, reference string) error {
	_, _, err := s.post(ctx, u, &Entry{UserID: user, Amount: amount, Kind: Refunded, Reference: reference})
	return err
}

// post makes an entry of which amount, kind, reference and the users are given, or
// returns the one that was made before with the same content; nil when the unit has proposed it
// instead. It is the only place that makes entries.
func (s *Service) post(ctx context.Context, u *uow.Unit, entry *Entry) (made *Entry, first bool, err error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, false, err
	}
	wallet, before, err := findForEntry(tx, entry.UserID, entry.Reference)
	switch {
	case err != nil:
		return nil, false, err
	case before != nil && !before.same(entry):
		return nil, false, mismatch(before)
	case before != nil:
		return before, false, nil
	}
	if err := wallet.check(entry.Amount); err != nil {
		return nil, false, err
	}
	if now, err := s.proposeIfRequired(ctx, u, entry); err != nil || !now {
		return nil, false, err
	}
	if err := addToBalance(ctx, u, wallet, entry.Amount); err != nil {
		return nil, false, err
	}
	if err := insertEntry(ctx, u, wallet, entry); err != nil {
		return nil, false, err
	}
	s.announce(u, wallet, entry)
	return entry, true, nil
}
