package approvals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

type bypassKey struct{}

// Bypassing returns a context in which a protected change is made immediately, for a reason that
// other users review. The parameter type Bypass has checked the caller's permission and second
// factor. The reason "" returns ctx.
func Bypassing(ctx context.Context, reason string) context.Context {
	if reason == "" {
		return ctx
	}
	return context.WithValue(ctx, bypassKey{}, reason)
}

// Propose is called before a protected row is changed, and reports whether the unit may change it
// now: true if the unit applies an approval or the caller bypasses the votes. On false the unit has
// inserted an approval and must not make the change. A change with Scheduling is applied at its
// time.
//
// If the author already has the same change pending, the unit returns that approval. Errors: those
// of MarkTargets; LimitReached if the change is too large for an approval or its author has maxOpen
// pending.
func (s *Service) Propose(ctx context.Context, u *uow.Unit, p Proposal) (now bool, err error) {
	if u.Approval() != 0 {
		return true, nil
	}
	if len(p.Content) > maxContent {
		return false, apperr.New(apperr.LimitReached, "The change has %d bytes, the limit of an approval is %d. Propose it in parts.", len(p.Content), maxContent)
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
	if p.EffectiveTime, err = scheduledFor(ctx, u.Now()); err != nil {
		return false, err
	}
	a := &Approval{AuthorID: caller.UserID, AuthorName: caller.Name, ContentVersion: 1}
	a.setContent(p, s.digest(p), rules, u.Now())
	if reason, bypassing := ctx.Value(bypassKey{}).(string); bypassing {
		return true, s.insertBypassed(ctx, u, a, reason)
	}
	same, err := findSameOpen(tx, a)
	if err != nil {
		return false, err
	}
	if same != nil && same.state(u.Now()) != expired {
		return false, s.respond(ctx, u, same)
	}
	if err := requireRoom(tx, a); err != nil {
		return false, err
	}
	if p.MarkTargets != nil {
		if err := p.MarkTargets(ctx, u); err != nil {
			return false, err
		}
	}
	if same != nil {
		// The sweeper has not expired it yet.
		if err := s.expireRow(ctx, u, same); err != nil {
			return false, err
		}
	}
	if err := insert(ctx, u, a); err != nil {
		return false, err
	}
	a.Written = []Act{writtenBy(caller.Users(), a.CreatedTime)}
	if err := insertEvent(ctx, u, a, "propose", nil, a.contentDetail()); err != nil {
		return false, err
	}
	u.Audit(entry("propose", a, map[string]any{"required": a.Required}, a.Note))
	s.announce(u, "propose", a)
	return false, s.respond(ctx, u, a)
}

// ProposeAbove calls Propose for a change that moves money, if the absolute amount, in minor units,
// is above the tenant's threshold for the subject; otherwise the unit may make the change now.
// amount is called only if the tenant has a threshold.
func (s *Service) ProposeAbove(
	ctx context.Context, u *uow.Unit, subject Subject, amount func() (int64, error), proposal func() (Proposal, error),
) (now bool, err error) {
	if u.Approval() != 0 {
		return true, nil
	}
	rules, err := s.rules(ctx, u)
	if err != nil {
		return false, err
	}
	needs := rules.forMoney(subject)
	if needs == nil {
		return true, nil
	}
	if moved, err := amount(); err != nil || !needs.Of(moved) {
		return err == nil, err
	}
	p, err := proposal()
	if err != nil {
		return false, err
	}
	return s.Propose(ctx, u, p)
}

// rules returns the tenant's rules, as read by the unit.
func (s *Service) rules(ctx context.Context, u *uow.Unit) (Rules, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return Rules{}, err
	}
	return s.tenancy.Rules(ctx, tx)
}

// requireRoom checks that the author of an approval may have one more pending. Errors:
// LimitReached.
func requireRoom(tx *gorm.DB, a *Approval) error {
	var open int64
	if err := tx.Model(&Approval{}).Where("author_id = ? AND open_digest IS NOT NULL", a.AuthorID).Count(&open).Error; err != nil {
		return fmt.Errorf("count the pending approvals of an author: %w", err)
	}
	if open < maxOpen {
		return nil
	}
	return apperr.New(apperr.LimitReached, "%s has reached the limit of %d pending changes. Withdraw some, or propose many changes as one batch.", a.AuthorName, open)
}

// respond sets the unit's response to 202 with the approval, whatever the route.
func (s *Service) respond(ctx context.Context, u *uow.Unit, a *Approval) error {
	body, err := s.view(ctx, a)
	if err != nil {
		return err
	}
	u.Propose(uow.Proposed{Path: "/" + a.path(), Body: body})
	return nil
}

// insertBypassed inserts the approval of a change that its author makes in the same unit without
// votes.
func (s *Service) insertBypassed(ctx context.Context, u *uow.Unit, a *Approval, reason string) error {
	a.Status, a.OpenDigest, a.Reason = bypassed.Code, nil, reason
	if err := insert(ctx, u, a); err != nil {
		return err
	}
	u.Apply(a.ID, entry("bypass", a, nil, reason))
	s.announce(u, "bypass", a)
	return insertEvent(ctx, u, a, "bypass", nil, map[string]any{"digest": a.Digest, "baseEtag": a.BaseETag, "reason": reason})
}

// MarkStale makes the open approvals that name one of the resources stale, in the unit that changed
// the resources. It excludes the approval that the unit applies. It is called after the last write
// of the unit.
func (s *Service) MarkStale(ctx context.Context, u *uow.Unit, resources ...string) error {
	rows, err := lockPending(ctx, u, resources, u.Approval())
	if err != nil {
		return err
	}
	for i := range rows {
		_, err := s.markRowStale(ctx, u, &rows[i])
		if errors.Is(err, guard.ErrStale) {
			// The engine may not lock rows across servers. The approval has changed, not the
			// resource that the caller edits, so the caller gets a retry and no conflict.
			return uow.Overtaken("approval")
		}
		if err != nil {
			return fmt.Errorf("make an approval stale: %w", err)
		}
		u.AuditUnder(rows[i].path())
	}
	return nil
}

// markRowStale makes an open approval stale, or expired if it is overdue. It returns the
// action.
func (s *Service) markRowStale(ctx context.Context, u *uow.Unit, a *Approval) (action string, err error) {
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

// contentDetail returns the detail of a history row with content.
func (a *Approval) contentDetail() map[string]any {
	return a.withEffectiveTime(map[string]any{"digest": a.Digest, "baseEtag": a.BaseETag, "note": a.Note})
}

// withEffectiveTime adds the approval's EffectiveTime, if it has one, to a detail.
func (a *Approval) withEffectiveTime(detail map[string]any) map[string]any {
	if a.EffectiveTime != nil {
		detail["effectiveTime"] = a.EffectiveTime.UTC()
	}
	return detail
}

// withContent returns a copy of an approval with new content, which voids its votes.
func withContent(a *Approval, p Proposal, digest string, rules Rules, now time.Time) *Approval {
	after := *a
	after.setContent(p, digest, rules, now)
	after.ContentVersion, after.Reason = a.Version+1, ""
	return &after
}
