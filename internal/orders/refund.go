package orders

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Refunds refunds the rest of a cancelled order's payment. The package of refunds is above that
// of orders, so app provides it.
type Refunds interface {
	// TakeOver rejects the order's refunds that are requested or failed, in the unit that cancels
	// it, and returns how much of its payment they had reserved, in minor units.
	TakeOver(ctx context.Context, u *uow.Unit, order *Order) (released int64, err error)
	// RefundRest makes the refund of a cancelled order's rest, in the order's own unit, which
	// has booked the amount with the order: as refunded when its wallet paid, whose lock the
	// unit has, and as reserved when it was paid outside.
	RefundRest(ctx context.Context, u *uow.Unit, cancelled *Order, rest int64) error
}

// Refundable is what can still be refunded of an order's payment, in minor units.
func (o *Order) Refundable() int64 { return o.Paid - o.RefundReserved - o.Refunded }

// PaidByWallet reports whether the wallet of the order's user paid it.
func (o *Order) PaidByWallet() bool { return o.PaymentMethod == fromWallet }

// Cancelled reports whether the order was cancelled.
func (o *Order) Cancelled() bool { return o.Status == cancelled.Code }

// ErrNotRefundable says that more was to be refunded of an order than is left of its payment.
var ErrNotRefundable = errors.New("orders: more than is left of the payment")

// The steps of refunds, as the history of their order calls them.
const (
	RefundReserved = "reserve-refund"
	RefundReleased = "release-refund"
	RefundSettled  = "settle-refund"
)

// RefundMove is how a step of a refund changes what its order says of its payment.
type RefundMove struct {
	// Action is RefundReserved, RefundReleased or RefundSettled.
	Action string
	// Reserved and Refunded are added to what is reserved and what was given back, in minor
	// units.
	Reserved, Refunded int64
	// Seen is the order that the move was derived from; nil if it does not depend on the order.
	// If the order has another version by now, the unit runs again.
	Seen *Order
	// Lines change units of the order's lines; they need Seen.
	Lines []LineMove
	// Detail is for the order's history.
	Detail any
}

// MoveRefund changes what an order says of its payment, in the unit of a refund whose audit
// entry stands for both. Any order of refunds is right and only the bound matters, so there
// is a condition in the place of a version:
//
//	UPDATE orders SET refund_reserved = refund_reserved + ?, refunded = refunded + ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND ? >= -refund_reserved AND ? <= paid - refund_reserved - refunded
//
// It is the one row that all refunds of an order and its cancellation change, so they come
// one after the other from here to the end of the unit. Errors: ErrNotRefundable.
func (s *Service) MoveRefund(ctx context.Context, u *uow.Unit, id int64, move RefundMove) (*Order, error) {
	condition, args := "? >= -refund_reserved AND ? <= paid - refund_reserved - refunded", []any{move.Reserved, move.Reserved + move.Refunded}
	if move.Seen != nil {
		condition, args = condition+" AND version = ?", append(args, move.Seen.Version)
	}
	err := guard.Adjust[Order](ctx, u, id,
		guard.Set{"refund_reserved": guard.Add("refund_reserved", move.Reserved), "refunded": guard.Add("refunded", move.Refunded)}, condition, args...)
	if errors.Is(err, guard.ErrRefused) {
		return nil, s.notMoved(ctx, u, id, move)
	}
	if err != nil {
		return nil, fmt.Errorf("book a refund with its order: %w", err)
	}
	if move.Seen != nil {
		if _, err := moveLines(ctx, u, move.Seen, move.Lines); err != nil {
			return nil, err
		}
	}
	order, err := s.InUnit(ctx, u, id)
	if err != nil {
		return nil, err
	}
	if err := insertHistory(ctx, u, order, move.Action, &order.Status, move.Detail); err != nil {
		return nil, err
	}
	change.Announce(u, s.bus, Topic, strconv.FormatInt(id, 10), events.Change{
		Version: order.Version, ETag: order.Ref().ETag(), Action: move.Action, Status: Machine.Of(order.Status).Name, Label: order.OrderNo,
	})
	return order, nil
}

// notMoved distinguishes an order that has another version by now from one with too little left.
func (s *Service) notMoved(ctx context.Context, u *uow.Unit, id int64, move RefundMove) error {
	if move.Seen == nil {
		return ErrNotRefundable
	}
	order, err := s.InUnit(ctx, u, id)
	switch {
	case err != nil:
		return err
	case order.Version != move.Seen.Version:
		return uow.Overtaken("order")
	}
	return ErrNotRefundable
}

// LockRefunds takes the lock of an order's refunds, until the unit has ended. Who requests one
// calls it first, before the transaction begins, so that requests come one after the other;
// what is refunded rests on MoveRefund. Errors: lock.ErrNotAcquired.
func (s *Service) LockRefunds(ctx context.Context, u *uow.Unit, order *Order) (context.Context, error) {
	return u.Lock(ctx, lockWait, fmt.Sprintf("refunds:%d:%d", order.TenantID, order.ID))
}

// InUnit reads an order in the unit's transaction.
func (s *Service) InUnit(ctx context.Context, u *uow.Unit, id int64) (*Order, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	order, err := find(tx, id)
	if err != nil {
		return nil, fmt.Errorf("read the order of a refund: %w", err)
	}
	return order, nil
}
