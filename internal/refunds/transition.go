package refunds

import (
	"context"
	"errors"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/orders"
)

// Step is a transition with its fields: an Approval, a Rejection, a Settlement, a Failure or an
// UnknownOutcome.
type Step interface {
	// action returns the name of the step's action in Machine.
	action() string
	// fill sets the step's fields of the refund. Errors: Forbidden.
	fill(caller principal.Principal, now time.Time, r *Refund) error
	// settles reports whether the step repays the money.
	settles(r *Refund) bool
	// apply makes the step's other changes (order, wallet, stock) in the refund's unit, and returns
	// the changed refund.
	apply(ctx context.Context, u *uow.Unit, s *Service, before, after *Refund) (*Refund, error)
}

// lockWait bounds the wait of a refund for the locks of the wallet and the stock.
const lockWait = 3 * time.Second

// Transition applies a step to a refund that was just read, in one unit; see change.Lifecycle for
// its errors. The approval of a refund above the tenant's threshold is proposed instead: the refund
// is returned unchanged, and the unit responds with the approval. A repeated settlement returns the
// refund unchanged. More errors: ValidationFailed; PayloadMismatch if another refund has the
// settlement's reference; Forbidden if the caller requested the refund; lock.ErrNotAcquired if
// wallet or stock were locked for too long.
func (s *Service) Transition(ctx context.Context, u *uow.Unit, refund *Refund, step Step, ifMatch *guard.Precondition) (*Refund, error) {
	if err := s.lifecycle().CheckPrecondition(refund, ifMatch); err != nil {
		return nil, err
	}
	if err := httpapi.Validate(step); err != nil {
		return nil, err
	}
	if repeats(step, refund) {
		return refund, nil
	}
	ctx, err := s.lock(ctx, u, refund, step)
	if err != nil {
		return nil, err
	}
	lifecycle := s.lifecycle()
	lifecycle.Repeated = func(current *Refund) bool { return repeats(step, current) }
	var named bool
	after, err := lifecycle.Transition(ctx, u, refund, step.action(), ifMatch, func(to status.State) (after *Refund, err error) {
		after, named, err = s.updateByStep(ctx, u, refund, step, to)
		return after, err
	})
	if errors.Is(err, errProposed) {
		return refund, nil
	}
	if err != nil {
		return nil, err
	}
	if after, err = s.finish(ctx, u, refund, after, step, named); err != nil {
		return nil, s.unreservable(refund, err)
	}
	return after, nil
}

// updateByStep writes the status of a step, and reports whether approvals may name the refund.
func (s *Service) updateByStep(ctx context.Context, u *uow.Unit, refund *Refund, step Step, to status.State) (_ *Refund, named bool, err error) {
	caller, _ := principal.From(ctx)
	after := *refund
	after.Status, after.StatusReason = to.Code, ""
	if err := step.fill(caller, u.Now(), &after); err != nil {
		return nil, false, err
	}
	if named, err = s.updateStatus(ctx, u, refund, &after); err != nil {
		return nil, false, err
	}
	return &after, named, guard.Advance(ctx, u, &after)
}

// finish makes the step's other changes, records them, and makes the approvals that name the
// refund stale.
func (s *Service) finish(ctx context.Context, u *uow.Unit, refund, after *Refund, step Step, named bool) (*Refund, error) {
	if err := insertHistory(ctx, u, after, step.action(), &refund.Status, step); err != nil {
		return nil, err
	}
	after, err := step.apply(ctx, u, s, refund, after)
	if err != nil {
		return nil, err
	}
	if named {
		if err := s.approvals.MarkStale(ctx, u, refund.path()); err != nil {
			return nil, err
		}
	}
	s.record(u, step.action(), after, map[string]any{
		"version": after.Version, "from": Machine.Of(refund.Status).Name, "to": Machine.Of(after.Status).Name, "detail": step,
	})
	return after, nil
}

// lock acquires the locks of a step, stock before wallet, which is the order of every unit with both.
func (s *Service) lock(ctx context.Context, u *uow.Unit, refund *Refund, step Step) (context.Context, error) {
	if _, possible := Machine.Next(step.action(), Machine.Of(refund.Status)); !possible || !step.settles(refund) {
		return ctx, nil
	}
	var err error
	if skus := refund.restockedSKUs(); len(skus) > 0 {
		if ctx, err = s.stock.Lock(ctx, u, lockWait, skus...); err != nil {
			return ctx, err
		}
	}
	if refund.byWallet() {
		return s.wallets.Lock(ctx, u, lockWait, refund.UserID)
	}
	return ctx, nil
}

// payOut settles a refund: the reserved amount of the order and the payment becomes refunded, a wallet is credited, and
// the units of the lines with restock return to stock.
func (s *Service) payOut(ctx context.Context, u *uow.Unit, refund *Refund) error {
	move := orders.RefundMove{Action: orders.RefundSettled, PaymentID: refund.PaymentID, Reserved: -refund.Amount, Refunded: refund.Amount, Detail: detailOf(refund)}
	order, err := s.moveWithLines(ctx, u, refund, move, func(line Line) orders.LineMove {
		return orders.LineMove{InRefund: -line.Unshipped, Returned: line.returnedGoods()}
	})
	if err != nil {
		return err
	}
	if err := s.restock(ctx, u, order, refund); err != nil {
		return err
	}
	if refund.byWallet() {
		return s.wallets.Refund(ctx, u, refund.UserID, refund.Amount, refund.reference())
	}
	return nil
}

// moveWithLines changes the refund amounts of a refund's order, and the units of the refund's lines
// with restock. The cancellation of an order has already returned its unshipped units.
func (s *Service) moveWithLines(
	ctx context.Context, u *uow.Unit, refund *Refund, move orders.RefundMove, ofLine func(line Line) orders.LineMove,
) (*orders.Order, error) {
	if moves := refund.moves(ofLine); len(moves) > 0 {
		order, err := s.orders.InUnit(ctx, u, refund.OrderID)
		if err != nil {
			return nil, err
		}
		if move.Seen = order; !order.Cancelled() {
			move.Lines = moves
		}
	}
	return s.orders.MoveRefund(ctx, u, refund.OrderID, move)
}

// restock returns the units of the lines with restock to stock, under the refund's reference.
func (s *Service) restock(ctx context.Context, u *uow.Unit, order *orders.Order, refund *Refund) error {
	if order.Cancelled() {
		return nil
	}
	unshipped, returned := refund.restocked()
	if len(unshipped) > 0 {
		if err := s.stock.Return(ctx, u, order.Holder(), refund.reference(), unshipped); err != nil {
			return err
		}
	}
	if len(returned) == 0 {
		return nil
	}
	reference := refund.reference()
	if len(unshipped) > 0 {
		// An item may be in both maps, and has one movement per reference.
		reference += "/returned"
	}
	return s.stock.ReturnToStock(ctx, u, order.Holder(), reference, returned)
}

// release ends the reservation of a refund on its order, and returns its unshipped units to the
// order's ToShip. A refund of a cancelled order retains its reservation.
func (s *Service) release(ctx context.Context, u *uow.Unit, refund *Refund) error {
	order, err := s.orders.InUnit(ctx, u, refund.OrderID)
	if err != nil || order.Cancelled() {
		return err
	}
	_, err = s.orders.MoveRefund(ctx, u, refund.OrderID, orders.RefundMove{
		Action: orders.RefundReleased, PaymentID: refund.PaymentID, Reserved: -refund.Amount, Seen: order, Detail: detailOf(refund),
		Lines: refund.moves(func(line Line) orders.LineMove {
			return orders.LineMove{ToShip: line.Unshipped, InRefund: -line.Unshipped}
		}),
	})
	return err
}

// detailOf returns the detail of an order's history row for a refund.
func detailOf(refund *Refund) any {
	return map[string]any{"refundId": refund.ID, "amount": refund.Amount}
}

// lifecycle declares refunds to package change.
func (s *Service) lifecycle() change.Lifecycle[Refund, *Refund] {
	return change.Lifecycle[Refund, *Refund]{
		Rows: change.Rows[Refund, *Refund]{
			DB: s.db, Label: (*Refund).Label, View: func(ctx context.Context, r *Refund) any { return viewOf(ctx, *r) }, Find: find,
		},
		Machine: Machine,
		State:   func(r *Refund) status.State { return Machine.Of(r.Status) },
		Allowed: (*Refund).allowed,
	}
}

// isUnreservable reports whether the amount or the units of a failed refund cannot be reserved
// again, because other refunds have reserved them.
func isUnreservable(err error) bool {
	return errors.Is(err, orders.ErrNotRefundable) || errors.Is(err, errTooManyUnits)
}

// unreservable converts an error for which isUnreservable is true to TransitionNotAllowed, and
// returns other errors unchanged.
func (s *Service) unreservable(refund *Refund, cause error) error {
	if !isUnreservable(cause) {
		return cause
	}
	return uow.Explain(func(ctx context.Context) error {
		current, err := s.Refund(ctx, refund.ID)
		if err != nil {
			return err
		}
		refusal := s.lifecycle().Refusal(ctx, current, apperr.TransitionNotAllowed, "approve")
		refusal.Detail = apperr.New(refusal.Code, "%s cannot be approved again: after it failed, other refunds of the order were requested, and too little of the payment is left.", refund.Label()).Detail
		return refusal
	})
}
