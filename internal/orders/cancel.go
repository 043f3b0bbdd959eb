package orders

import (
	"context"
	"errors"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/payments"
)

// Sales returns the units of a cancelled order to the flash sale that it came from. Package
// flashsale imports orders, so app provides the implementation.
type Sales interface {
	// ReturnUnits transfers an order's units from its holder back to the sale, in the order's unit,
	// which has the lock of the item's stock.
	ReturnUnits(ctx context.Context, u *uow.Unit, sale int64, ticket, holder string, units int64) error
}

// Cancellation cancels an order if its customer has none of its units. It returns the coupon, and
// the units to stock or to their flash sale, and refunds the rest of each payment: a wallet is
// credited in the same unit, an outside payment becomes a refund that waits for its approval. Each
// effect happens once. Open refunds are rejected, except approved and unknown ones: their money may already have
// moved, so they retain their reservation.
type Cancellation struct {
	Reason string `json:"reason" validate:"required,max=500"`
}

func (Cancellation) action() string { return "cancel" }

// SchemaName returns the name in the contract.
func (Cancellation) SchemaName() string { return "Cancellation" }

// possible returns TransitionNotAllowed for an order with units that the customer has. The units of
// a flash sale return to it only together, so a shipment of one of them rules the cancellation out.
func (Cancellation) possible(o *Order) *apperr.Error {
	switch {
	case o.unitsOut() > 0:
		return apperr.New(apperr.TransitionNotAllowed, "Shipped units that were not returned: %d. Receive their return, or refund them instead.", o.unitsOut())
	case !o.isCancellable():
		return apperr.New(apperr.TransitionNotAllowed, "Units of its flash sale were shipped. Refund it instead.")
	}
	return nil
}

// isCancellable reports whether the units of the order allow its cancellation.
func (o *Order) isCancellable() bool {
	return o.unitsOut() == 0 && (o.SaleID == nil || o.unitsShipped() == 0)
}

// rest is the part of one payment that a cancellation refunds.
type rest struct {
	payment payments.Payment
	// amount is in minor units. It includes released, which refunds had reserved that the
	// cancellation rejects.
	amount, released int64
}

// move returns the booking of the rest: as refunded for a wallet, otherwise as reserved.
func (r rest) move() payments.RefundMove {
	if r.payment.ByWallet() {
		return payments.RefundMove{Action: RefundSettled, Reserved: -r.released, Refunded: r.amount}
	}
	return payments.RefundMove{Action: RefundReserved, Reserved: r.amount - r.released}
}

// prepare rejects the order's open refunds in favour of refunds of the rests. It adds the rests to
// the order's refunded and reserved amounts, so that the UPDATE that cancels the order also books
// these refunds.
func (c Cancellation) prepare(ctx context.Context, u *uow.Unit, s *Service, order *Order) error {
	released, err := s.refunds.TakeOver(ctx, u, order)
	if err != nil {
		return err
	}
	order.rests = nil
	for _, payment := range order.Payments {
		r := rest{payment: payment, amount: payment.Refundable() + released[payment.ID], released: released[payment.ID]}
		if r.amount == 0 {
			continue
		}
		order.rests = append(order.rests, r)
		order.RefundReserved += r.move().Reserved
		order.Refunded += r.move().Refunded
	}
	now := u.Now()
	order.CancelReason = c.Reason
	order.PaymentDue, order.CancelledTime = nil, &now
	return nil
}

func (Cancellation) locks(o *Order) locks { return locks{stock: true, wallet: o.paidByWallet()} }

func (c Cancellation) event(*Order) (verb string, detail any) { return c.action(), c }

func (Cancellation) apply(ctx context.Context, u *uow.Unit, s *Service, before, cancelled *Order) error {
	if err := s.returnUnits(ctx, u, before); err != nil {
		return err
	}
	var moves []LineMove
	for _, line := range before.Lines {
		if line.ToShip+line.InRefund > 0 {
			moves = append(moves, LineMove{SKU: line.SKU, ToShip: -line.ToShip, InRefund: -line.InRefund})
		}
	}
	var err error
	if cancelled.Lines, err = moveLines(ctx, u, before, moves); err != nil {
		return err
	}
	if cancelled.CouponCode != "" {
		if err := s.coupons.ReturnFromOrder(ctx, u, cancelled.CouponCode, cancelled.ID); err != nil {
			return err
		}
	}
	for _, r := range cancelled.rests {
		id, err := s.refunds.RefundRest(ctx, u, cancelled, &r.payment, r.amount)
		if err != nil {
			return err
		}
		move := r.move()
		move.Detail = map[string]any{"refundId": id, "amount": r.amount}
		if err := s.payments.MoveRefund(ctx, u, r.payment.ID, move); err != nil {
			return fmt.Errorf("refund the rest of a payment: %w", err)
		}
	}
	return nil
}

// returnUnits returns a cancelled order's unshipped units to stock or to their flash sale.
func (s *Service) returnUnits(ctx context.Context, u *uow.Unit, order *Order) error {
	if order.SaleID == nil {
		return s.stock.Return(ctx, u, order.Holder(), order.reference("cancel"), nil)
	}
	return s.sales.ReturnUnits(ctx, u, *order.SaleID, *order.Ticket, order.Holder(), order.unitsHeld())
}

// unpaidCanceller is the actor that cancels unpaid orders.
const unpaidCanceller = "unpaid orders"

// NextUnpaid returns the earliest payment deadline of the pending orders of all tenants; a zero
// time if there is none. Only pending orders have a deadline:
//
//	SELECT payment_due FROM orders WHERE payment_due >= ? ORDER BY payment_due LIMIT 1
func (s *Service) NextUnpaid(ctx context.Context) (time.Time, error) {
	var due []time.Time
	err := s.db.Read(storage.AcrossTenants(ctx)).Model(&Order{}).Where("payment_due >= ?", time.Unix(0, 0).UTC()).
		Order("payment_due").Limit(1).Pluck("payment_due", &due).Error
	if err != nil {
		return time.Time{}, fmt.Errorf("read the earliest payment deadline: %w", err)
	}
	if len(due) == 0 {
		return time.Time{}, nil
	}
	return due[0], nil
}

// CancelUnpaid cancels pending orders of all tenants with a passed payment deadline, each in a
// separate unit, at most limit. Several processes may run it concurrently with each other and with
// payments: the guard lets one of them win.
func (s *Service) CancelUnpaid(ctx context.Context, now time.Time, limit int) error {
	var due []Order
	err := s.db.Read(storage.AcrossTenants(ctx)).Where("payment_due <= ? AND status = ?", now, pending.Code).
		Order("payment_due").Limit(limit).Find(&due).Error
	if err != nil {
		return fmt.Errorf("read unpaid orders: %w", err)
	}
	var failures []error
	for _, order := range due {
		ctx := principal.With(ctx, principal.System(order.TenantID, unpaidCanceller))
		if err := s.cancelUnpaid(ctx, order.ID); err != nil {
			failures = append(failures, fmt.Errorf("cancel unpaid order %d: %w", order.ID, err))
		}
	}
	return errors.Join(failures...)
}

// cancelUnpaid cancels an order that is still pending, not one that was paid since. A rejection
// means that the order was paid or cancelled concurrently, or that its stock was locked: the next
// round retries it.
func (s *Service) cancelUnpaid(ctx context.Context, id int64) error {
	err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		order, err := s.Order(ctx, id)
		if err != nil || order.Status != pending.Code {
			return err
		}
		_, err = s.Transition(ctx, u, order, Cancellation{Reason: "not paid in time"}, nil)
		return err
	})
	if err != nil {
		_, err = verdictOn(id, err)
	}
	return err
}
