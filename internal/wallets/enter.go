package wallets

import (
	"cmp"
	"context"
	"slices"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// Posting is a new entry.
type Posting struct {
	UserID principal.CustomerID
	// Amount is in minor units: positive to credit, negative to debit, never 0.
	Amount    int64
	Kind      string
	Reference string
}

// Enter makes an entry under the wallet's lock, for which it waits at most wait. It must be the
// first step of its unit. first is false if the same entry already existed: it is returned and
// nothing changes. entry is nil if the unit has proposed the entry, because its amount is above the
// tenant's threshold.
//
// Errors: lock.ErrNotAcquired if the lock is not acquired in time; PayloadMismatch if the reference
// was used with other content; InsufficientBalance; ValidationFailed if the balance would exceed an
// int64.
func (s *Service) Enter(ctx context.Context, u *uow.Unit, p Posting, wait time.Duration) (entry *Entry, first bool, err error) {
	if ctx, err = s.Lock(ctx, u, wait, p.UserID); err != nil {
		return nil, false, err
	}
	return s.enter(ctx, u, &Entry{UserID: p.UserID, Amount: p.Amount, Kind: p.Kind, Reference: p.Reference})
}

// enter is Enter in a unit that has the lock.
func (s *Service) enter(ctx context.Context, u *uow.Unit, entry *Entry) (_ *Entry, first bool, err error) {
	made, first, err := s.post(ctx, u, entry)
	if err != nil || made == nil {
		return nil, false, err
	}
	if first {
		u.Audit(auditOf(made[0]))
	}
	return made[0], first, nil
}

// auditOf returns the audit entry of an entry by hand.
func auditOf(entry *Entry) uow.Entry {
	return uow.Entry{Action: "wallet.entry", Resource: resource(entry.UserID), Detail: map[string]any{
		"version": entry.Version, "amount": entry.Amount, "balance": entry.Balance, "kind": entry.Kind, "reference": entry.Reference,
	}}
}

// Pay debits a wallet for an order, in the order's unit, which has the wallet's lock. The order's
// audit entry covers both. amount is positive, in minor units. A repeated reference changes
// nothing. Errors: InsufficientBalance, PayloadMismatch.
func (s *Service) Pay(ctx context.Context, u *uow.Unit, user principal.CustomerID, amount int64, reference string) error {
	_, _, err := s.post(ctx, u, &Entry{UserID: user, Amount: -amount, Kind: Paid, Reference: reference})
	return err
}

// Refund credits a wallet for a refund, in the unit of another resource, like Pay. Errors:
// PayloadMismatch; ValidationFailed if the balance would exceed an int64.
func (s *Service) Refund(ctx context.Context, u *uow.Unit, user principal.CustomerID, amount int64, reference string) error {
	_, _, err := s.post(ctx, u, &Entry{UserID: user, Amount: amount, Kind: Refunded, Reference: reference})
	return err
}

// post makes the entries of one movement, or returns those that already exist with the same
// content; nil if the unit has proposed the movement instead. Only post makes entries. The caller
// sets amount, kind, reference and users.
func (s *Service) post(ctx context.Context, u *uow.Unit, entries ...*Entry) (made []*Entry, first bool, err error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, false, err
	}
	// Rows are locked in the order of users, in case a lock was lost.
	inOrder := slices.SortedFunc(slices.Values(entries), func(a, b *Entry) int { return cmp.Compare(a.UserID, b.UserID) })
	found := make(map[*Entry]*Entry, len(entries))
	wallets := make(map[*Entry]*Wallet, len(entries))
	for _, entry := range inOrder {
		wallet, before, err := findForEntry(tx, entry.UserID, entry.Reference)
		switch {
		case err != nil:
			return nil, false, err
		case before != nil && !before.same(entry):
			return nil, false, mismatch(ctx, before)
		case before != nil:
			found[entry] = before
			continue
		}
		if err := wallet.check(ctx, entry.Amount); err != nil {
			return nil, false, err
		}
		wallets[entry] = wallet
	}
	if len(wallets) > 0 {
		if now, err := s.proposeIfRequired(ctx, u, entries); err != nil || !now {
			return nil, false, err
		}
	}
	for _, entry := range inOrder {
		wallet := wallets[entry]
		if wallet == nil {
			continue
		}
		if err := addToBalance(ctx, u, wallet, entry.Amount); err != nil {
			return nil, false, err
		}
		if err := insertEntry(ctx, u, wallet, entry); err != nil {
			return nil, false, err
		}
		s.announce(u, wallet, entry)
	}
	for _, entry := range entries {
		made = append(made, cmp.Or(found[entry], entry))
	}
	return made, len(wallets) > 0, nil
}
