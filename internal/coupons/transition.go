package coupons

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// transition moves a coupon along its machine at the unit's time. fill sets the other columns of
// the action. The caller records the transition.
func (s *Service) transition(ctx context.Context, u *uow.Unit, coupon *Coupon, action string, ifMatch *guard.Precondition, fill func(*Coupon)) (*Coupon, error) {
	now := u.Now()
	after, err := s.lifecycle(now).Transition(ctx, u, coupon, action, ifMatch, func(to status.State) (*Coupon, error) {
		return move(ctx, u, coupon, to, fill)
	})
	var rejection *apperr.Error
	if coupon.state(now) == expired && errors.As(err, &rejection) && rejection.Code == apperr.TransitionNotAllowed {
		rejection.Detail = fmt.Sprintf("%s cannot be %s: %s.", coupon.Label(), Machine.Participle(action), s.cause(coupon, now))
	}
	return after, err
}

// record inserts the event, writes the unit's audit entry, and announces the change.
func (s *Service) record(ctx context.Context, u *uow.Unit, before, after *Coupon, action string, detail any) error {
	u.Audit(uow.Entry{Action: "coupon." + action, Resource: resource(after.Code), Note: after.VoidReason, Detail: map[string]any{
		"version": after.Version, "from": before.state(u.Now()).Name, "to": Machine.Of(after.Status).Name, "detail": detail,
	}})
	return s.insertHistory(ctx, u, before, after, action, detail)
}

// insertHistory inserts the event and announces the change.
func (s *Service) insertHistory(ctx context.Context, u *uow.Unit, before, after *Coupon, action string, detail any) error {
	from := before.state(u.Now()).Code
	event, err := eventOf(after, action, &from, detail)
	if err != nil {
		return err
	}
	s.announce(u, action, after)
	return insertEvents(ctx, u, event)
}

// moveForOrder moves a coupon in the unit of the order that uses or returns it, and inserts the
// event. The order's audit entry is also filed under the coupon. If the coupon has changed since it
// was read, the unit is retried.
func (s *Service) moveForOrder(ctx context.Context, u *uow.Unit, coupon *Coupon, action string, detail any, fill func(*Coupon)) error {
	to, _ := Machine.Next(action, coupon.state(u.Now()))
	after, err := move(ctx, u, coupon, to, fill)
	if errors.Is(err, guard.ErrStale) {
		return uow.Overtaken("coupon")
	}
	if err != nil {
		return fmt.Errorf("%s the coupon of an order: %w", action, err)
	}
	u.AuditUnder(resource(after.Code))
	return s.insertHistory(ctx, u, coupon, after, action, detail)
}

// lifecycle declares coupons at a time to package change.
func (s *Service) lifecycle(now time.Time) change.Lifecycle[Coupon, *Coupon] {
	return change.Lifecycle[Coupon, *Coupon]{
		Rows: change.Rows[Coupon, *Coupon]{
			DB: s.db, Label: (*Coupon).Label, View: func(ctx context.Context, c *Coupon) any { return couponViewOf(ctx, *c, now) },
			Find: func(db *gorm.DB, id int64) (*Coupon, error) { return findCoupon(db, "id = ?", id) },
		},
		Machine: Machine,
		State:   func(c *Coupon) status.State { return c.state(now) },
	}
}

// cause returns the reason why a coupon is not unused: the user and the time of its use or voiding,
// or its expiry, written or not.
func (s *Service) cause(coupon *Coupon, now time.Time) string {
	if coupon.state(now) == expired {
		return coupon.ending(now)
	}
	return s.lifecycle(now).Cause(coupon)
}

// ending describes the end of a coupon that is not unused, without the user.
func (c *Coupon) ending(now time.Time) string {
	if c.overdue(now) {
		return "it expired at " + c.Campaign.ValidTo.Format(time.RFC3339)
	}
	participle, _ := Machine.ReachedBy(Machine.Of(c.Status))
	return "it was " + participle + " " + c.UpdatedTime.UTC().Format("on 2006-01-02 at 15:04 UTC")
}
