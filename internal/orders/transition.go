package orders

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Step is a transition with what it brings: a Payment, a Shipment, a Completion or a
// Cancellation, each in the file of its name.
type Step interface {
	// action is what the machine calls it.
	action() string
	// check returns the fields that break a rule.
	check() apperr.Fields
	// possible is the error of a step that the order's status allows and its units or amounts do
	// not; nil if it is possible.
	possible(order *Order) *apperr.Error
	// prepare changes in the unit what the step takes over, before the order is written, and
	// subtracts it from the order's amounts.
	prepare(ctx context.Context, u *uow.Unit, s *Service, order *Order) error
	// fill puts what the step brings into the order.
	fill(order *Order)
	// locks says what the step changes beside the order.
	locks(order *Order) locks
	// apply changes that, in the order's unit. Each effect happens once, because the guarded
	// transition does, and because each has a reference.
	apply(ctx context.Context, u *uow.Unit, s *Service, before, after *Order) error
}

// locks are those that a step needs: of the stock of the order's items, and of its user's
// wallet.
type locks struct{ stock, wallet bool }

// lockWait is how long an order waits for the locks of what it changes.
const lockWait = 3 * time.Second

// Transition moves an order that was just read, and what the step changes beside it, in one
// unit; see change.Lifecycle for what is refused. A payment that the order has already is returned
// as it is. Errors, besides: ValidationFailed; PayloadMismatch when the payment's reference paid
// another order; InsufficientBalance; lock.ErrNotAcquired when stock or wallet were not had in time.
func (s *Service) Transition(ctx context.Context, u *uow.Unit, order *Order, step Step, ifMatch *guard.Precondition) (*Order, error) {
	if err := s.lifecycle().CheckPrecondition(order, ifMatch); err != nil {
		return nil, err
	}
	if broken := step.check(); len(broken) > 0 {
		return nil, apperr.Invalid(broken...)
	}
	if repeats(step, order) {
		return order, nil
	}
	if refusal := step.possible(order); refusal != nil {
		return nil, s.impossible(order, refusal)
	}
	ctx, err := s.lock(ctx, u, order, step)
	if err != nil {
		return nil, err
	}
	lifecycle := s.lifecycle()
	lifecycle.Repeated = func(current *Order) bool { return repeats(step, current) }
	after, err := lifecycle.Transition(ctx, u, order, step.action(), ifMatch, func(to status.State) (*Order, error) {
		after := *order
		after.Status, after.PaymentDue = to.Code, nil
		if err := step.prepare(ctx, u, s, &after); err != nil {
			return nil, err
		}
		step.fill(&after)
		err := updateStatus(ctx, u, order, &after)
		if storage.IsDuplicate(err, "uq_orders_payment") {
			paid := after.payment()
			return nil, lifecycle.ReferenceTaken(paid.Reference, "payment_method = ? AND payment_reference = ?", paid.Method, paid.Reference)
		}
		if err != nil {
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
	if err := insertHistory(ctx, u, after, step.action(), &order.Status, step); err != nil {
		return nil, err
	}
	s.record(u, step.action(), after, map[string]any{
		"version": after.Version, "from": Machine.Of(order.Status).Name, "to": Machine.Of(after.Status).Name, "detail": step,
	})
	return after, nil
}

// impossible explains why a step is not possible for an order that was just read. Its row and its
// lines are read one after the other: if its version is another one by now, the unit runs again.
func (s *Service) impossible(order *Order, refusal *apperr.Error) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := s.Order(ctx, order.ID)
		switch {
		case err != nil:
			return err
		case current.Version != order.Version:
			return uow.Overtaken("order")
		}
		return s.lifecycle().Explained(current, refusal)
	})
}

// lock takes the locks of what a step changes beside the order: stock first, then the
// wallet, which is the order of every unit that takes both. A step that the status
// refuses needs none.
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
			DB: s.db, Label: (*Order).Label, View: func(order *Order) any { return viewOf(*order) }, Find: find,
		},
		Machine: Machine,
		State:   func(order *Order) status.State { return Machine.Of(order.Status) },
		Allowed: (*Order).Allowed,
	}
}

// required adds the place of a text that is missing, and reports whether it is there.
func required(broken *apperr.Fields, pointer, text string) bool {
	broken.Check(text != "", pointer, "required", "is required")
	return text != ""
}

// atMost adds the place of a text that is too long.
func atMost(broken *apperr.Fields, pointer, text string, characters int) {
	broken.Check(utf8.RuneCountInString(text) <= characters, pointer, "max", fmt.Sprintf("must have at most %d characters", characters))
}
