package orders

import (
	"context"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Step is a transition with its fields: a Payment, a Shipment, a Completion or a Cancellation, each
// in the file of its name.
type Step interface {
	// action returns the name of the step's action in Machine.
	action() string
	// possible returns the error of a step that the order's status allows but its units or amounts
	// do not; nil if it is possible. The detail of a TransitionNotAllowed is the reason with the
	// next step.
	possible(order *Order) *apperr.Error
	// prepare rejects the refunds that the step supersedes, before the order is written, and sets the
	// order's amounts, units, times and texts.
	prepare(ctx context.Context, u *uow.Unit, s *Service, order *Order) error
	// locks returns the locks that the step needs.
	locks(order *Order) locks
	// apply makes the step's other changes, in the order's unit. Each change happens once: the
	// guarded transition happens once, and each change has an idempotency reference.
	apply(ctx context.Context, u *uow.Unit, s *Service, before, after *Order) error
	// event returns the verb and the detail of the applied step in the order's history.
	event(after *Order) (verb string, detail any)
}

// locks are the locks of a step: of the stock of the order's items, and of its user's wallet.
type locks struct{ stock, wallet bool }

// lockWait bounds the wait of an order for its locks.
const lockWait = 3 * time.Second

// Transition applies a step to an order that was just read, with the step's other changes, in one
// unit; see change.Lifecycle for its errors. A repeated payment returns the order unchanged. A
// shipment that leaves units does not change the status; its retry reads the order again under the
// locks, so that concurrent shipments succeed one after the other.
//
// More errors: ValidationFailed; NothingToShip; PayloadMismatch if the payment's reference paid
// another order; InsufficientBalance; lock.ErrNotAcquired if stock or wallet were locked for too long.
func (s *Service) Transition(ctx context.Context, u *uow.Unit, order *Order, step Step, ifMatch *guard.Precondition) (*Order, error) {
	if err := s.lifecycle().CheckPrecondition(order, ifMatch); err != nil {
		return nil, err
	}
	if err := httpapi.Validate(step); err != nil {
		return nil, err
	}
	if repeats(step, order) {
		if order.applied() != order.Paid {
			return nil, uow.Overtaken("order")
		}
		return order, nil
	}
	if err := s.checkPossible(order, step); err != nil {
		return nil, err
	}
	ctx, err := s.lock(ctx, u, order, step)
	if _, ships := step.(Shipment); err == nil && ships && u.Attempt() > 1 {
		if order, err = s.Order(ctx, order.ID); err == nil {
			err = s.checkPossible(order, step)
		}
	}
	if err != nil {
		return nil, err
	}
	lifecycle := s.lifecycle()
	lifecycle.Repeated = func(current *Order) bool { return repeats(step, current) }
	after, err := lifecycle.Transition(ctx, u, order, step.action(), ifMatch, func(to status.State) (*Order, error) {
		after := *order
		if err := step.prepare(ctx, u, s, &after); err != nil {
			return nil, err
		}
		if after.reaches(to) {
			after.Status = to.Code
		}
		if err := updateStatus(ctx, u, order, &after); err != nil {
			return nil, err
		}
		return &after, guard.Advance(ctx, u, &after)
	})
	if err != nil {
		return nil, err
	}
	if err := step.apply(ctx, u, s, order, after); err != nil {
		return nil, err
	}
	verb, detail := step.event(after)
	return after, s.recordStep(ctx, u, order, after, verb, detail)
}

// recordStep writes history and audit of a step.
func (s *Service) recordStep(ctx context.Context, u *uow.Unit, before, after *Order, action string, detail any) error {
	if err := insertHistory(ctx, u, after, action, &before.Status, detail); err != nil {
		return err
	}
	s.record(u, action, after, map[string]any{
		"version": after.Version, "from": Machine.Of(before.Status).Name, "to": Machine.Of(after.Status).Name, "detail": detail,
	})
	return nil
}

// checkPossible returns the error of a step that the status of an order allows but its units or
// amounts do not; nil for other steps.
func (s *Service) checkPossible(order *Order, step Step) error {
	if _, allowed := Machine.Next(step.action(), Machine.Of(order.Status)); !allowed {
		return nil
	}
	rejection := step.possible(order)
	if rejection == nil {
		return nil
	}
	return s.impossible(order, step.action(), rejection)
}

// impossible explains why a step is not possible for an order that was just read, its row and its
// lines by separate statements: if the order has a newer version, the unit is retried.
func (s *Service) impossible(order *Order, action string, rejection *apperr.Error) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := s.Order(ctx, order.ID)
		switch {
		case err != nil:
			return err
		case current.Version != order.Version:
			return uow.Overtaken("order")
		case rejection.Code == apperr.ValidationFailed:
			return rejection
		case rejection.Code == apperr.TransitionNotAllowed:
			refusal := s.lifecycle().Refusal(ctx, current, rejection.Code, action)
			refusal.Detail += " " + rejection.Detail
			return refusal
		}
		return s.lifecycle().Explained(ctx, current, rejection)
	})
}

// lock acquires the locks of a step, stock before wallet, which is the order of every unit with
// both. A step that the status does not allow needs none.
func (s *Service) lock(ctx context.Context, u *uow.Unit, order *Order, step Step) (context.Context, error) {
	if _, possible := Machine.Next(step.action(), Machine.Of(order.Status)); !possible {
		return ctx, nil
	}
	needed := step.locks(order)
	var err error
	if needed.stock {
		skus := make([]string, len(order.Lines))
		for i, line := range order.Lines {
			skus[i] = line.SKU
		}
		if ctx, err = s.stock.Lock(ctx, u, lockWait, skus...); err != nil {
			return ctx, err
		}
	}
	if needed.wallet {
		return s.wallets.Lock(ctx, u, lockWait, order.UserID)
	}
	return ctx, nil
}

// lifecycle declares orders to package change.
func (s *Service) lifecycle() change.Lifecycle[Order, *Order] {
	return change.Lifecycle[Order, *Order]{
		Rows: change.Rows[Order, *Order]{
			DB: s.db, Label: (*Order).Label, View: func(ctx context.Context, order *Order) any { return viewOf(ctx, *order) }, Find: find,
		},
		Machine: Machine,
		State:   func(order *Order) status.State { return Machine.Of(order.Status) },
		Allowed: (*Order).Allowed,
		Edited:  true, // by refunds and partial shipments
	}
}
