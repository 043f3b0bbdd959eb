package approvals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Edit is another patch, note or time for what the caller has proposed. Nil members stay.
type Edit struct {
	Patch json.RawMessage
	Note  *string
	// Time is when the change is to be made, nil there for as soon as it has its votes.
	Time **time.Time
}

// Edit gives an open approval other content, as a new version that nobody has voted for.
// One that changes nothing is left alone. Errors: VersionConflict, TransitionNotAllowed,
// ValidationFailed, ApprovalStale; AlreadyExists when its author has the same pending
// already; Forbidden for anybody but its author, and for who may not propose such changes.
func (s *Service) Edit(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition, edit Edit) (*Approval, error) {
	if err := s.requireAllowed(ctx, a, "edit", ifMatch); err != nil {
		return nil, err
	}
	if err := s.mustBeAuthor(ctx, a); err != nil {
		return nil, err
	}
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
	// The digest that it has can be of an earlier key.
	if s.digest(p) == s.digest(a.proposal()) && p.Note == a.Note {
		return a, nil
	}
	return s.replace(ctx, u, a, ifMatch, "edit", p)
}

// Rebase merges a stale approval onto what is there now, as a new version that nobody has
// voted for; who does so has written it. Errors: VersionConflict; TransitionNotAllowed, also
// when nothing is left to change; ApprovalStale with what cannot be merged; AlreadyExists when
// its author has the same pending already, and LimitReached when they have maxOpen pending;
// Forbidden for who may not propose such changes.
func (s *Service) Rebase(ctx context.Context, u *uow.Unit, a *Approval, ifMatch guard.Precondition) (*Approval, error) {
	l := s.lifecycle(ctx)
	if err := l.CheckPrecondition(a, &ifMatch); err != nil {
		return nil, err
	}
	if _, possible := Machine.Next("rebase", a.state(u.Now())); !possible {
		return nil, l.Refusal(a, apperr.TransitionNotAllowed, "rebase")
	}
	subject, err := s.subjectOf(a.Kind)
	if err != nil {
		return nil, err
	}
	if caller, _ := principal.From(ctx); caller.UserID == 0 {
		return nil, apperr.New(apperr.Forbidden, "Approvals are rebased by users of this service.")
	}
	if err := requirePermissions(ctx, subject.Grants().Write); err != nil {
		return nil, err
	}
	p, err := subject.Rebase(ctx, u, a.proposal())
	p.EffectiveTime = a.EffectiveTime
	if errors.Is(err, ErrNoChange) {
		return nil, apperr.New(apperr.TransitionNotAllowed, "%s cannot be rebased: what it proposes is there already. Withdraw it.", a.label()).
			With("current", s.listed(ctx, a)).With("currentStatus", stale.Name).With("allowedTransitions", Machine.Allowed(stale)).
			With("changedBy", a.StatusRevision.By()).With("changedTime", a.StatusRevision.ChangedTime)
	}
	if err != nil {
		return nil, s.explainStale(ctx, err, a, ifMatch)
	}
	return s.replace(ctx, u, a, ifMatch, "rebase", p)
}

// retime sets the EffectiveTime of a proposal. Errors: ValidationFailed, also for no time when the
// change takes no votes either.
func (a *Approval) retime(p *Proposal, at *time.Time, now time.Time) error {
	p.EffectiveTime = nil
	if at == nil && a.Required == 0 {
		return apperr.Invalid(apperr.Field{Pointer: "/effectiveTime", Code: "required", Message: "is required: the change waits for nothing else; withdraw it and make it now instead"})
	}
	if at == nil {
		return nil
	}
	if broken := checkTime("/effectiveTime", *at, now); len(broken) > 0 {
		return apperr.Invalid(broken...)
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
		return nil, apperr.New(apperr.LimitReached, "The change has %d bytes, and an approval holds %d.", len(p.Content), maxContent)
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

// requireUnique checks that the author of an approval has no other one open for the same change.
// One that is overdue is expired. Errors: AlreadyExists.
func (s *Service) requireUnique(ctx context.Context, u *uow.Unit, a *Approval) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	twin, err := findSameOpen(tx, a)
	switch {
	case err != nil || twin == nil:
		return err
	case twin.state(u.Now()) == expired:
		return s.expireRow(ctx, u, twin)
	}
	return apperr.New(apperr.AlreadyExists, "%s stays as it was: %s proposes the same change in %s already.", a.label(), a.AuthorName, twin.path()).
		With("current", s.listed(ctx, twin))
}

// explainStale turns an error of a Subject that says that the resource has changed into what the
// caller is told.
func (s *Service) explainStale(ctx context.Context, err error, a *Approval, ifMatch guard.Precondition) error {
	if errors.Is(err, ErrStaleBase) || errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrGone) {
		return s.staleOrConflict(ctx, a, ifMatch)
	}
	return err
}
