package orders

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
)

// lockPatience is how long an order waits for the locks of what it moves.
const lockPatience = 3 * time.Second

// holder is by which name an order holds its pieces.
func (o *Order) holder() string { return fmt.Sprintf("orders/%d", o.ID) }

// cause is the reference of what an act of an order does to stock or to a wallet: it is
// done once.
func (o *Order) cause(act string) string { return fmt.Sprintf("@orders/%d/%s", o.ID, act) }

// quantities are the pieces of an order by sku.
func (o *Order) quantities() map[string]int64 {
	pieces := make(map[string]int64, len(o.Lines))
	for _, line := range o.Lines {
		pieces[line.SKU] = line.Quantity
	}
	return pieces
}

// lock takes the locks of what a step moves beside the order: stock first, then the
// wallet, which is the order of every unit that takes both. A step that the status
// refuses needs none.
func (s *Service) lock(ctx context.Context, u *uow.Unit, order *Order, step Step) (context.Context, error) {
	action := step.action()
	if !slices.Contains(allowed(order), action) {
		return ctx, nil
	}
	var err error
	if action == "ship" || action == "cancel" {
		skus := make([]string, len(order.Lines))
		for i, line := range order.Lines {
			skus[i] = line.SKU
		}
		if ctx, err = s.stock.Lock(ctx, u, lockPatience, skus...); err != nil {
			return ctx, err
		}
	}
	payment, pays := step.(Payment)
	if pays && payment.Method == fromWallet || action == "cancel" && order.Status == paid.Code {
		return s.wallets.Lock(ctx, u, lockPatience, order.UserID)
	}
	return ctx, nil
}

// explainKept says why a paid order cannot be cancelled, which its status does not.
func explainKept(order *Order, step Step, err error) error {
	var refusal *apperr.Error
	if step.action() == "cancel" && order.Status == paid.Code && errors.As(err, &refusal) && refusal.Code == apperr.TransitionNotAllowed {
		refusal.Detail = fmt.Sprintf("Order %q cannot be cancelled: it was paid outside of this service, and there are no refunds yet by which the money would go back.", order.OrderNo)
	}
	return err
}

// settle moves what hangs on an order that was just moved:
//
//	paid from the wallet              debit the wallet
//	shipped                           take the pieces out of the house
//	cancelled                         return the pieces, to the flash sale that they are
//	                                  from if there is one, and the coupon
//	cancelled, paid from the wallet   credit the wallet
//
// Each happens once: the guarded transition happens once, and so does each reference.
// An order from before there was stock holds no pieces, and none are moved.
func (s *Service) settle(ctx context.Context, u *uow.Unit, before, after *Order) error {
	switch after.Status {
	case paid.Code:
		if after.PaymentMethod == fromWallet && after.Amount > 0 {
			return s.wallets.Debit(ctx, u, after.UserID, after.Amount, "payment", after.cause("pay"))
		}
	case shipped.Code:
		return s.stock.Consume(ctx, u, after.holder(), after.cause("ship"), nil)
	case cancelled.Code:
		return s.undo(ctx, u, before, after)
	}
	return nil
}

// undo gives back what a cancelled order had taken.
func (s *Service) undo(ctx context.Context, u *uow.Unit, before, after *Order) error {
	if err := s.giveBack(ctx, u, after); err != nil {
		return err
	}
	if after.CouponCode != "" {
		if err := s.coupons.ReturnFromOrder(ctx, u, after.CouponCode, after.ID); err != nil {
			return err
		}
	}
	if before.Status == paid.Code && before.PaymentMethod == fromWallet && before.Amount > 0 {
		return s.wallets.Credit(ctx, u, after.UserID, after.Amount, "refund", after.cause("refund"))
	}
	return nil
}
