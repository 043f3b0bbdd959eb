package wallets

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// Transfer is a movement of money from one wallet to another.
type Transfer struct {
	FromUserID, ToUserID principal.CustomerID
	// Amount is positive, in minor units.
	Amount int64
	// Reference names the transfer among the entries of both wallets.
	Reference string
}

// Transfer moves money between two wallets under the locks of both, for which it waits at most
// wait. It must be the first step of its unit. It returns both entries; first is false if the same
// transfer already existed. The entries are nil if the amount is above the tenant's threshold and
// the unit has proposed the transfer.
//
// Errors: lock.ErrNotAcquired if a lock is not acquired in time; InsufficientBalance;
// PayloadMismatch if one of the wallets has an entry with the reference and other content;
// ValidationFailed if the receiver's balance would exceed an int64.
func (s *Service) Transfer(ctx context.Context, u *uow.Unit, t Transfer, wait time.Duration) (debit, credit *Entry, first bool, err error) {
	if ctx, err = s.Lock(ctx, u, wait, t.FromUserID, t.ToUserID); err != nil {
		return nil, nil, false, err
	}
	return s.transfer(ctx, u, t)
}

// sides returns the entries of a transfer: the debit and the credit.
func (t Transfer) sides() []*Entry {
	return []*Entry{
		{UserID: t.FromUserID, Amount: -t.Amount, Kind: Transferred, Reference: t.Reference, OtherUserID: &t.ToUserID},
		{UserID: t.ToUserID, Amount: t.Amount, Kind: Transferred, Reference: t.Reference, OtherUserID: &t.FromUserID},
	}
}

// transfer is Transfer in a unit that has the locks.
func (s *Service) transfer(ctx context.Context, u *uow.Unit, t Transfer) (debit, credit *Entry, first bool, err error) {
	made := t.sides()
	if made, first, err = s.post(ctx, u, made...); err != nil || made == nil {
		return nil, nil, false, err
	}
	debit, credit = made[0], made[1]
	if first {
		u.AuditUnder(resource(t.ToUserID))
		u.Audit(uow.Entry{Action: "wallet.transfer", Resource: resource(t.FromUserID), Detail: map[string]any{
			"version": debit.Version, "toUserId": t.ToUserID, "amount": t.Amount, "balance": debit.Balance, "toBalance": credit.Balance, "reference": t.Reference,
		}})
	}
	return debit, credit, first, nil
}
