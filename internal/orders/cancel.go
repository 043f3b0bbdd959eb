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
)

// Sales is where the pieces of a cancelled order go that was made of a flash sale's ticket.
// Flash sales stand above orders, so they are given to orders from outside.
type Sales interface {
	// ReturnUnits takes an order's pieces back from its holder, in the order's own unit, which
	// has the lock of the item's stock.
	ReturnUnits(ctx context.Context, u *uow.Unit, sale int64, ticket, holder string, units int64) error
}

// Cancellation ends an order that has not been paid, or was paid from a wallet. It returns
// the pieces, to the flash sale that they are from if there is one, the coupon, and what
// the wallet paid, each once.
type Cancellation struct {
	Reason string `json:"reason"`
}

func (Cancellation) action() string { return "cancel" }

func (c Cancellation) check() (broken apperr.Fields) {
	if required(&broken, "/reason", c.Reason) {
		atMost(&broken, "/reason", c.Reason, 500)
	}
	return broken
}

func (c Cancellation) fill(o *Order) { o.CancelReason = c.Reason }

func (Cancellation) locks(o *Order) locks { return locks{stock: true, wallet: o.Status == paid.Code} }

func (Cancellation) apply(ctx context.Context, u *uow.Unit, s *Service, before, cancelled *Order) error {
	if err := s.returnPieces(ctx, u, cancelled); err != nil {
		return err
	}
	if cancelled.CouponCode != "" {
		if err := s.coupons.ReturnFromOrder(ctx, u, cancelled.CouponCode, cancelled.ID); err != nil {
			return err
		}
	}
	if before.Status == paid.Code && before.PaymentMethod == fromWallet && before.Amount > 0 {
		return s.wallets.Credit(ctx, u, cancelled.UserID, cancelled.Amount, "refund", cancelled.reference("refund"))
	}
	return nil
}

// returnPieces returns a cancelled order's pieces to where they came from. An order from
// before there was stock holds none.
func (s *Service) returnPieces(ctx context.Context, u *uow.Unit, order *Order) error {
	if order.SaleID == nil {
		return s.stock.Return(ctx, u, order.holder(), order.reference("cancel"), nil)
	}
	var units int64
	for _, line := range order.Lines {
		units += line.Quantity
	}
	return s.sales.ReturnUnits(ctx, u, *order.SaleID, *order.Ticket, order.holder(), units)
}

// refundable reports whether this service can give back what was paid for an order: money
// that was taken outside of it cannot be given back yet.
func (o *Order) refundable() bool { return o.PaymentMethod == fromWallet }

// explainUnrefundable says of a refused cancellation that the money could not be given back,
// which the status of the order does not say.
func explainUnrefundable(order *Order, step Step, err error) error {
	var refusal *apperr.Error
	refused := errors.As(err, &refusal) && refusal.Code == apperr.TransitionNotAllowed
	if refused && step.action() == "cancel" && order.Status == paid.Code {
		refusal.Detail = fmt.Sprintf("Order %q cannot be cancelled: it was paid outside of this service, and there are no refunds yet by which the money would go back.", order.OrderNo)
	}
	return err
}

// unpaidCanceller is the name under which unpaid orders are cancelled.
const unpaidCanceller = "unpaid orders"

// CancelUnpaid cancels orders of all tenants that are pending and whose payment is due,
// each in a unit of its own, at most limit. It may run in several processes at once, and
// beside payments: the guard lets one of them win.
func (s *Service) CancelUnpaid(ctx context.Context, now time.Time, limit int) error {
	var due []Order
	err := s.db.Read(storage.AcrossTenants(ctx)).Where("payment_due <= ? AND status = ?", now, pending.Code).
		Order("payment_due").Limit(limit).Find(&due).Error
	if err != nil {
		return fmt.Errorf("look for unpaid orders: %w", err)
	}
	var failures []error
	for _, order := range due {
		ctx := principal.With(ctx, principal.System(order.TenantID, unpaidCanceller))
		// A verdict other than done says that somebody paid or cancelled it first, or that
		// its stock was locked: then it is still due at the next round.
		_, err := s.transitionOne(ctx, plainUnits{s.runner}, order.ID, Cancellation{Reason: "not paid in time"})
		if err != nil {
			failures = append(failures, fmt.Errorf("cancel unpaid order %d: %w", order.ID, err))
		}
	}
	return errors.Join(failures...)
}
