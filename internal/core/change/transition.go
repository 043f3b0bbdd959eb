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

// Lifecycle declares a resource with a status. T is the model.
type Lifecycle[T any, M Model[T]] struct {
	Rows[T, M]
	Machine *status.Machine
	// State returns the status of a row.
	State func(row M) status.State
	// Allowed returns the actions that are possible for a row now, in the order of the machine; nil
	// if every action that the machine allows is possible.
	Allowed func(row M) []string
	// Edited is set if rows also change without a transition. The last author of a row may then be
	// another user than the one that set its status.
	Edited bool
	// StatusRevision returns the revision that set a row's status, for edited rows that
	// store it; nil to report the last author instead.
	StatusRevision func(row M) Revision
	// Repeated reports whether another unit has already changed the row as the transition would.
	// The unit then runs again on the changed row. Nil means never.
	Repeated func(current M) bool
	// Refused adds members of the resource to a rejection; nil for none.
	Refused func(current M, refusal *apperr.Error)
}

// Transition moves a row that the caller has just read to the next state and returns the
// updated row. write issues the guarded UPDATE to the new state; it returns the updated row
// and does not modify its argument. The caller records the transition.
//
// If the status that was read does not allow the action: TransitionNotAllowed. If another
// caller changed the status between read and write: StatusChanged. If the precondition
// fails: VersionConflict. If only the version changed and the status is the one that was
// read, the unit is run again.
func (l Lifecycle[T, M]) Transition(
	ctx context.Context, u *uow.Unit, row M, action string, ifMatch *guard.Precondition, write func(to status.State) (M, error),
) (M, error) {
	if err := l.CheckPrecondition(row, ifMatch); err != nil {
		return row, err
	}
	from := l.State(row)
	to, possible := l.Machine.Next(action, from)
	if !possible || l.Allowed != nil && !slices.Contains(l.Allowed(row), action) {
		return row, l.Refusal(ctx, row, apperr.TransitionNotAllowed, action)
	}
	after, err := write(to)
	if !errors.Is(err, guard.ErrStale) {
		return after, notFoundIfDeleted(err, l.Label(row))
	}
	if ifMatch != nil {
		return row, l.movedOn(row, *ifMatch)
	}
	return row, uow.Explain(func(ctx context.Context) error {
		current, err := l.readCommitted(ctx, row.Ref().ID)
		if err != nil {
			return notFoundIfDeleted(err, l.Label(row))
		}
		refusal := l.Refusal(ctx, current, apperr.StatusChanged, action)
		if l.State(current) == from || l.Repeated != nil && l.Repeated(current) {
			return uow.Retry(refusal)
		}
		return refusal
	})
}

// CheckPrecondition returns VersionConflict if a precondition is present and fails for the row.
// Transition calls it first; a caller that checks further rules calls it before them.
func (l Lifecycle[T, M]) CheckPrecondition(row M, ifMatch *guard.Precondition) error {
	if ifMatch == nil || ifMatch.Matches(row.Ref()) {
		return nil
	}
	return l.movedOn(row, *ifMatch)
}

// Refusal returns the error for an action that lost a race or that the status does not allow. The
// error contains the last author, the time, and the actions that are possible now.
func (l Lifecycle[T, M]) Refusal(ctx context.Context, current M, code apperr.Code, action string) *apperr.Error {
	return l.Explained(ctx, current, apperr.New(code, "%s cannot be %s: %s.", l.Label(current), l.Machine.Participle(action), l.Cause(current)))
}

// Explained adds to an error the members that the response to every rejected transition contains,
// such as the current row and the actions that are possible for it.
func (l Lifecycle[T, M]) Explained(ctx context.Context, current M, refusal *apperr.Error) *apperr.Error {
	by, at := l.changed(current)
	refusal = refusal.With("current", l.View(ctx, current)).
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

// Cause returns a clause with the author and the time of the current status: "Li cancelled it on
// 2026-11-21 at 10:41 UTC".
func (l Lifecycle[T, M]) Cause(row M) string {
	state := l.State(row)
	by, changed := l.changed(row)
	who, at := by.Name, changed.UTC().Format("on 2006-01-02 at 15:04 UTC")
	if participle, reached := l.Machine.ReachedBy(state); reached && !l.Edited {
		return who + " " + participle + " it " + at
	}
	return "it is " + state.Name + "; " + who + " changed it last, " + at
}

// changed returns author and time of the current status, or of the last change if unknown.
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

// movedOn returns an error that the unit's runner replaces by the conflict response to a stale
// If-Match.
func (l Lifecycle[T, M]) movedOn(row M, ifMatch guard.Precondition) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := l.readCommitted(ctx, row.Ref().ID)
		if err != nil {
			return notFoundIfDeleted(err, l.Label(row))
		}
		return l.Conflict(ctx, current, ifMatch)
	})
}

// Conflict is the error for an action on a version that is not the current one.
func (l Lifecycle[T, M]) Conflict(ctx context.Context, current M, ifMatch guard.Precondition) error {
	c := guard.Conflict{Resource: l.Label(current), Current: current.Stamp(), CurrentView: l.View(ctx, current)}
	if ifMatch.Ref.ID == current.Ref().ID {
		c.Expected = ifMatch.Ref.Version
	}
	return c.Error().With("currentStatus", l.State(current).Name).With("allowedTransitions", l.allowed(current))
}
