package orders

import (
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
)

// Completion ends an order that has arrived and is paid. It changes no amounts and no units.
type Completion struct{}

func (Completion) action() string     { return "complete" }
func (Completion) locks(*Order) locks { return locks{} }

// possible returns TransitionNotAllowed for an order with an amount due.
func (Completion) possible(o *Order) *apperr.Error {
	if due := o.Due(); due > 0 {
		return apperr.New(apperr.TransitionNotAllowed, "Of its amount, %d is due. Record the payment first.", due)
	}
	return nil
}

func (Completion) prepare(_ context.Context, u *uow.Unit, _ *Service, order *Order) error {
	now := u.Now()
	order.CompletedTime = &now
	return nil
}

func (c Completion) event(*Order) (verb string, detail any) { return c.action(), c }

func (Completion) apply(context.Context, *uow.Unit, *Service, *Order, *Order) error { return nil }
