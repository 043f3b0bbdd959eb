package change

import (
	"context"
	"errors"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Lifecycle declares a resource whose rows have a status. T is the model.
type Lifecycle[T any, M Model[T]] struct {
	Rows[T, M]
	Machine *status.Machine
	// State is a row's status.
	State func(row M) status.State
	// Allowed returns the actions that are possible for a row now, in the machine's order,
	// when they are not all that the machine allows; nil when they always are.
	Allowed func(row M) []string
	// Edited is set when rows change in other ways too, so that who changed one last need
	// not be who gave it its status.
	Edited bool
	// StatusRevision is the revision that gave a row its status, of rows that change in other ways too
	// and know it; nil for rows of which who changed them last is to be told.
	StatusRevision func(row M) Revision
	// Repeated reports whether a row that another unit has changed is as the transition would make
	// it, so that the unit runs again and finds it so; nil for never.
	Repeated func(current M) bool
	// Refused adds to a refusal what the resource has to say besides; nil for nothing.
	Refused func(current M, refusal *apperr.Error)
}

// Transition moves a row that the caller was just shown to exist, and returns it as it is
// then. write issues the guarded UPDATE to the new state; it returns the row that it makes
// and leaves the one given as it is. Recording it is for the caller.
//
// Not allowed from the status that was read: TransitionNotAllowed. Changed by somebody else
// between the read and the write: StatusChanged. A precondition that does not hold:
// VersionConflict. When only the version moved on and the status is the one that was read,
// the unit is run again.
func (l Lifecycle[T, M]) Transition(
	ctx context.Context, u *uow.Unit, row M, action string, ifMatch *guard.Precondition, write func(to status.State) (M, error),
) (M, error) {
	if err := l.CheckPrecondition(row, ifMatch); err != nil {
		return row, err
	}
	from := l.State(row)
	to, possible := l.Machine.Next(action, from)
	if !possible || l.Allowed != nil && !slices.Contains(l.Allowed(row), action) {
		return row, l.Refusal(row, apperr.TransitionNotAllowed, action)
	}
	after, err := write(to)
	if !errors.Is(err, guard.ErrStale) {
		return after, notFoundIfGone(err, l.Label(row))
	}
	if ifMatch != nil {
		return row, l.movedOn(row, *ifMatch)
	}
	return row, uow.Explain(func(ctx context.Context) error {
		current, err := l.readCommitted(ctx, row.Ref().ID)
		if err != nil {
			return notFoundIfGone(err, l.Label(row))
		}
		refusal := l.Refusal(current, apperr.StatusChanged, action)
		if l.State(current) == from || l.Repeated != nil && l.Repeated(current) {
			return uow.Retry(refusal)
		}
		return refusal
	})
}

// CheckPrecondition is VersionConflict when a precondition was given that does not hold for the
// row. Transition asks it first; who has rules of its own to ask before Transition asks it
// before them.
func (l Lifecycle[T, M]) CheckPrecondition(row M, ifMatch *guard.Precondition) error {
	if ifMatch == nil || ifMatch.Holds(row.Ref()) {
		return nil
	}
	return l.movedOn(row, *ifMatch)
}

// Refusal is what the loser of a race, or the author of an action that is not possible, is
// told: who changed the row and when, and what is possible now.
func (l Lifecycle[T, M]) Refusal(current M, code apperr.Code, action string) *apperr.Error {
	return l.Explained(current, apperr.New(code, "%s cannot be %s: %s.", l.Label(current), l.Machine.Participle(action), l.Cause(current)))
}

// Explained adds to an error what every refused transition contains: the current row and what is
// possible for it.
func (l Lifecycle[T, M]) Explained(current M, refusal *apperr.Error) *apperr.Error {
	by, at := l.changed(current)
	refusal = refusal.With("current", l.View(current)).
		With("currentVersion", current.Ref().Version).
		With("currentEtag", current.Ref().ETag()).
		With("currentStatus", l.State(current).Name).
		With("allowedTransitions", l.allowed(current)).
		With("changedBy", by).
		With("changedTime", at)
	if l.Refused != nil {
		l.Refused(current, refusal)
	}
	return refusal
}

// Cause says why a row is not in another state: "Li cancelled it on 2026-11-21 at 10:41 UTC".
func (l Lifecycle[T, M]) Cause(row M) string {
	state := l.State(row)
	by, changed := l.changed(row)
	who, at := by.Name, changed.UTC().Format("on 2006-01-02 at 15:04 UTC")
	if participle, reached := l.Machine.ReachedBy(state); reached && !l.Edited {
		return who + " " + participle + " it " + at
	}
	return "it is " + state.Name + "; " + who + " changed it last, " + at
}

// changed is who gave a row its status and when, or where that is not known who changed it last.
func (l Lifecycle[T, M]) changed(row M) (by principal.Person, at time.Time) {
	if _, reached := l.Machine.ReachedBy(l.State(row)); reached && l.StatusRevision != nil {
		reached := l.StatusRevision(row)
		return reached.By(), reached.ChangedTime
	}
	stamp := row.Stamp()
	return stamp.UpdatedBy, stamp.UpdatedTime
}

// allowed returns the actions that are possible for a row now.
func (l Lifecycle[T, M]) allowed(row M) []string {
	if l.Allowed != nil {
		return l.Allowed(row)
	}
	return l.Machine.Allowed(l.State(row))
}

// movedOn answers a transition whose If-Match does not hold.
func (l Lifecycle[T, M]) movedOn(row M, ifMatch guard.Precondition) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := l.readCommitted(ctx, row.Ref().ID)
		if err != nil {
			return notFoundIfGone(err, l.Label(row))
		}
		return l.Conflict(current, ifMatch)
	})
}

// Conflict is what the author of an act on another version than the current one is told.
func (l Lifecycle[T, M]) Conflict(current M, ifMatch guard.Precondition) error {
	c := guard.Conflict{Resource: l.Label(current), Current: current.Stamp(), CurrentView: l.View(current)}
	if ifMatch.Ref.ID == current.Ref().ID {
		c.Expected = ifMatch.Ref.Version
	}
	return c.Error().With("currentStatus", l.State(current).Name).With("allowedTransitions", l.allowed(current))
}
