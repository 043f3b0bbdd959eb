package coupons

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Redemption says who uses a coupon, and for which order if any.
type Redemption struct {
	UserID  principal.CustomerID `json:"userId" validate:"pattern"`
	OrderID *int64               `json:"orderId,omitempty" validate:"omitempty,min=1"`
}

// Voiding says why a coupon is withdrawn.
type Voiding struct {
	Reason string `json:"reason,omitempty" validate:"max=500"`
}

// Demand is VersionConflict when a precondition was given that does not hold.
func (s *Service) Demand(u *uow.Unit, coupon *Coupon, ifMatch *guard.Precondition) error {
	return s.lifecycle(u.Now()).Demand(coupon, ifMatch)
}

// Redeem uses a coupon that was just read. What it refuses undoes the whole unit,
// so the rules are asked once the status is known to allow it.
//
// Errors: TransitionNotAllowed and StatusChanged, with who used it and when;
// TransitionNotAllowed too before validFrom and from validTo on; ValidationFailed at
// /userId when it is bound to another user; LimitReached when the user holds perUser.
func (s *Service) Redeem(ctx context.Context, u *uow.Unit, coupon *Coupon, r Redemption, ifMatch *guard.Precondition) (*Coupon, error) {
	after, err := s.transition(ctx, u, coupon, "redeem", ifMatch, r.fill)
	if err != nil {
		return nil, err
	}
	if from := coupon.Campaign.ValidFrom; u.Now().Before(from) {
		refusal := s.lifecycle(u.Now()).Refusal(coupon, apperr.TransitionNotAllowed, "redeem")
		refusal.Detail = fmt.Sprintf("%s cannot be redeemed before %s.", coupon.Label(), from.Format(time.RFC3339))
		return nil, refusal
	}
	if coupon.boundToOther(r.UserID) {
		return nil, apperr.Invalid(apperr.Field{Pointer: "/userId", Code: "bound", Message: "is not the user that this coupon was issued to"})
	}
	if coupon.UserID == nil {
		if err := hold(ctx, u, coupon.Campaign, []principal.CustomerID{r.UserID}); err != nil {
			return nil, err
		}
	}
	return after, s.record(ctx, u, coupon, after, "redeem", r)
}

// Void withdraws an unused coupon that was just read. It still counts as issued
// and as held by its user. Errors: TransitionNotAllowed, StatusChanged.
func (s *Service) Void(ctx context.Context, u *uow.Unit, coupon *Coupon, v Voiding, ifMatch *guard.Precondition) (*Coupon, error) {
	after, err := s.transition(ctx, u, coupon, "void", ifMatch, func(c *Coupon) { c.VoidReason = v.Reason })
	if err != nil {
		return nil, err
	}
	return after, s.record(ctx, u, coupon, after, "void", v)
}

func (r Redemption) fill(c *Coupon) { c.RedeemedBy, c.OrderID = &r.UserID, r.OrderID }

func (c *Coupon) boundToOther(user principal.CustomerID) bool {
	return c.UserID != nil && *c.UserID != user
}

// transition moves a coupon along its machine as it is at the unit's time.
func (s *Service) transition(ctx context.Context, u *uow.Unit, coupon *Coupon, action string, ifMatch *guard.Precondition, fill func(*Coupon)) (*Coupon, error) {
	now := u.Now()
	after, err := s.lifecycle(now).Transition(ctx, u, coupon, action, ifMatch, func(to status.State) (*Coupon, error) {
		after := *coupon
		after.Status = to.Code
		fill(&after)
		return &after, move(ctx, u, coupon, &after)
	})
	var refusal *apperr.Error
	if coupon.overdue(now) && errors.As(err, &refusal) && refusal.Code == apperr.TransitionNotAllowed {
		refusal.Detail = fmt.Sprintf("%s cannot be %s: it expired at %s.", coupon.Label(), Machine.Participle(action), coupon.Campaign.ValidTo.Format(time.RFC3339))
	}
	return after, err
}

// record keeps the event, leaves the unit's audit entry, and announces the change.
func (s *Service) record(ctx context.Context, u *uow.Unit, before, after *Coupon, action string, detail any) error {
	event, err := eventOf(after, action, &before.Status, detail)
	if err != nil {
		return err
	}
	u.Audit(uow.Entry{Action: "coupon." + action, Resource: Topic + "/" + after.Code, Note: after.VoidReason, Detail: map[string]any{
		"version": after.Version, "from": Machine.Of(before.Status).Name, "to": Machine.Of(after.Status).Name, "detail": detail,
	}})
	s.announce(u, action, after)
	return insertEvents(ctx, u, event)
}

// lifecycle declares coupons, as they are at a time, to package change.
func (s *Service) lifecycle(now time.Time) change.Lifecycle[Coupon, *Coupon] {
	return change.Lifecycle[Coupon, *Coupon]{
		Rows: change.Rows[Coupon, *Coupon]{
			DB: s.db, Label: (*Coupon).Label, View: func(c *Coupon) any { return represent(*c, now) },
			Find: func(db *gorm.DB, id int64) (*Coupon, error) { return findCoupon(db, "id = ?", id) },
		},
		Machine: Machine,
		State:   func(c *Coupon) status.State { return c.state(now) },
	}
}

// inUnit reads a coupon in the unit's transaction.
func inUnit(ctx context.Context, u *uow.Unit, code string) (*Coupon, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	return findCoupon(tx, "code = ?", canonical(code))
}

// unusable is a coupon that an order cannot use.
func unusable(code, message string) *apperr.Error {
	return apperr.Invalid(apperr.Field{Pointer: "/couponCode", Code: code, Message: message})
}

// usable returns the coupon that a user may use in an order now, or
// ValidationFailed at /couponCode, which says who was faster where somebody was.
func usable(ctx context.Context, u *uow.Unit, code string, user principal.CustomerID) (*Coupon, error) {
	coupon, err := inUnit(ctx, u, code)
	switch {
	case storage.IsNotFound(err):
		return nil, unusable("unknown", "names no coupon")
	case err != nil:
		return nil, fmt.Errorf("read the coupon of an order: %w", err)
	}
	switch state := coupon.state(u.Now()); {
	case state != unused:
		return nil, spent(coupon, state)
	case u.Now().Before(coupon.Campaign.ValidFrom):
		return nil, unusable("not_yet_valid", "cannot be used before "+coupon.Campaign.ValidFrom.Format(time.RFC3339))
	case coupon.boundToOther(user):
		return nil, unusable("bound", "was issued to another user")
	}
	return coupon, nil
}

func spent(coupon *Coupon, state status.State) *apperr.Error {
	stamp := coupon.Stamp()
	return unusable(state.Name, "cannot be used any more: it is "+state.Name).
		With("currentStatus", state.Name).With("changedBy", stamp.UpdatedBy).With("changedTime", stamp.UpdatedTime)
}

// Quote returns a code in its own spelling and what the coupon takes off an order's
// total for a user, in minor units: at least 0 and at most the total. A coupon that
// cannot be used is ValidationFailed at /couponCode.
func (s *Service) Quote(ctx context.Context, u *uow.Unit, code string, user principal.CustomerID, total int64) (spelled string, discount int64, err error) {
	coupon, err := usable(ctx, u, code, user)
	if err != nil {
		return "", 0, err
	}
	if smallest := coupon.Campaign.MinimumAmount; total < smallest {
		return "", 0, unusable("minimum_amount", fmt.Sprintf("works on orders of at least %d minor units; this one has %d", smallest, total))
	}
	return coupon.Code, coupon.Campaign.discount(total), nil
}

// RedeemForOrder uses a coupon for an order, in the order's unit, whose audit entry
// speaks for both. When somebody else has used it meanwhile the unit is run again,
// and then finds it used.
func (s *Service) RedeemForOrder(ctx context.Context, u *uow.Unit, code string, user principal.CustomerID, orderID int64) error {
	coupon, err := usable(ctx, u, code, user)
	if err != nil {
		return err
	}
	redemption := Redemption{UserID: user, OrderID: &orderID}
	if err := s.step(ctx, u, coupon, "redeem", used, redemption, redemption.fill); err != nil {
		return err
	}
	if coupon.UserID != nil {
		return nil
	}
	err = hold(ctx, u, coupon.Campaign, []principal.CustomerID{user})
	if apperr.Has(err, apperr.LimitReached) {
		return unusable("limit_reached", fmt.Sprintf("is of a campaign of which one user may have %d, and this user has them", coupon.Campaign.PerUser))
	}
	return err
}

// ReturnFromOrder makes a coupon unused again that a cancelled order had used, in
// the order's unit. One that this order does not use is left as it is.
func (s *Service) ReturnFromOrder(ctx context.Context, u *uow.Unit, code string, orderID int64) error {
	coupon, err := inUnit(ctx, u, code)
	if err != nil {
		return fmt.Errorf("read the coupon of a cancelled order: %w", err)
	}
	if coupon.Status != used.Code || coupon.OrderID == nil || *coupon.OrderID != orderID {
		return nil
	}
	err = s.step(ctx, u, coupon, "return", unused, map[string]any{"orderId": orderID}, func(c *Coupon) { c.RedeemedBy, c.OrderID = nil, nil })
	if err != nil || coupon.UserID != nil {
		return err
	}
	return release(ctx, u, coupon.CampaignID, *coupon.RedeemedBy)
}

// step moves a coupon within another resource's unit and keeps the event.
func (s *Service) step(ctx context.Context, u *uow.Unit, coupon *Coupon, action string, to status.State, detail any, fill func(*Coupon)) error {
	after := *coupon
	after.Status = to.Code
	fill(&after)
	err := move(ctx, u, coupon, &after)
	if errors.Is(err, guard.ErrStale) {
		return uow.Again(spent(coupon, used))
	}
	if err != nil {
		return fmt.Errorf("%s the coupon of an order: %w", action, err)
	}
	event, err := eventOf(&after, action, &coupon.Status, detail)
	if err != nil {
		return err
	}
	s.announce(u, action, &after)
	return insertEvents(ctx, u, event)
}
