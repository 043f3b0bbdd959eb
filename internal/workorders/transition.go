package workorders

import (
	"context"
	"fmt"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Transition applies a step to a work order that was just read; see change.Lifecycle for its
// errors. A holder's step on an open work order claims it first, in the same unit. More errors:
// ValidationFailed; TransitionNotAllowed for a holder's step by another user without
// assignPermission. Errors name the holder.
func (s *Service) Transition(ctx context.Context, u *uow.Unit, order *WorkOrder, step Step, ifMatch *guard.Precondition) (*WorkOrder, error) {
	caller, _ := principal.From(ctx)
	unable, err := s.unableHolders(ctx, *order)
	if err != nil {
		return nil, err
	}
	lifecycle := s.lifecycle(unable)
	if err := lifecycle.CheckPrecondition(order, ifMatch); err != nil {
		return nil, err
	}
	person, err := s.userOf(ctx, step, caller)
	if err != nil {
		return nil, err
	}
	from := order
	if Machine.Of(order.Status) == opened && step.ofHolder() && step.Action() != "release" {
		if order, err = s.applyStep(ctx, u, lifecycle, order, Claim{}, caller.Person(), ifMatch); err != nil {
			return nil, err
		}
		ifMatch = nil
	}
	if step.ofHolder() && Machine.Of(order.Status) == claimed && !order.heldBy(caller.UserID) && !caller.May(assignPermission) && !order.orphaned(unable) {
		return nil, lifecycle.Refusal(ctx, order, apperr.TransitionNotAllowed, step.Action())
	}
	after, err := s.applyStep(ctx, u, lifecycle, order, step, person, ifMatch)
	if err != nil {
		return nil, err
	}
	detail := s.flow.Detail(from, after, step)
	detail["holder"] = after.HolderID
	s.flow.Record(u, step.Action(), after, detail)
	return after, nil
}

// userOf returns the user that a step names, or the caller. Errors: ValidationFailed.
func (s *Service) userOf(ctx context.Context, step Step, caller principal.Principal) (principal.Person, error) {
	if err := httpapi.Validate(step); err != nil {
		return principal.Person{}, err
	}
	if step.names() == 0 {
		return caller.Person(), nil
	}
	person, exists, err := s.people.Person(ctx, step.names())
	if err != nil {
		return person, err
	}
	unable, err := s.people.UnableAmong(ctx, ReadPermission, step.names())
	if err == nil && (!exists || len(unable) > 0) {
		err = apperr.Invalid(apperr.Field{Pointer: "/userId", Code: "not_a_user", Message: "names no user who could work on it: there is none, or the user is disabled or may not read work orders"})
	}
	return person, err
}

// applyStep makes one transition and inserts it into the history.
func (s *Service) applyStep(
	ctx context.Context, u *uow.Unit, lifecycle change.Lifecycle[WorkOrder, *WorkOrder], order *WorkOrder, step Step, person principal.Person, ifMatch *guard.Precondition,
) (*WorkOrder, error) {
	return s.flow.Move(ctx, u, lifecycle, order, step.Action(), ifMatch, step, func(after *WorkOrder) guard.Set {
		step.fill(after, person, u.Now())
		return holding(after)
	})
}

// Next claims for the caller the oldest work order of the highest priority that is open or has an
// unable holder. A lock serves callers in order; the guarded UPDATE ensures safety: if the lock is
// lost and another caller has claimed the candidate, the next one is tried. Errors: NotFound if
// none is offered; lock.ErrNotAcquired.
func (s *Service) Next(ctx context.Context, u *uow.Unit) (*WorkOrder, error) {
	caller, _ := principal.From(ctx)
	holders, err := s.holders(ctx)
	if err != nil {
		return nil, err
	}
	unable, err := s.people.UnableAmong(ctx, ReadPermission, holders...)
	if err != nil {
		return nil, err
	}
	if ctx, err = u.Lock(ctx, lockWait, fmt.Sprintf("work-orders:%d", caller.TenantID)); err != nil {
		return nil, err
	}
	offered, err := candidates(ctx, u, unable)
	if err != nil {
		return nil, err
	}
	for i := range offered {
		order := &offered[i]
		after, err := s.flow.Write(ctx, u, order, "claim", Claim{}, func(after *WorkOrder) guard.Set {
			after.setHolder(caller.Person(), u.Now())
			return holding(after)
		})
		if hasChanged(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s.flow.Record(u, "claim", after, map[string]any{
			"version": after.Version, "from": Machine.Of(order.Status).Name, "to": claimed.Name, "holder": after.HolderID, "next": true,
		})
		return after, nil
	}
	if len(offered) == 0 {
		return nil, apperr.New(apperr.NotFound, "No work order is waiting.")
	}
	return nil, uow.Overtaken("work orders")
}

// unableHolders returns the holders of these work orders who are disabled or may not read work
// orders.
func (s *Service) unableHolders(ctx context.Context, list ...WorkOrder) ([]int64, error) {
	var holders []int64
	for _, order := range list {
		if order.Status == claimed.Code && order.HolderID != nil && !slices.Contains(holders, *order.HolderID) {
			holders = append(holders, *order.HolderID)
		}
	}
	if len(holders) == 0 {
		return nil, nil
	}
	return s.people.UnableAmong(ctx, ReadPermission, holders...)
}

// lifecycle declares work orders to package change; unable are the users who cannot have them.
func (s *Service) lifecycle(unable []int64) change.Lifecycle[WorkOrder, *WorkOrder] {
	l := s.flow.Lifecycle()
	l.View = func(_ context.Context, w *WorkOrder) any { return viewOf(*w, unable) }
	l.Allowed = func(w *WorkOrder) []string { return allowed(w, unable) }
	// Comments increment the version too.
	l.Edited = true
	l.Refused = func(w *WorkOrder, rejection *apperr.Error) {
		rejection.With("holder", holderOf(*w))
		if w.Status == claimed.Code && w.HeldTime != nil {
			rejection.Detail = apperr.New(rejection.Code, "%s has been held by %s since %s.",
				w.Label(), w.HolderName, w.HeldTime.UTC().Format("2006-01-02 at 15:04 UTC")).Detail
		}
	}
	return l
}
