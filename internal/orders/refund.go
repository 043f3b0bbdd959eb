package orders

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/payments"
)

// Refunds refunds the rest of a cancelled order's payments. Package refunds imports orders, so app
// provides the implementation.
type Refunds interface {
	// TakeOver rejects the order's requested and failed refunds, in the unit that cancels it, and
	// returns the amounts that they had reserved, in minor units, by payment.
	TakeOver(ctx context.Context, u *uow.Unit, order *Order) (released map[int64]int64, err error)
	// RefundRest inserts the refund of the rest of a cancelled order's payment, in the order's unit,
	// which has already booked the amount: as refunded for a wallet payment (the unit has the
	// wallet's lock), as reserved for an outside payment. It returns the refund's id.
	RefundRest(ctx context.Context, u *uow.Unit, cancelled *Order, payment *payments.Payment, rest int64) (id int64, err error)
}

// Refundable returns the part of the payments that can still be refunded, in minor units.
func (o *Order) Refundable() int64 { return o.Paid - o.RefundReserved - o.Refunded }

// paidByWallet reports whether the wallet of the order's user paid a part of it.
func (o *Order) paidByWallet() bool {
	return slices.ContainsFunc(o.Payments, func(p payments.Payment) bool { return p.Applied() && p.ByWallet() })
}

// Cancelled reports whether the order was cancelled.
func (o *Order) Cancelled() bool { return o.Status == cancelled.Code }

// ErrNotRefundable is returned if a refund exceeds the rest of its payment.
var ErrNotRefundable = errors.New("orders: the refund exceeds the rest of the payment")

// The actions of refunds in the history of their order.
const (
	RefundReserved = payments.RefundReserved
	RefundReleased = payments.RefundReleased
	RefundSettled  = payments.RefundSettled
)

// RefundMove is the change of the refund amounts of an order and its payment by a step of a refund.
type RefundMove struct {
	// Action is RefundReserved, RefundReleased or RefundSettled.
	Action string
	// PaymentID is the refunded payment of the order.
	PaymentID int64
	// Reserved and Refunded are added to the amounts of the order and of the payment, in minor units.
	Reserved, Refunded int64
	// Seen is the order that the move was derived from; nil if it does not depend on the order. If
	// the order has a newer version, the unit is retried.
	Seen *Order
	// Lines change units of the order's lines; they need Seen.
	Lines []LineMove
	// Detail is for the order's history.
	Detail any
}

// MoveRefund changes the refund amounts of an order and its payment, in the unit of a refund; the
// refund's audit entry covers all three. Refunds of one order commute while their sum fits the
// payment, so the guard is a condition on the amounts, not the version:
//
//	UPDATE orders SET refund_reserved = refund_reserved + ?, refunded = refunded + ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND ? >= -refund_reserved AND ? <= paid - refund_reserved - refunded
//
// A move that returns the last unshipped units of a partly shipped order also makes the order
// shipped, so that it can be completed. All refunds of an order and its cancellation write this row,
// which serialises them until the end of the unit. Errors: ErrNotRefundable.
func (s *Service) MoveRefund(ctx context.Context, u *uow.Unit, id int64, move RefundMove) (*Order, error) {
	condition, args := "? >= -refund_reserved AND ? <= paid - refund_reserved - refunded", []any{move.Reserved, move.Reserved + move.Refunded}
	set := guard.Set{"refund_reserved": guard.Add("refund_reserved", move.Reserved), "refunded": guard.Add("refunded", move.Refunded)}
	if move.Seen != nil {
		condition, args = condition+" AND version = ?", append(args, move.Seen.Version)
		if move.ships() {
			set["status"], set["shipped_time"] = shipped.Code, u.Now()
		}
	}
	err := guard.Adjust[Order](ctx, u, id, set, condition, args...)
	if errors.Is(err, guard.ErrRefused) {
		return nil, s.notMoved(ctx, u, id, move)
	}
	if err != nil {
		return nil, fmt.Errorf("book a refund with its order: %w", err)
	}
	err = s.payments.MoveRefund(ctx, u, move.PaymentID, payments.RefundMove{Action: move.Action, Reserved: move.Reserved, Refunded: move.Refunded, Detail: move.Detail})
	if errors.Is(err, payments.ErrNotRefundable) {
		return nil, ErrNotRefundable
	}
	if err != nil {
		return nil, err
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
	from := order.Status
	if move.Seen != nil {
		from = move.Seen.Status
	}
	if err := insertHistory(ctx, u, order, move.Action, &from, move.Detail); err != nil {
		return nil, err
	}
	change.Announce(u, s.bus, Topic, strconv.FormatInt(id, 10), events.Change{
		Version: order.Version, ETag: order.Ref().ETag(), Action: move.Action, Status: Machine.Of(order.Status).Name, Label: order.OrderNo,
	})
	return order, nil
}

// ships reports whether the move makes a partly shipped order shipped: it returns the last units
// that were left to stock.
func (m RefundMove) ships() bool {
	after := *m.Seen
	after.Lines = withMoves(after.Lines, m.Lines)
	_, possible := Machine.Next(Shipment{}.action(), Machine.Of(after.Status))
	return possible && after.reaches(shipped)
}

// notMoved returns the error of a move that the guard rejected: a retry if the order has a newer
// version than move.Seen, otherwise ErrNotRefundable.
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

// LockMoney acquires the lock of the payments and refunds of the order with an id until the unit
// ends. A payment and the request of a refund call it before the transaction starts, so that they
// run one after the other; the guards of the order ensure correctness. Errors: lock.ErrNotAcquired.
func (s *Service) LockMoney(ctx context.Context, u *uow.Unit, id int64) (context.Context, error) {
	caller, _ := principal.From(ctx)
	return u.Lock(ctx, lockWait, fmt.Sprintf("money:%d:%d", caller.TenantID, id))
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
