package approvals

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

type bypassKey struct{}

// Bypassing returns a context in which a change of what is protected is made at once, for a
// reason that others review. The route has asked for BypassPermission. "" changes nothing.
func Bypassing(ctx context.Context, reason string) context.Context {
	if reason == "" {
		return ctx
	}
	return context.WithValue(ctx, bypassKey{}, reason)
}

// Propose asks for a change of what is protected, and reports whether it can be made now: in
// a unit that applies an approval, or where the caller bypasses the votes. Otherwise the unit
// has proposed it and makes no change.
//
// A change that its author has pending in the same words is not proposed twice. Errors:
// those of Hold; LimitReached when it is too large for an approval, and when its author has
// maxOpen pending.
func (s *Service) Propose(ctx context.Context, u *uow.Unit, p Proposal) (now bool, err error) {
	if u.Approval() != 0 {
		return true, nil
	}
	if len(p.Content) > maxContent {
		return false, apperr.New(apperr.LimitReached, "The change has %d bytes, and an approval holds %d. Propose it in parts.", len(p.Content), maxContent)
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return false, err
	}
	rules, err := s.rules(ctx, u)
	if err != nil {
		return false, err
	}
	caller, _ := principal.From(ctx)
	a := &Approval{
		Status: pending.Code, AuthorID: caller.UserID, AuthorName: caller.Name,
		ContentVersion: 1, Required: rules.Required, ExpiresTime: u.Now().Add(rules.Lasts),
	}
	a.hold(p)
	if reason, bypassing := ctx.Value(bypassKey{}).(string); bypassing {
		return true, s.insertBypassed(ctx, u, a, reason)
	}
	same, err := openOf(tx, a)
	if err != nil {
		return false, err
	}
	if same != nil && same.state(u.Now()) == pending {
		return false, s.answer(ctx, u, same)
	}
	if err := demandRoom(tx, a); err != nil {
		return false, err
	}
	if p.Hold != nil {
		if err := p.Hold(ctx, u); err != nil {
			return false, err
		}
	}
	if same != nil {
		// Its time has passed and the sweeper has not come by yet.
		if err := s.expireRow(ctx, u, same); err != nil {
			return false, err
		}
	}
	if err := insert(ctx, u, a); err != nil {
		return false, err
	}
	a.Writers = []int64{a.AuthorID}
	if err := insertEvent(ctx, u, a, "propose", nil, map[string]any{"digest": a.Digest, "baseEtag": a.BaseETag, "note": a.Note}); err != nil {
		return false, err
	}
	u.Audit(entry("propose", a, map[string]any{"required": a.Required}, a.Note))
	s.announce(u, "propose", a)
	return false, s.answer(ctx, u, a)
}

// ProposeAbove is Propose for a change that moves money: it waits when its amount, in minor
// units and whatever its sign, is above what the tenant has set for changes of the subject.
func (s *Service) ProposeAbove(ctx context.Context, u *uow.Unit, amount int64, subject Subject, proposal func() (Proposal, error)) (now bool, err error) {
	if u.Approval() != 0 {
		return true, nil
	}
	rules, err := s.rules(ctx, u)
	if err != nil {
		return false, err
	}
	if above, set := rules.Above[subject.Grants().Kind]; !set || -above <= amount && amount <= above {
		return true, nil
	}
	p, err := proposal()
	if err != nil {
		return false, err
	}
	return s.Propose(ctx, u, p)
}

// rules are those of the tenant, as the unit sees them.
func (s *Service) rules(ctx context.Context, u *uow.Unit) (Rules, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return Rules{}, err
	}
	return s.tenancy.Rules(ctx, tx)
}

// demandRoom asks whether the author of an approval may have one more pending. Errors:
// LimitReached.
func demandRoom(tx *gorm.DB, a *Approval) error {
	var open int64
	if err := tx.Model(&Approval{}).Where("author_id = ? AND open_digest IS NOT NULL", a.AuthorID).Count(&open).Error; err != nil {
		return fmt.Errorf("count the pending approvals of an author: %w", err)
	}
	if open < maxOpen {
		return nil
	}
	return apperr.New(apperr.LimitReached, "%s has %d changes that wait for votes already, and may not have more. Withdraw some, or propose many changes as one batch.", a.AuthorName, open)
}

// answer has whatever route the unit serves answer with the approval.
func (s *Service) answer(ctx context.Context, u *uow.Unit, a *Approval) error {
	body, err := s.view(ctx, a)
	if err != nil {
		return err
	}
	u.Propose(uow.Proposed{Path: "/" + a.path(), Body: body})
	return nil
}

// insertBypassed leaves the approval of a change that its author makes in the same unit
// without any vote.
func (s *Service) insertBypassed(ctx context.Context, u *uow.Unit, a *Approval, reason string) error {
	a.Status, a.OpenDigest, a.Reason = bypassed.Code, nil, reason
	if err := insert(ctx, u, a); err != nil {
		return err
	}
	u.Apply(a.ID, entry("bypass", a, nil, reason))
	s.announce(u, "bypass", a)
	return insertEvent(ctx, u, a, "bypass", nil, map[string]any{"digest": a.Digest, "baseEtag": a.BaseETag, "reason": reason})
}

// Moved makes the pending approvals that name one of the resources stale, in the unit that
// has changed them: all but the one that the unit applies. It comes after the last of the
// unit's own writes.
func (s *Service) Moved(ctx context.Context, u *uow.Unit, resources ...string) error {
	rows, err := lockPending(ctx, u, resources, u.Approval())
	if err != nil {
		return err
	}
	for i := range rows {
		if _, err := s.outdate(ctx, u, &rows[i]); err != nil {
			return fmt.Errorf("make an approval stale: %w", err)
		}
	}
	return nil
}

// outdate writes down that a pending approval is stale; or that it has expired, when its time
// has passed and the sweeper has not come by yet. It returns what it did.
func (s *Service) outdate(ctx context.Context, u *uow.Unit, a *Approval) (action string, err error) {
	if a.state(u.Now()) == expired {
		return "expire", s.expireRow(ctx, u, a)
	}
	after := *a
	after.Status = stale.Code
	return "outdate", s.record(ctx, u, a, &after, "outdate", nil)
}

// record writes the next version of an approval with its history, and announces it.
func (s *Service) record(ctx context.Context, u *uow.Unit, before, after *Approval, action string, detail map[string]any) error {
	if err := write(ctx, u, before, after); err != nil {
		return err
	}
	s.announce(u, action, after)
	return insertEvent(ctx, u, after, action, &before.Status, detail)
}

// renewed is an approval with other content, which nobody has voted for.
func renewed(a *Approval, p Proposal, rules Rules, now time.Time) *Approval {
	after := *a
	after.hold(p)
	after.Status, after.ContentVersion, after.Required, after.ExpiresTime = pending.Code, a.Version+1, rules.Required, now.Add(rules.Lasts)
	return &after
}
