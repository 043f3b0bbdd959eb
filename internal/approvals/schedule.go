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

// farthest is how far ahead a change can be scheduled.
const farthest = 5 * 366 * 24 * time.Hour

type scheduleKey struct{}

// Scheduling returns a context in which a change is proposed, to be made at a time and not
// before, whether what it changes is protected or not. nil changes nothing.
func Scheduling(ctx context.Context, at *time.Time) context.Context {
	if at == nil {
		return ctx
	}
	return context.WithValue(ctx, scheduleKey{}, *at)
}

// Scheduled reports whether the caller schedules their change, so that it is to be proposed
// whatever it changes.
func Scheduled(ctx context.Context) bool {
	_, scheduling := ctx.Value(scheduleKey{}).(time.Time)
	return scheduling
}

// scheduledFor is when the caller wants their change to be made, nil for as soon as it may.
// Errors: ValidationFailed for a time that is not ahead; Forbidden for who is no user, since
// what is made later is made with the rights that its author has then.
func scheduledFor(ctx context.Context, now time.Time) (*time.Time, error) {
	at, scheduling := ctx.Value(scheduleKey{}).(time.Time)
	if !scheduling {
		return nil, nil
	}
	if caller, _ := principal.From(ctx); caller.UserID == 0 {
		return nil, apperr.New(apperr.Forbidden, "Changes are scheduled by users of this service.")
	}
	if broken := checkTime("?effectiveTime", at, now); len(broken) > 0 {
		return nil, apperr.Invalid(broken...)
	}
	return &at, nil
}

func checkTime(pointer string, at, now time.Time) apperr.Fields {
	var broken apperr.Fields
	broken.Check(at.After(now), pointer, "future", "must be in the future")
	broken.Check(at.Before(now.Add(farthest)), pointer, "max", "must be within five years")
	return broken
}

// schedule makes an approval that has its votes scheduled; vote is the last of them, nil when the
// valid votes were enough already.
func (s *Service) schedule(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, vote *Vote) (*Approval, error) {
	return s.decide(ctx, u, a, ifMatch, decision{action: "schedule", reason: a.Reason, vote: vote, check: func() error { return nil }})
}

// asScheduler is a context that acts as the program on behalf of the author of an approval.
func asScheduler(ctx context.Context, a *Approval) context.Context {
	who := principal.System(a.TenantID, a.AuthorName)
	who.UserID = a.AuthorID
	return principal.With(ctx, who)
}

// whyRefused says why the change of an approval may not be made although it is due and its base
// is unchanged: its author may not make it any more, or too few of its votes count. "" if it
// may. The answer holds until the unit has ended.
func (s *Service) whyRefused(ctx context.Context, u *uow.Unit, a *Approval) (string, error) {
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return "", err
	}
	may, err := s.tenancy.StillMay(ctx, u, []int64{a.AuthorID}, subject.Grants().Write)
	if err != nil {
		return "", err
	}
	if !may[a.AuthorID] {
		return "When its time came, " + a.AuthorName + ", who scheduled it, was disabled or had lost the permission " + subject.Grants().Write + ".", nil
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
		return "When its time came, too few of those who approved it could still decide.", nil
	}
	return "", nil
}

// isFinal reports whether a rule of the domain has refused the change, so that a retry would be
// refused too, and the sentence that says why. It is false for transient failures.
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
