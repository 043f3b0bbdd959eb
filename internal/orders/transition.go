package orders

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Step is a transition with what it brings: a Payment, a Shipment, a Completion or a
// Cancellation, each in the file of its name.
type Step interface {
	// action is what the machine calls it.
	action() string
	// check returns the places that break a rule.
	check() apperr.Fields
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
// unit; see change.Lifecycle for what is refused. Errors, besides: ValidationFailed;
// InsufficientBalance; lock.ErrNotAcquired when stock or wallet were not had in time.
func (s *Service) Transition(ctx context.Context, u *uow.Unit, order *Order, step Step, ifMatch *guard.Precondition) (*Order, error) {
	if err := s.lifecycle().CheckPrecondition(order, ifMatch); err != nil {
		return nil, err
	}
	if broken := step.check(); len(broken) > 0 {
		return nil, apperr.Invalid(broken...)
	}
	ctx, err := s.lock(ctx, u, order, step)
	if err != nil {
		return nil, err
	}
	after, err := s.lifecycle().Transition(ctx, u, order, step.action(), ifMatch, func(to status.State) (*Order, error) {
		after := *order
		after.Status, after.PaymentDue = to.Code, nil
		step.fill(&after)
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
	if err := insertHistory(ctx, u, after, step.action(), &order.Status, step); err != nil {
		return nil, err
	}
	s.record(u, step.action(), after, map[string]any{
		"version": after.Version, "from": Machine.Of(order.Status).Name, "to": Machine.Of(after.Status).Name, "detail": step,
	})
	return after, nil
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
