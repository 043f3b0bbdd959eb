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

// Approve records the caller's vote for the version that ifMatch names. The last vote that is
// needed applies the change in the same unit, or schedules it.
//
// A user votes once for one content. A second approval of the same user applies the change if the
// valid votes have become enough since, for example because a disabled voter was enabled again.
//
// Errors: VersionConflict; TransitionNotAllowed; ApprovalStale with the change of the resource;
// lock.ErrNotAcquired if the resource is locked for too long; Forbidden for a user who wrote any
// version of the content, with any credential, and for a caller who may not read the changed
// resource.
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
		// This may be the last vote, and locks are acquired before the transaction starts.
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
		rejection := s.lifecycle().Refusal(ctx, a, apperr.TransitionNotAllowed, "approve")
		rejection.Detail = "You have approved this version already; it waits for the votes of others."
		return nil, rejection
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

// lock acquires the locks that the change of an approval needs.
func (s *Service) lock(ctx context.Context, u *uow.Unit, a *Approval) (context.Context, error) {
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return ctx, err
	}
	return subject.Lock(ctx, u, a.proposal())
}

// voteOf returns the caller's vote for the version of an approval that ifMatch names.
func voteOf(caller principal.Principal, a *Approval, ifMatch guard.Precondition, verdict string) Vote {
	return Vote{ApprovalID: a.ID, Version: ifMatch.Ref.Version, Digest: a.Digest, UserID: caller.UserID, UserName: caller.Name, Via: caller.Via, Verdict: verdict}
}

// countVotes returns the number of votes for the current content, including the caller's. If the
// votes could reach the quorum, countVotes counts only voters who are enabled and may still decide.
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
		return 0, apperr.New(apperr.Forbidden, "You no longer have the permission to decide on approvals.")
	}
	voters = slices.DeleteFunc(voters, func(user int64) bool { return !may[user] })
	return len(voters), nil
}

// vote records a vote that does not complete the quorum, as a new version of the approval.
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

// applied is the reason for applying a change. The action is "approve" (vote is nil if the valid
// votes were already enough), "bypass" with a reason, or "apply" for a scheduled change.
type applied struct {
	action, reason string
	vote           *Vote
}

// apply applies the change and moves the approval to its new status. It writes the domain's rows
// first, in the lock order of the package.
func (s *Service) apply(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, by applied) (*Approval, error) {
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return nil, err
	}
	after, err := s.lifecycle().Transition(ctx, u, a, by.action, &ifMatch, func(to status.State) (*Approval, error) {
		after := *a
		after.Status, after.Reason = to.Code, by.reason
		audited := after
		audited.Version++
		u.Apply(a.ID, entry(by.action, &audited, nil, by.reason))
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

// Bypass applies the change of a pending approval without the missing votes. Errors: those of
// Approve, but Forbidden for callers who may not write the changed resource.
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

// Withdraw ends the caller's own proposal, or a stale one of a disabled author. Errors:
// VersionConflict, TransitionNotAllowed; Forbidden for other users, and for a credential that may
// not propose such changes.
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
// TransitionNotAllowed; Forbidden for the user who made the change.
func (s *Service) Review(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, note string) (*Approval, error) {
	return s.decide(ctx, u, a, ifMatch, decision{action: "review", reason: a.Reason, note: note, check: func() error {
		if _, err := s.mayDecide(ctx, a); err != nil {
			return err
		}
		bypass := Act{Users: []int64{a.StatusRevision.ChangedBy, a.StatusCreatorID}, Time: a.StatusRevision.ChangedTime, Predicate: "bypassed the votes for it"}
		return s.requireOtherUsers(ctx, u, a, bypass)
	}})
}

// decision is a transition of an approval that changes nothing else.
type decision struct {
	action, reason string
	// note is written to the history only; reason is unchanged.
	note string
	vote *Vote
	// check rejects callers who may not perform the action. It runs after the check of the status.
	check func() error
}

func (s *Service) decide(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, d decision) (*Approval, error) {
	after, err := s.lifecycle().Transition(ctx, u, a, d.action, &ifMatch, func(to status.State) (*Approval, error) {
		if err := d.check(); err != nil {
			return nil, err
		}
		after := *a
		after.Status, after.Reason = to.Code, d.reason
		detail := map[string]any{}
		if note := d.callersReason(a); note != "" {
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
	u.Audit(entry(d.action, after, nil, d.callersReason(a)))
	return s.reread(ctx, u, after)
}

// callersReason returns the caller's note or new reason; "" for none.
func (d decision) callersReason(a *Approval) string {
	if d.note == "" && d.reason != a.Reason {
		return d.reason
	}
	return d.note
}

// requireAllowed checks, in this order, that the approval is not stale, that its version is the
// caller's, and that its status allows the action.
func (s *Service) requireAllowed(ctx context.Context, a *Approval, action string, ifMatch guard.Precondition) error {
	if a.Status == stale.Code && ifMatch.Ref.ID == a.ID {
		return s.staleOrConflict(ctx, a, ifMatch)
	}
	l := s.lifecycle()
	if err := l.CheckPrecondition(a, &ifMatch); err != nil {
		return err
	}
	if _, possible := Machine.Next(action, a.state(s.clock.Now())); !possible {
		return l.Refusal(ctx, a, apperr.TransitionNotAllowed, action)
	}
	return nil
}

// staleOrConflict returns, after the rollback, the reason why a guarded write matched no row:
// ApprovalStale if the resource has changed, otherwise the conflict with the current approval.
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
		return s.lifecycle().Conflict(ctx, current, ifMatch)
	})
}

// checker is the actor of markStaleLate.
const checker = "approval check"

// markStaleLate makes an open approval stale if its resource had changed when it was to be applied,
// although the unit that changed the resource did not mark it: that unit created the resource
// before the approval named it, or the two transactions did not see each other. The caller's unit
// is rolled back, so this runs in a separate unit; after a crash in between, the next attempt
// detects it again. If the base is unchanged after all, the caller's unit is retried.
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
		audited := *a
		audited.Version++
		u.Audit(entry(action, &audited, nil, ""))
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

// mayDecide returns the caller. Errors: Forbidden for callers that are not users, or may not read
// the changed resource.
func (s *Service) mayDecide(ctx context.Context, a *Approval) (principal.Principal, error) {
	caller, _ := principal.From(ctx)
	subject, err := s.subjectOf(a.Kind)
	switch {
	case err != nil:
		return caller, err
	case caller.UserID == 0:
		return caller, apperr.New(apperr.Forbidden, "Only users of this service decide on approvals.")
	case !caller.May(subject.Grants().Read):
		return caller, apperr.New(apperr.Forbidden, "This also needs the permission %s, which you do not have: a decision requires reading the changed resource.", subject.Grants().Read)
	}
	return caller, nil
}

// mustBeAuthor rejects all callers except the author of an approval, and credentials of the author
// that may not propose such changes. Errors: Forbidden.
func (s *Service) mustBeAuthor(ctx context.Context, a *Approval) error {
	caller, _ := principal.From(ctx)
	if caller.UserID == 0 || caller.UserID != a.AuthorID {
		return apperr.New(apperr.Forbidden, "Only its author, %s, may do this.", a.AuthorName)
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

// requirePermissions rejects callers who lack one of the permissions. Errors: Forbidden.
func requirePermissions(ctx context.Context, permissions ...string) error {
	for _, permission := range permissions {
		if !may(ctx, permission) {
			return apperr.New(apperr.Forbidden, "This also needs the permission %s, which you do not have.", permission)
		}
	}
	return nil
}

// reread returns the unit's current version of an approval, with its votes.
func (s *Service) reread(ctx context.Context, u *uow.Unit, a *Approval) (*Approval, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	return find(tx, a.ID)
}
