package approvals

import (
	"context"
	"errors"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Approve is the caller's vote for the approval as it was read. With the last vote that is
// needed the change is made, in the same unit, or waits for its time.
//
// Nobody votes twice for one content. Whoever has voted and approves again makes the change if
// the valid votes have become enough since, as when a voter who was disabled is enabled again.
//
// Errors: VersionConflict; TransitionNotAllowed; ApprovalStale with how the resource has
// changed; lock.ErrNotAcquired when the resource is locked for too long; Forbidden for whoever
// wrote any version of the content, with whatever credential, and for whoever may not read what
// would be changed.
func (s *Service) Approve(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition) (*Approval, error) {
	if err := s.requireAllowed(ctx, a, "approve", ifMatch); err != nil {
		return nil, err
	}
	caller, err := s.mayDecide(ctx, a)
	if err != nil {
		return nil, err
	}
	voted := slices.Contains(a.approvers(), caller.UserID)
	waits := a.waitsForItsTime(u.Now())
	if len(a.approvers()) >= a.Required-1 && !waits {
		// This may be the last vote, and locks are taken before the transaction begins.
		if ctx, err = s.lock(ctx, u, a); err != nil {
			return nil, err
		}
	}
	if err := s.requireOtherUsers(ctx, u, a, a.votesOfOthers(caller.UserID)...); err != nil {
		return nil, err
	}
	counted, err := s.countVotes(ctx, u, a, caller)
	if err != nil {
		return nil, err
	}
	if voted && counted < a.Required {
		refusal := s.lifecycle(ctx).Refusal(a, apperr.TransitionNotAllowed, "approve")
		refusal.Detail = "You have approved this version already; it waits for the votes of others."
		return nil, refusal
	}
	vote := voteOf(caller, a, ifMatch, verdictApprove)
	switch {
	case counted < a.Required:
		return s.vote(ctx, u, a, ifMatch, vote)
	case waits && voted:
		return s.schedule(ctx, u, a, ifMatch, nil)
	case waits:
		return s.schedule(ctx, u, a, ifMatch, &vote)
	case voted:
		return s.apply(ctx, u, a, ifMatch, applied{action: "approve"})
	}
	return s.apply(ctx, u, a, ifMatch, applied{action: "approve", vote: &vote})
}

// lock takes the locks that the change of an approval needs.
func (s *Service) lock(ctx context.Context, u *uow.Unit, a *Approval) (context.Context, error) {
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return ctx, err
	}
	return subject.Lock(ctx, u, a.proposal())
}

// voteOf is the caller's vote for an approval as it was read.
func voteOf(caller principal.Principal, a *Approval, ifMatch guard.Precondition, verdict string) Vote {
	return Vote{ApprovalID: a.ID, Version: ifMatch.Ref.Version, Digest: a.Digest, UserID: caller.UserID, UserName: caller.Name, Via: caller.Via, Verdict: verdict}
}

// countVotes returns how many votes the present content has, the caller's included. When they
// could be enough, only those count whose voters are enabled and may still decide.
func (s *Service) countVotes(ctx context.Context, u *uow.Unit, a *Approval, caller principal.Principal) (int, error) {
	voters := a.approvers()
	if !slices.Contains(voters, caller.UserID) {
		voters = append(voters, caller.UserID)
	}
	if len(voters) < a.Required {
		return len(voters), nil
	}
	may, err := s.tenancy.StillMay(ctx, u, voters, decidePermission)
	if err != nil {
		return 0, err
	}
	if !may[caller.UserID] {
		return 0, apperr.New(apperr.Forbidden, "You may not decide on approvals any more.")
	}
	voters = slices.DeleteFunc(voters, func(user int64) bool { return !may[user] })
	return len(voters), nil
}

// vote records a vote that is not the last one, as a new version of the approval.
func (s *Service) vote(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, vote Vote) (*Approval, error) {
	after := *a
	err := s.record(ctx, u, a, &after, "vote", map[string]any{"verdict": vote.Verdict, "votedVersion": vote.Version})
	if errors.Is(err, guard.ErrStale) {
		return nil, s.staleOrConflict(ctx, a, ifMatch)
	}
	if err != nil {
		return nil, err
	}
	if err := insertVote(ctx, u, vote); err != nil {
		return nil, err
	}
	u.Audit(entry("vote", &after, map[string]any{"verdict": vote.Verdict}, ""))
	return s.reread(ctx, u, &after)
}

// applied says why an approval's change is made: the action is "approve" (vote is nil when the
// valid votes were enough already), "bypass" with a reason, or "apply" for one that was scheduled.
type applied struct {
	action, reason string
	vote           *Vote
}

// apply makes the change and moves the approval to its new status. The domain's rows are
// written first, in the lock order of the package.
func (s *Service) apply(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, by applied) (*Approval, error) {
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return nil, err
	}
	after, err := s.lifecycle(ctx).Transition(ctx, u, a, by.action, &ifMatch, func(to status.State) (*Approval, error) {
		after := *a
		after.Status, after.Reason = to.Code, by.reason
		told := after
		told.Version++
		u.Apply(a.ID, entry(by.action, &told, nil, by.reason))
		if err := subject.Apply(ctx, u, a.proposal()); err != nil {
			return nil, err
		}
		if err := s.record(ctx, u, a, &after, by.action, a.withEffectiveTime(map[string]any{"votedVersion": ifMatch.Ref.Version})); err != nil || by.vote == nil {
			return &after, err
		}
		return &after, insertVote(ctx, u, *by.vote)
	})
	if errors.Is(err, ErrStaleBase) {
		return nil, s.staleOrConflict(ctx, a, ifMatch)
	}
	if err != nil {
		return nil, err
	}
	return s.reread(ctx, u, after)
}

// Bypass makes the change of a pending approval at once, without the votes that it lacks.
// Errors: those of Approve, but Forbidden for whoever may not write what is changed.
func (s *Service) Bypass(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, reason string) (*Approval, error) {
	if err := s.requireAllowed(ctx, a, "bypass", ifMatch); err != nil {
		return nil, err
	}
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return nil, err
	}
	if err := requirePermissions(ctx, subject.Grants().Write); err != nil {
		return nil, err
	}
	if ctx, err = s.lock(ctx, u, a); err != nil {
		return nil, err
	}
	return s.apply(ctx, u, a, ifMatch, applied{action: "bypass", reason: reason})
}

// Reject ends an approval without its change. Errors: VersionConflict, TransitionNotAllowed,
// Forbidden, ValidationFailed.
func (s *Service) Reject(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, reason string) (*Approval, error) {
	caller, _ := principal.From(ctx)
	vote := voteOf(caller, a, ifMatch, verdictReject)
	return s.decide(ctx, u, a, ifMatch, decision{action: "reject", reason: reason, vote: &vote, check: func() error {
		if _, err := s.mayDecide(ctx, a); err != nil {
			return err
		}
		return s.requireOtherUsers(ctx, u, a)
	}})
}

// Withdraw takes back what the caller has proposed, or what a disabled author has left stale.
// Errors: VersionConflict, TransitionNotAllowed; Forbidden for anybody else, and for a credential
// that may not propose such changes.
func (s *Service) Withdraw(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition) (*Approval, error) {
	return s.decide(ctx, u, a, ifMatch, decision{action: "withdraw", reason: a.Reason, check: func() error {
		if err := s.markAbandoned(ctx, a); err != nil {
			return err
		}
		if caller, _ := principal.From(ctx); a.Abandoned && caller.UserID != 0 {
			return s.mayPropose(ctx, a)
		}
		return s.mustBeAuthor(ctx, a)
	}})
}

// Review marks a change that was made without the votes as reviewed. Errors: VersionConflict,
// TransitionNotAllowed; Forbidden for whoever made it.
func (s *Service) Review(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, note string) (*Approval, error) {
	return s.decide(ctx, u, a, ifMatch, decision{action: "review", reason: a.Reason, note: note, check: func() error {
		if _, err := s.mayDecide(ctx, a); err != nil {
			return err
		}
		bypass := Act{Users: []int64{a.StatusRevision.ChangedBy, a.StatusCreatorID}, Time: a.StatusRevision.ChangedTime, What: "bypassed the votes for it"}
		return s.requireOtherUsers(ctx, u, a, bypass)
	}})
}

// decision is a transition of an approval that changes nothing else.
type decision struct {
	action, reason string
	// note is for the history, where reason stays what it was.
	note string
	vote *Vote
	// check refuses callers who may not take the action; it runs once the status allows it.
	check func() error
}

func (s *Service) decide(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, d decision) (*Approval, error) {
	after, err := s.lifecycle(ctx).Transition(ctx, u, a, d.action, &ifMatch, func(to status.State) (*Approval, error) {
		if err := d.check(); err != nil {
			return nil, err
		}
		after := *a
		after.Status, after.Reason = to.Code, d.reason
		detail := map[string]any{}
		if note := d.givenReason(a); note != "" {
			detail["reason"] = note
		}
		if err := s.record(ctx, u, a, &after, d.action, detail); err != nil || d.vote == nil {
			return &after, err
		}
		return &after, insertVote(ctx, u, *d.vote)
	})
	if err != nil {
		return nil, err
	}
	u.Audit(entry(d.action, after, nil, d.givenReason(a)))
	return s.reread(ctx, u, after)
}

// givenReason is what the caller gave as a reason.
func (d decision) givenReason(a *Approval) string {
	if d.note == "" && d.reason != a.Reason {
		return d.reason
	}
	return d.note
}

// requireAllowed checks, in this order, that the approval is not stale, that it is as the caller read
// it, and that its status allows the action.
func (s *Service) requireAllowed(ctx context.Context, a *Approval, action string, ifMatch guard.Precondition) error {
	if a.Status == stale.Code && ifMatch.Ref.ID == a.ID {
		return s.staleOrConflict(ctx, a, ifMatch)
	}
	l := s.lifecycle(ctx)
	if err := l.CheckPrecondition(a, &ifMatch); err != nil {
		return err
	}
	if _, possible := Machine.Next(action, a.state(s.clock.Now())); !possible {
		return l.Refusal(a, apperr.TransitionNotAllowed, action)
	}
	return nil
}

// staleOrConflict explains, after the rollback, why a guarded write matched nothing:
// ApprovalStale when the resource has changed, and otherwise the conflict with the approval as
// it is now.
func (s *Service) staleOrConflict(ctx context.Context, a *Approval, ifMatch guard.Precondition) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := s.Approval(ctx, a.ID)
		if err != nil {
			return err
		}
		switch {
		case current.Status == stale.Code:
			return s.staleError(ctx, current)
		case current.Ref() == a.Ref():
			return s.markStaleLate(ctx, current)
		}
		return s.lifecycle(ctx).Conflict(current, ifMatch)
	})
}

// checker is the name under which markStaleLate makes approvals stale.
const checker = "approval check"

// markStaleLate makes an open approval stale that could not be applied since its resource has
// changed, although whatever changed that did not mark it: what the approval creates was created
// before the approval named it, or the two transactions did not see each other. The unit that
// found it out is rolled back, so this is one of its own; after a crash in between the next
// attempt finds it out again. When the base is unchanged after all, the caller's unit is run again.
func (s *Service) markStaleLate(ctx context.Context, a *Approval) error {
	conflict, err := s.conflictOf(ctx, a)
	if err != nil {
		return err
	}
	if !conflict.Stale {
		return uow.Retry(s.staleError(ctx, a))
	}
	err = s.runner.Do(principal.With(ctx, principal.System(a.TenantID, checker)), func(ctx context.Context, u *uow.Unit) error {
		action, err := s.markRowStale(ctx, u, a)
		told := *a
		told.Version++
		u.Audit(entry(action, &told, nil, ""))
		return err
	})
	if err != nil && !errors.Is(err, guard.ErrStale) {
		return err
	}
	current, err := s.Approval(ctx, a.ID)
	if err != nil {
		return err
	}
	return s.staleError(ctx, current)
}

// mayDecide returns the caller. Errors: Forbidden for callers that are no user or may not read what
// would be changed.
func (s *Service) mayDecide(ctx context.Context, a *Approval) (principal.Principal, error) {
	caller, _ := principal.From(ctx)
	subject, err := s.subjectOf(a.Kind)
	switch {
	case err != nil:
		return caller, err
	case caller.UserID == 0:
		return caller, apperr.New(apperr.Forbidden, "Approvals are decided by users of this service.")
	case !caller.May(subject.Grants().Read):
		return caller, apperr.New(apperr.Forbidden, "This needs the permission %s too, which you do not have: nobody decides on what they may not read.", subject.Grants().Read)
	}
	return caller, nil
}

// mustBeAuthor refuses everybody but the author of an approval, and credentials of the author
// that may not propose such changes.
func (s *Service) mustBeAuthor(ctx context.Context, a *Approval) error {
	caller, _ := principal.From(ctx)
	if caller.UserID == 0 || caller.UserID != a.AuthorID {
		return apperr.New(apperr.Forbidden, "Only %s, who proposed it, may do this.", a.AuthorName)
	}
	return s.mayPropose(ctx, a)
}

// mayPropose checks that the caller's credential may propose changes of the approval's kind.
// Errors: Forbidden.
func (s *Service) mayPropose(ctx context.Context, a *Approval) error {
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return err
	}
	return requirePermissions(ctx, subject.Grants().Write)
}

// requirePermissions refuses a caller who lacks one of the permissions, beside that of the route.
func requirePermissions(ctx context.Context, permissions ...string) error {
	for _, permission := range permissions {
		if !may(ctx, permission) {
			return apperr.New(apperr.Forbidden, "This needs the permission %s too, which you do not have.", permission)
		}
	}
	return nil
}

// reread returns an approval as the unit has made it, with its votes.
func (s *Service) reread(ctx context.Context, u *uow.Unit, a *Approval) (*Approval, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	return find(tx, a.ID)
}
