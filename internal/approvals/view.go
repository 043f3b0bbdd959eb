package approvals

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type voteView struct {
	User principal.Person `json:"user"`
	// The API token that cast the vote, or null.
	Token   *principal.TokenRef `json:"token"`
	Verdict string              `json:"verdict" validate:"oneof=approve reject"`
	// The version of the approval that the voter had read.
	Version int64     `json:"version"`
	Time    time.Time `json:"time"`
	// Whether the vote is for the current content of the approval: edits and rebases void earlier votes.
	IsCurrent bool `json:"stands"`
}

type approvalView struct {
	ID   int64  `json:"id"`
	Kind string `json:"kind" schema:"ApprovalKind"`
	// The path of the changed resource, or of the collection for many.
	Resource string `json:"resource"`
	// The paths of all changed resources; in lists and error responses the first 20.
	Targets []string `json:"targets"`
	// The number of changed resources.
	TargetCount int              `json:"targetCount" validate:"min=1"`
	Author      principal.Person `json:"author"`
	// The reason; it is copied to the history of the resource.
	Note string `json:"note" validate:"max=500"`
	// The version that the change is based on; null for many resources: each of their changes has one.
	BaseETag *string `json:"baseEtag"`
	// The currency of the amounts in the proposal and its sides.
	Currency string `json:"currency"`
	Rendered
	// Digest of the proposal, its base and its time: votes are for this digest. Equal proposals have equal digests; its
	// computation needs a key of the installation.
	Digest string `json:"digest" pattern:"^[0-9a-f]{64}$"`
	// The number of required votes; 0 for a change that waits only for its time.
	Required           int                           `json:"required" validate:"min=0"`
	Votes              []voteView                    `json:"votes"`
	Status             status.Name[Approval]         `json:"status"`
	AllowedTransitions []status.ActionName[Approval] `json:"allowedTransitions"`
	// The reason of a rejection or a bypass, or of the failure of a scheduled change.
	Reason string `json:"reason" validate:"max=500"`
	// The time until which it waits for its votes.
	ExpiresTime time.Time `json:"expiresTime"`
	// The time at which the change is applied, null for as soon as it has its votes. If the last vote is later, the change is
	// applied immediately.
	EffectiveTime *time.Time `json:"effectiveTime"`
	// The number of comments.
	Comments int64 `json:"comments" validate:"min=0"`
	// The user who set the current status.
	StatusBy principal.Person `json:"statusBy"`
	// When the current status was set.
	StatusTime time.Time `json:"statusTime"`
	// Whether you may still vote for it, or complete it: the valid votes suffice and it is not applied yet. For a stale one,
	// whether you are to rebase or withdraw it: you are its author, or its author is disabled and you may write the resource.
	WaitingForMe bool `json:"waitingForMe"`
	guard.Stamp
}

// readView is an approval with the base, proposed and current resources.
type readView struct {
	approvalView
	// The resources before the change, after it, and now; null where they do not exist.
	Sides []Comparison `json:"sides,omitempty" validate:"max=20"`
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
		ID: a.ID, Kind: a.Kind, Resource: a.Resource, Targets: slices.Concat([]string{}, a.Targets[:min(len(a.Targets), MaxSides)]), TargetCount: a.TargetCount,
		Author: principal.Person{ID: a.AuthorID, Name: a.AuthorName}, Note: a.Note, BaseETag: httpapi.OrNull(a.BaseETag), Currency: principal.CurrencyOf(ctx),
		Digest: a.Digest, Required: a.Required, Votes: votes, Status: status.NameOf[Approval](state.Code), AllowedTransitions: status.ActionNames[Approval](Machine.Allowed(state)),
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

// MaxSides bounds the resources of an approval in Sides and in a conflict.
const MaxSides = 20

// read returns the view of an approval, with the sides of the proposal.
func (s *Service) read(ctx context.Context, a *Approval) (readView, error) {
	v, err := s.view(ctx, a)
	if err != nil {
		return readView{}, err
	}
	subject, err := s.subjectOf(a.Kind)
	if err != nil || !may(ctx, subject.Grants().Read) || len(a.Targets) > MaxSides {
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

// example is an approval for the contract.
var example = func() approvalView {
	li := principal.Person{ID: 7, Name: "Li"}
	created := time.Date(2026, time.January, 31, 9, 30, 0, 123456000, time.UTC)
	row := guard.Row{ID: 12, Version: 1, CreatedTime: created, UpdatedTime: created, UpdatedBy: li.ID, UpdatedByName: li.Name}
	return approvalView{
		ID: row.ID, Kind: "config.update", Resource: "configs/checkout.tax", Targets: []string{"configs/checkout.tax"}, TargetCount: 1, Author: li,
		Note: "Rates of 2026", BaseETag: new(`"1c-j"`), Currency: "CNY", Rendered: Rendered{Patch: json.RawMessage(`{"value":0.21}`)},
		Digest: "3d1f6e4c7a2b9058d4c1e0f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6", Required: 1, Votes: []voteView{},
		Status: status.NameOf[Approval](pending.Code), AllowedTransitions: status.ActionNames[Approval](Machine.Allowed(pending)),
		ExpiresTime: created.AddDate(0, 0, 7), StatusBy: li, StatusTime: created, WaitingForMe: true, Stamp: row.Stamp(),
	}
}()
