package approvals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Edit replaces the patch, the note or the time of a proposal. Nil members are unchanged.
type Edit struct {
	Patch json.RawMessage
	Note  *string
	// Time is the new effective time; a pointer to nil means as soon as the change has its votes.
	Time **time.Time
}

// Edit replaces the content of an open approval, as a new version without votes. An edit that
// changes nothing writes nothing. Errors: VersionConflict, TransitionNotAllowed, ValidationFailed,
// ApprovalStale; AlreadyExists if its author already has the same change open; Forbidden for users
// other than its author, and for credentials that may not propose such changes.
func (s *Service) Edit(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, edit Edit) (*Approval, error) {
	if err := s.mayEdit(ctx, a, ifMatch); err != nil {
		return nil, err
	}
	return s.edit(ctx, u, a, ifMatch, edit)
}

// EditBy edits a proposal by a JSON Patch. The operations apply to the proposal as the caller may
// read it, so that a test operation cannot confirm a withheld value. Errors: those of Edit;
// ValidationFailed for an operation that does not apply.
func (s *Service) EditBy(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, operations merge.Operations) (*Approval, error) {
	if err := s.mayEdit(ctx, a, ifMatch); err != nil {
		return nil, err
	}
	shown, err := s.view(ctx, a)
	if err != nil {
		return nil, err
	}
	text, err := strictjson.Encode(map[string]any{"note": shown.Note, "effectiveTime": shown.EffectiveTime, "patch": shown.Patch})
	if err != nil {
		return nil, err
	}
	document, err := merge.Parse(text)
	if err != nil {
		return nil, err
	}
	patch, err := change.MergePatch(document, operations)
	if err != nil {
		return nil, err
	}
	if text, err = merge.Encode(patch); err != nil {
		return nil, err
	}
	edit, err := readEdit(text)
	if err != nil {
		return nil, err
	}
	return s.edit(ctx, u, a, ifMatch, edit)
}

// mayEdit checks the precondition, the status and the author of an edit.
func (s *Service) mayEdit(ctx context.Context, a *Approval, ifMatch guard.Precondition) error {
	if err := s.requireAllowed(ctx, a, "edit", ifMatch); err != nil {
		return err
	}
	return s.mustBeAuthor(ctx, a)
}

func (s *Service) edit(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, edit Edit) (*Approval, error) {
	p := a.proposal()
	if edit.Note != nil {
		if utf8.RuneCountInString(*edit.Note) > maxNote {
			return nil, apperr.Invalid(apperr.Field{Pointer: "/note", Code: "max", Message: fmt.Sprintf("must have at most %d characters", maxNote)})
		}
		p.Note = *edit.Note
	}
	if edit.Patch != nil {
		subject, err := s.subjectOf(a.Kind)
		if err != nil {
			return nil, err
		}
		if p, err = subject.Revise(ctx, u, p, edit.Patch); err != nil {
			return nil, s.explainStale(ctx, err, a, ifMatch)
		}
	}
	if p.EffectiveTime = a.EffectiveTime; edit.Time != nil {
		if err := a.retime(&p, *edit.Time, u.Now()); err != nil {
			return nil, err
		}
	}
	// The stored digest may have been computed with an earlier key.
	if s.digest(p) == s.digest(a.proposal()) && p.Note == a.Note {
		return a, nil
	}
	return s.replace(ctx, u, a, ifMatch, "edit", p)
}

// Rebase merges a stale approval onto the current resource, as a new version without votes; the
// caller counts as a writer of it. Errors: VersionConflict; TransitionNotAllowed, also if nothing
// is left to change; ApprovalStale with the conflicting members; AlreadyExists if its author
// already has the same change open, and LimitReached if the author has maxOpen pending; Forbidden
// for callers who may not propose such changes.
func (s *Service) Rebase(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition) (*Approval, error) {
	l := s.lifecycle()
	if err := l.CheckPrecondition(a, &ifMatch); err != nil {
		return nil, err
	}
	if _, possible := Machine.Next("rebase", a.state(u.Now())); !possible {
		return nil, l.Refusal(ctx, a, apperr.TransitionNotAllowed, "rebase")
	}
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return nil, err
	}
	if caller, _ := principal.From(ctx); caller.UserID == 0 {
		return nil, apperr.New(apperr.Forbidden, "Only users of this service rebase approvals.")
	}
	if err := requirePermissions(ctx, subject.Grants().Write); err != nil {
		return nil, err
	}
	p, err := subject.Rebase(ctx, u, a.proposal())
	p.EffectiveTime = a.EffectiveTime
	if errors.Is(err, ErrNoChange) {
		return nil, apperr.New(apperr.TransitionNotAllowed, "%s cannot be rebased: the resource already has the proposed content. Withdraw it.", a.label()).
			With("current", s.listed(ctx, a)).With("currentStatus", stale.Name).With("allowedTransitions", Machine.Allowed(stale)).
			With("changedBy", a.StatusRevision.By()).With("changedTime", a.StatusRevision.ChangedTime)
	}
	if err != nil {
		return nil, s.explainStale(ctx, err, a, ifMatch)
	}
	return s.replace(ctx, u, a, ifMatch, "rebase", p)
}

// retime sets the EffectiveTime of a proposal. Errors: ValidationFailed, also if at is nil and the
// change needs no votes.
func (a *Approval) retime(p *Proposal, at *time.Time, now time.Time) error {
	p.EffectiveTime = nil
	if at == nil && a.Required == 0 {
		return apperr.Invalid(apperr.Field{Pointer: "/effectiveTime", Code: "required", Message: "is required, because the change needs no votes; to apply it now, withdraw it and make the change directly"})
	}
	if at == nil {
		return nil
	}
	if violations := checkTime("/effectiveTime", *at, now); len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	p.EffectiveTime = at
	return nil
}

// replace writes the next version of an approval with other content.
func (s *Service) replace(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, action string, p Proposal) (*Approval, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	rules, err := s.rules(ctx, u)
	if err != nil {
		return nil, err
	}
	if len(p.Content) > maxContent {
		return nil, apperr.New(apperr.LimitReached, "The change has %d bytes, the limit of an approval is %d.", len(p.Content), maxContent)
	}
	if !isOpen(a.Status) {
		if err := requireRoom(tx, a); err != nil {
			return nil, err
		}
	}
	if p.MarkTargets != nil {
		if err := p.MarkTargets(ctx, u); err != nil {
			return nil, s.explainStale(ctx, err, a, ifMatch)
		}
	}
	after := withContent(a, p, s.digest(p), rules, u.Now())
	if err := s.requireUnique(ctx, u, after); err != nil {
		return nil, err
	}
	err = s.record(ctx, u, a, after, action, after.contentDetail())
	if errors.Is(err, guard.ErrStale) {
		return nil, s.staleOrConflict(ctx, a, ifMatch)
	}
	if err != nil {
		return nil, err
	}
	u.Audit(entry(action, after, nil, after.Note))
	return s.reread(ctx, u, after)
}

// requireUnique checks that the author of an approval has no other open approval of the same
// change. If that approval is overdue, requireUnique sets it to expired. Errors: AlreadyExists.
func (s *Service) requireUnique(ctx context.Context, u *uow.Unit, a *Approval) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	duplicate, err := findSameOpen(tx, a)
	switch {
	case err != nil || duplicate == nil:
		return err
	case duplicate.state(u.Now()) == expired:
		return s.expireRow(ctx, u, duplicate)
	}
	return apperr.New(apperr.AlreadyExists, "%s is unchanged: %s already proposes the same change in %s.", a.label(), a.AuthorName, duplicate.path()).
		With("current", s.listed(ctx, duplicate))
}

// explainStale converts a Subject's error about a changed resource to ApprovalStale or a conflict.
func (s *Service) explainStale(ctx context.Context, err error, a *Approval, ifMatch guard.Precondition) error {
	if errors.Is(err, ErrStaleBase) || errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrDeleted) {
		return s.staleOrConflict(ctx, a, ifMatch)
	}
	return err
}
