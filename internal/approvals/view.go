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
	// Token is the API token that the vote was cast with, null for a session.
	Token   *principal.TokenRef `json:"token"`
	Verdict string              `json:"verdict"`
	Version int64               `json:"version"`
	Time    time.Time           `json:"time"`
	// IsCurrent is false for a vote for content other than the current one.
	IsCurrent bool `json:"stands"`
}

type approvalView struct {
	ID       int64  `json:"id"`
	Kind     string `json:"kind"`
	Resource string `json:"resource"`
	// Targets are the paths of all changed resources; in lists and error responses, the first
	// MostSides.
	Targets     []string         `json:"targets"`
	TargetCount int              `json:"targetCount"`
	Author      principal.Person `json:"author"`
	Note        string           `json:"note"`
	BaseETag    *string          `json:"baseEtag"`
	// Currency is the currency of the amounts in the proposal and its sides.
	Currency string `json:"currency"`
	// Rendered is set for callers who may read the resource, and omitted in lists.
	Rendered
	Digest             string     `json:"digest"`
	Required           int        `json:"required"`
	Votes              []voteView `json:"votes"`
	Status             string     `json:"status"`
	AllowedTransitions []string   `json:"allowedTransitions"`
	Reason             string     `json:"reason"`
	ExpiresTime        time.Time  `json:"expiresTime"`
	// EffectiveTime is the time to apply the change at; null: as soon as it has its votes.
	EffectiveTime *time.Time `json:"effectiveTime"`
	// Comments is the number of comments.
	Comments int64 `json:"comments"`
	// StatusBy is the user who set the status, StatusTime the time.
	StatusBy   principal.Person `json:"statusBy"`
	StatusTime time.Time        `json:"statusTime"`
	// WaitingForMe is true if the caller may still vote, or complete a quorum that is reached; for
	// a stale approval, if the caller can rebase or withdraw it.
	WaitingForMe bool `json:"waitingForMe"`
	guard.Stamp
}

// readView is an approval with the base, proposed and current resources.
type readView struct {
	approvalView
	Sides []Comparison `json:"sides,omitempty"`
}

// eventView is a version of an approval, with its content for callers who may read it.
type eventView struct {
	change.MoneyEventView[Approval]
	Rendered
}

// shownEvent returns the view of a version of an approval.
func (s *Service) shownEvent(ctx context.Context, a *Approval, e Event) eventView {
	v := eventView{MoneyEventView: change.MoneyEventViewOf[Approval](ctx, e.Event)}
	subject, err := s.subjectOf(a.Kind)
	if err != nil || e.Content == nil || !may(ctx, subject.Grants().Read) {
		return v
	}
	// A version that can no longer be rendered still has its digest.
	v.Rendered, _ = subject.Show(ctx, Proposal{Kind: a.Kind, Content: []byte(*e.Content)})
	return v
}

// listed returns an approval without its content.
func (s *Service) listed(ctx context.Context, a *Approval) approvalView {
	caller, _ := principal.From(ctx)
	now := s.clock.Now()
	state := a.state(now)
	votes := make([]voteView, len(a.Votes))
	for i, v := range a.Votes {
		votes[i] = voteView{
			User: principal.Person{ID: v.UserID, Name: v.UserName}, Token: v.Ref(), Verdict: v.Verdict, Version: v.Version, Time: v.VotedTime, IsCurrent: a.isCurrent(v),
		}
	}
	return approvalView{
		ID: a.ID, Kind: a.Kind, Resource: a.Resource, Targets: slices.Concat([]string{}, a.Targets[:min(len(a.Targets), MostSides)]), TargetCount: a.TargetCount,
		Author: principal.Person{ID: a.AuthorID, Name: a.AuthorName}, Note: a.Note, BaseETag: httpapi.OrNull(a.BaseETag), Currency: principal.CurrencyOf(ctx),
		Digest: a.Digest, Required: a.Required, Votes: votes, Status: state.Name, AllowedTransitions: Machine.Allowed(state),
		Reason: a.Reason, ExpiresTime: a.ExpiresTime, EffectiveTime: a.EffectiveTime, Comments: a.Comments, StatusBy: a.StatusRevision.By(), StatusTime: a.StatusRevision.ChangedTime, Stamp: a.Stamp(),
		WaitingForMe: s.mayReview(caller, a.Kind) && a.waitsFor(caller, now) || s.isStaleFor(caller, a),
	}
}

// isStaleFor reports whether a caller can rebase or withdraw a stale approval: the caller's, or one
// of a disabled author, if the caller may write the resource.
func (s *Service) isStaleFor(caller principal.Principal, a *Approval) bool {
	return a.Status == stale.Code && (a.AuthorID == callersID(caller) || a.Abandoned && s.mayWrite(caller, a.Kind))
}

// mayWrite reports whether a caller may propose changes of a kind.
func (s *Service) mayWrite(caller principal.Principal, kind string) bool {
	subject, err := s.subjectOf(kind)
	return err == nil && caller.May(subject.Grants().Write)
}

// mayReview reports whether a caller's permissions allow deciding on changes of a kind.
func (s *Service) mayReview(caller principal.Principal, kind string) bool {
	subject, err := s.subjectOf(kind)
	return err == nil && caller.May(decidePermission) && caller.May(subject.Grants().Read)
}

// view returns an approval, with its content for callers who may read it.
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

// MostSides bounds the resources of an approval in Sides and in a conflict.
const MostSides = 20

// read is view with the sides of the proposal.
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

// isUnbound reports whether the resource of an approval may change while it is pending.
func (s *Service) isUnbound(a *Approval) bool {
	subject, err := s.subjectOf(a.Kind)
	return err != nil || subject.Grants().Unbound
}

// conflictOf returns the difference between the base and the current resource, as far as the caller
// may read it.
func (s *Service) conflictOf(ctx context.Context, a *Approval) (Conflict, error) {
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return Conflict{}, err
	}
	conflict, err := subject.Conflict(ctx, a.proposal())
	if err != nil {
		var rejection *apperr.Error
		if !errors.As(err, &rejection) {
			return conflict, err
		}
		conflict = Conflict{Detail: rejection.Detail}
	}
	if !may(ctx, subject.Grants().Read) {
		for _, name := range readersOnly {
			delete(conflict.Members, name)
		}
	}
	return conflict, nil
}

// staleError is the error of an act on a stale approval: the change of the resource, as far as the
// caller may read it.
func (s *Service) staleError(ctx context.Context, a *Approval) error {
	conflict, err := s.conflictOf(ctx, a)
	if err != nil {
		return err
	}
	state := a.state(s.clock.Now())
	detail := conflict.Detail
	if !conflict.Stale && a.Reason != "" {
		detail = a.Reason
	}
	rejection := apperr.New(apperr.ApprovalStale, "%s cannot be decided: %s", a.label(), detail)
	for name, value := range conflict.Members {
		rejection.With(name, value)
	}
	return rejection.With("currentStatus", state.Name).With("allowedTransitions", Machine.Allowed(state))
}

// readersOnly are the members of a conflict that contain content of the resource.
var readersOnly = []string{"base", "current", "conflicts", "theirsOnly", "yoursOnly", "autoMergeable", "members", "moved"}

func may(ctx context.Context, permission string) bool {
	caller, ok := principal.From(ctx)
	return ok && caller.May(permission)
}
