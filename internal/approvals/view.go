package approvals

import (
	"context"
	"errors"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type voteView struct {
	User principal.Person `json:"user"`
	// Token is the API token that it was cast with, null for a session.
	Token   *principal.TokenRef `json:"token"`
	Verdict string              `json:"verdict"`
	Version int64               `json:"version"`
	Time    time.Time           `json:"time"`
	// Stands is false for a vote on other content than the approval has now.
	Stands bool `json:"stands"`
}

type approvalView struct {
	ID       int64  `json:"id"`
	Kind     string `json:"kind"`
	Resource string `json:"resource"`
	// Targets are the paths of all that is changed, in lists and refusals the first MostSides.
	Targets     []string         `json:"targets"`
	TargetCount int              `json:"targetCount"`
	Author      principal.Person `json:"author"`
	Note        string           `json:"note"`
	BaseETag    *string          `json:"baseEtag"`
	// What is proposed is there for who may read the resource, and not in lists.
	Rendered
	Digest             string     `json:"digest"`
	Required           int        `json:"required"`
	Votes              []voteView `json:"votes"`
	Status             string     `json:"status"`
	AllowedTransitions []string   `json:"allowedTransitions"`
	Reason             string     `json:"reason"`
	ExpiresTime        time.Time  `json:"expiresTime"`
	// EffectiveTime is when the change is to be made, null for as soon as it has its votes.
	EffectiveTime *time.Time `json:"effectiveTime"`
	// Comments is how many there are.
	Comments int64 `json:"comments"`
	// StatusBy is who gave it its status, and StatusTime when.
	StatusBy   principal.Person `json:"statusBy"`
	StatusTime time.Time        `json:"statusTime"`
	// WaitingForMe says whether the caller may still vote, or complete a quorum that stands; of a stale
	// one, whether they are to rebase or withdraw it.
	WaitingForMe bool `json:"waitingForMe"`
	guard.Stamp
}

// readView is an approval with what there was, would be and is.
type readView struct {
	approvalView
	Sides []Comparison `json:"sides,omitempty"`
}

// eventView is a version of an approval, with what it brought for who may read that.
type eventView struct {
	change.EventView
	Rendered
}

// shownEvent returns how a version of an approval is shown.
func (s *Service) shownEvent(ctx context.Context, a *Approval, e Event) eventView {
	v := eventView{EventView: e.View(Machine)}
	subject, err := s.subjectOf(a.Kind)
	if err != nil || e.Content == nil || !may(ctx, subject.Grants().Read) {
		return v
	}
	// What cannot be shown any more has its digest all the same.
	v.Rendered, _ = subject.Show(ctx, Proposal{Kind: a.Kind, Content: []byte(*e.Content)})
	return v
}

// listed is an approval without what it proposes.
func (s *Service) listed(ctx context.Context, a *Approval) approvalView {
	caller, _ := principal.From(ctx)
	now := s.clock.Now()
	state := a.state(now)
	votes := make([]voteView, len(a.Votes))
	for i, v := range a.Votes {
		votes[i] = voteView{
			User: principal.Person{ID: v.UserID, Name: v.UserName}, Token: v.Ref(), Verdict: v.Verdict, Version: v.Version, Time: v.VotedTime, Stands: a.stands(v),
		}
	}
	return approvalView{
		ID: a.ID, Kind: a.Kind, Resource: a.Resource, Targets: slices.Concat([]string{}, a.Targets[:min(len(a.Targets), MostSides)]), TargetCount: a.TargetCount,
		Author: principal.Person{ID: a.AuthorID, Name: a.AuthorName}, Note: a.Note, BaseETag: httpapi.OrNull(a.BaseETag),
		Digest: a.Digest, Required: a.Required, Votes: votes, Status: state.Name, AllowedTransitions: Machine.Allowed(state),
		Reason: a.Reason, ExpiresTime: a.ExpiresTime, EffectiveTime: a.EffectiveTime, Comments: a.Comments, StatusBy: a.StatusRevision.By(), StatusTime: a.StatusRevision.ChangedTime, Stamp: a.Stamp(),
		WaitingForMe: s.mayReview(caller, a.Kind) && a.waitsFor(caller, now) || s.isStaleFor(caller, a),
	}
}

// isStaleFor reports whether a caller is to rebase or withdraw a stale approval: their own, or one of
// a disabled author that they may write.
func (s *Service) isStaleFor(caller principal.Principal, a *Approval) bool {
	return a.Status == stale.Code && (a.AuthorID == callersID(caller) || a.Abandoned && s.mayWrite(caller, a.Kind))
}

// mayWrite reports whether a caller may propose changes of a kind.
func (s *Service) mayWrite(caller principal.Principal, kind string) bool {
	subject, err := s.subjectOf(kind)
	return err == nil && caller.May(subject.Grants().Write)
}

// mayReview reports whether a caller may decide on changes of a kind, as far as their
// permissions say.
func (s *Service) mayReview(caller principal.Principal, kind string) bool {
	subject, err := s.subjectOf(kind)
	return err == nil && caller.May(decidePermission) && caller.May(subject.Grants().Read)
}

// view is an approval, with what it proposes for who may read that.
func (s *Service) view(ctx context.Context, a *Approval) (approvalView, error) {
	v := s.listed(ctx, a)
	v.Targets = slices.Concat([]string{}, a.Targets)
	subject, err := s.subjectOf(a.Kind)
	if err != nil || !may(ctx, subject.Grants().Read) {
		return v, err
	}
	v.Rendered, err = subject.Show(ctx, a.proposal())
	return v, err
}

// MostSides is how many resources of an approval are shown side by side, or in conflict.
const MostSides = 20

// read is view with the sides of what is proposed.
func (s *Service) read(ctx context.Context, a *Approval) (readView, error) {
	v, err := s.view(ctx, a)
	if err != nil {
		return readView{}, err
	}
	subject, err := s.subjectOf(a.Kind)
	if err != nil || !may(ctx, subject.Grants().Read) || len(a.Targets) > MostSides {
		return readView{approvalView: v}, err
	}
	sides, err := subject.Sides(ctx, a.proposal())
	return readView{approvalView: v, Sides: sides}, err
}

// isUnbound reports whether what an approval would change may change while it is pending.
func (s *Service) isUnbound(a *Approval) bool {
	subject, err := s.subjectOf(a.Kind)
	return err != nil || subject.Grants().Unbound
}

// conflictOf is how what an approval would change has moved, as far as the caller may read it.
func (s *Service) conflictOf(ctx context.Context, a *Approval) (Conflict, error) {
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return Conflict{}, err
	}
	conflict, err := subject.Conflict(ctx, a.proposal())
	if err != nil {
		var refused *apperr.Error
		if !errors.As(err, &refused) {
			return conflict, err
		}
		conflict = Conflict{Detail: refused.Detail}
	}
	if !may(ctx, subject.Grants().Read) {
		for _, name := range readersOnly {
			delete(conflict.Members, name)
		}
	}
	return conflict, nil
}

// staleError is what who acts on a stale approval is told: how the resource has moved, as
// far as they may read it.
func (s *Service) staleError(ctx context.Context, a *Approval) error {
	conflict, err := s.conflictOf(ctx, a)
	if err != nil {
		return err
	}
	state := a.state(s.clock.Now())
	why := conflict.Detail
	if !conflict.Stale && a.Reason != "" {
		why = a.Reason
	}
	refusal := apperr.New(apperr.ApprovalStale, "%s cannot be decided: %s", a.label(), why)
	for name, value := range conflict.Members {
		refusal.With(name, value)
	}
	return refusal.With("currentStatus", state.Name).With("allowedTransitions", Machine.Allowed(state))
}

// readersOnly are the members of a conflict that tell what is in the resource.
var readersOnly = []string{"base", "current", "conflicts", "theirsOnly", "yoursOnly", "autoMergeable", "members", "moved"}

func may(ctx context.Context, permission string) bool {
	caller, known := principal.From(ctx)
	return known && caller.May(permission)
}
