package wallets

import (
	"context"
	"slices"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// Transfer is money on its way from one wallet to another.
type Transfer struct {
	FromUserID, ToUserID principal.CustomerID
	// Amount is positive, in minor units.
	Amount int64
	// Reference names the transfer among the entries of both wallets.
	Reference string
}

// Transfer moves money between two wallets under the locks of both, for which it waits at
// most wait: it is the first thing that its unit does. It returns the entry of each; first
// is false when the same transfer was made before.
//
// Errors: lock.ErrNotAcquired when a lock is not had in time; InsufficientBalance;
// PayloadMismatch when one of the wallets has an entry with the reference and other
// content; ValidationFailed when the receiver's balance would be more than can be counted.
func (s *Service) Transfer(ctx context.Context, u *uow.Unit, t Transfer, wait time.Duration) (debit, credit *Entry, first bool, err error) {
	if ctx, err = s.Lock(ctx, u, wait, t.FromUserID, t.ToUserID); err != nil {
		return nil, nil, false, err
	}
	debit = &Entry{UserID: t.FromUserID, Amount: -t.Amount, Kind: Transferred, Reference: t.Reference, OtherUserID: &t.ToUserID}
	credit = &Entry{UserID: t.ToUserID, Amount: t.Amount, Kind: Transferred, Reference: t.Reference, OtherUserID: &t.FromUserID}
	sides := []**Entry{&debit, &credit}
	// Rows are locked in the order of users too, should a lock be lost.
	if t.ToUserID < t.FromUserID {
		slices.Reverse(sides)
	}
	for _, side := range sides {
		if *side, first, err = s.post(ctx, u, *side); err != nil {
			return nil, nil, false, err
		}
	}
	if first {
		u.Audit(uow.Entry{Action: "wallet.transfer", Resource: resource(t.FromUserID), Detail: map[string]any{
			"version": debit.Version, "toUserId": t.ToUserID, "amount": t.Amount, "balance": debit.Balance, "toBalance": credit.Balance, "reference": t.Reference,
		}})
	}
	return debit, credit, first, nil
}
