package change

import (
	"context"
	"errors"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Movable is what a domain says about rows that have a status. M is a pointer to
// the model.
type Movable[M guard.Versioned] interface {
	Machine() *status.Machine
	// Label names the row for people: `order "A17"`.
	Label(row M) string
	// View is the row's representation.
	View(row M) any
	// State is the row's status.
	State(row M) status.State
	// Fetch reads the row as it is committed now.
	Fetch(ctx context.Context, id int64) (M, error)
	// Move issues the guarded UPDATE and returns the row that it makes; the row
	// given is not changed.
	Move(ctx context.Context, u *uow.Unit, row M, to status.State, set guard.Set) (M, error)
}

// Selective is implemented by a Movable of whose rows some cannot take every action
// that the machine allows from their status.
type Selective[M guard.Versioned] interface {
	// Allowed returns the actions that are possible for the row now, in the machine's
	// order.
	Allowed(row M) []string
}

// allowed returns the actions that are possible for a row now.
func allowed[M guard.Versioned](res Movable[M], row M) []string {
	if selective, ok := res.(Selective[M]); ok {
		return selective.Allowed(row)
	}
	return res.Machine().Allowed(res.State(row))
}

// next returns where an action leads from the row's status.
func next[M guard.Versioned](res Movable[M], row M, action string) (status.State, bool) {
	to, ok := res.Machine().Next(action, res.State(row))
	if selective, chooses := res.(Selective[M]); ok && chooses {
		ok = slices.Contains(selective.Allowed(row), action)
	}
	return to, ok
}

// Step is one caller's transition of one row.
type Step struct {
	Action string
	// IfMatch is optional; it must hold when it is given.
	IfMatch *guard.Precondition
	// Set is what the transition sets beside the status.
	Set guard.Set
}

// Take moves a row that the caller was just shown to exist, and returns it as it
// is then. Recording it is for the caller.
//
// Not allowed from the status that was read: TransitionNotAllowed. Moved by
// somebody else between the read and the write: StatusChanged. When only the
// version moved on and the status is the one that was read, the unit is run again.
func Take[M guard.Versioned](ctx context.Context, u *uow.Unit, res Movable[M], row M, step Step) (M, error) {
	if err := Demand(res, row, step.IfMatch); err != nil {
		return row, err
	}
	from := res.State(row)
	to, possible := next(res, row, step.Action)
	if !possible {
		return row, Refusal(res, row, apperr.TransitionNotAllowed, step.Action)
	}
	after, err := res.Move(ctx, u, row, to, step.Set)
	if !errors.Is(err, guard.ErrStale) {
		return after, goneOr(err, res.Label(row))
	}
	if step.IfMatch != nil {
		return row, movedOn(res, row, *step.IfMatch)
	}
	return row, uow.Explain(func(ctx context.Context) error {
		current, err := res.Fetch(ctx, row.Ref().ID)
		if err != nil {
			return goneOr(err, res.Label(row))
		}
		if res.State(current) == from {
			return uow.Again(Refusal(res, current, apperr.StatusChanged, step.Action))
		}
		return Refusal(res, current, apperr.StatusChanged, step.Action)
	})
}

// Demand is VersionConflict when a precondition was given that does not hold for the
// row. Take asks it first; who has rules of its own to ask before Take asks it before
// them.
func Demand[M guard.Versioned](res Movable[M], row M, ifMatch *guard.Precondition) error {
	if ifMatch == nil || ifMatch.Holds(row.Ref()) {
		return nil
	}
	return movedOn(res, row, *ifMatch)
}

// Refusal is what the loser of a race, or the author of a step that is not
// possible, is told: who changed it and when, and what is possible now.
func Refusal[M guard.Versioned](res Movable[M], current M, code apperr.Code, action string) *apperr.Error {
	state, stamp := res.State(current), current.Stamp()
	return apperr.New(code, "%s cannot %s: it is %s since %s changed it.", res.Label(current), action, state.Name, stamp.UpdatedBy.Name).
		With("current", res.View(current)).
		With("currentStatus", state.Name).
		With("allowedTransitions", allowed(res, current)).
		With("changedBy", stamp.UpdatedBy).
		With("changedTime", stamp.UpdatedTime)
}

// movedOn answers a transition whose If-Match does not hold.
func movedOn[M guard.Versioned](res Movable[M], row M, ifMatch guard.Precondition) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := res.Fetch(ctx, row.Ref().ID)
		if err != nil {
			return goneOr(err, res.Label(row))
		}
		c := guard.Conflict{Resource: res.Label(current), Current: current.Stamp(), CurrentView: res.View(current)}
		if ifMatch.Ref.ID == current.Ref().ID {
			c.Expected = ifMatch.Ref.Version
		}
		state := res.State(current)
		return c.Error().With("currentStatus", state.Name).With("allowedTransitions", allowed(res, current))
	})
}
