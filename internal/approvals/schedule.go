package approvals

import (
	"context"
	"errors"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// maxAhead is the longest time between scheduling a change and its effective time.
const maxAhead = 5 * 366 * 24 * time.Hour

type scheduleKey struct{}

// Scheduling returns a context in which a change is proposed for a time and not applied before,
// protected or not. A nil time returns ctx.
func Scheduling(ctx context.Context, at *time.Time) context.Context {
	if at == nil {
		return ctx
	}
	return context.WithValue(ctx, scheduleKey{}, *at)
}

// Scheduled reports whether the caller schedules the change, so that it has to be proposed even if
// it is not protected.
func Scheduled(ctx context.Context) bool {
	_, scheduling := ctx.Value(scheduleKey{}).(time.Time)
	return scheduling
}

// scheduledFor returns the effective time that the caller requests, nil for none. Errors:
// ValidationFailed for a time that is not in the future; Forbidden for callers that are not users,
// because the change is applied later with the permissions that its author has then.
func scheduledFor(ctx context.Context, now time.Time) (*time.Time, error) {
	at, scheduling := ctx.Value(scheduleKey{}).(time.Time)
	if !scheduling {
		return nil, nil
	}
	if caller, _ := principal.From(ctx); caller.UserID == 0 {
		return nil, apperr.New(apperr.Forbidden, "Only users of this service schedule changes.")
	}
	if violations := checkTime("?effectiveTime", at, now); len(violations) > 0 {
		return nil, apperr.Invalid(violations...)
	}
	return &at, nil
}

func checkTime(pointer string, at, now time.Time) apperr.Fields {
	var violations apperr.Fields
	violations.Check(at.After(now), pointer, "future", "must be in the future")
	violations.Check(at.Before(now.Add(maxAhead)), pointer, "max", "must be within five years")
	return violations
}

// schedule moves an approval with enough votes to scheduled; vote is the last vote, nil if the
// valid votes were already enough.
func (s *Service) schedule(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, vote *Vote) (*Approval, error) {
	return s.decide(ctx, u, a, ifMatch, decision{action: "schedule", reason: a.Reason, vote: vote, check: func() error { return nil }})
}

// asScheduler returns a context that acts as the program on behalf of the author of an approval.
func asScheduler(ctx context.Context, a *Approval) context.Context {
	who := principal.System(a.TenantID, a.AuthorName)
	who.UserID = a.AuthorID
	return principal.With(ctx, who)
}

// reasonToReject returns the reason why a due change with an unchanged base may not be applied: its
// author lost the permission, or too few of its votes count. "" if it may be applied. The result is
// valid until the unit ends.
func (s *Service) reasonToReject(ctx context.Context, u *uow.Unit, a *Approval) (string, error) {
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return "", err
	}
	may, err := s.tenancy.StillMay(ctx, u, []int64{a.AuthorID}, subject.Grants().Write)
	if err != nil {
		return "", err
	}
	if !may[a.AuthorID] {
		return "At its effective time, its author " + a.AuthorName + " was disabled or had lost the permission " + subject.Grants().Write + ".", nil
	}
	if a.Required == 0 {
		return "", nil
	}
	voters := a.approvers()
	if may, err = s.tenancy.StillMay(ctx, u, voters, decidePermission); err != nil {
		return "", err
	}
	counted := 0
	for _, voter := range voters {
		if may[voter] {
			counted++
		}
	}
	if counted < a.Required {
		return "At its effective time, too few of its approvers could still decide.", nil
	}
	return "", nil
}

// isFinal reports whether a rule of the domain has rejected the change, so that a retry would be
// rejected too, and returns the reason. It is false for transient failures.
func isFinal(err error) (sentence string, final bool) {
	var refused *apperr.Error
	if !errors.As(err, &refused) {
		return "", false
	}
	switch refused.Code {
	case apperr.Unavailable, apperr.OutcomeUnknown, apperr.Internal, apperr.ResourceLocked, apperr.RateLimited, apperr.QueueFull, apperr.RequestInProgress:
		return "", false
	}
	return refused.Detail, true
}
