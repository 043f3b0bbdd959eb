package coupons

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Redemption says which user uses a coupon, and for which of their orders if any.
type Redemption struct {
	UserID  principal.CustomerID `json:"userId" validate:"pattern"`
	OrderID *int64               `json:"orderId,omitempty" validate:"omitempty,min=1"`
}

func (r Redemption) fill(c *Coupon) { c.RedeemedBy, c.OrderID = &r.UserID, r.OrderID }

// Redeem uses a coupon that was just read. What it refuses undoes the whole unit,
// so the rules are asked once the status is known to allow it.
//
// Errors: TransitionNotAllowed and StatusChanged, with who used it and when;
// TransitionNotAllowed too before validFrom and from validTo on; ValidationFailed at
// /userId when it is bound to another user, and at /orderId when the user has no such order;
// LimitReached when the user holds perUser.
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
	if r.OrderID != nil {
		switch owner, err := s.orderOwner(ctx, u, *r.OrderID); {
		case err != nil:
			return nil, err
		case owner != r.UserID:
			return nil, apperr.Invalid(apperr.Field{Pointer: "/orderId", Code: "not_of_user", Message: "names no order of this user; send an order of theirs, or none"})
		}
	}
	if coupon.UserID == nil {
		if err := hold(ctx, u, coupon.Campaign, []principal.CustomerID{r.UserID}); err != nil {
			return nil, err
		}
	}
	return after, s.record(ctx, u, coupon, after, "redeem", r)
}

// RedeemForOrder uses a coupon that was quoted for an order, in the order's unit, whose
// audit entry speaks for both. When somebody else has changed it since it was quoted the
// unit is run again, and then finds it used. Errors: ValidationFailed at /couponCode;
// ResourceLocked when it is changed each time.
func (s *Service) RedeemForOrder(ctx context.Context, u *uow.Unit, coupon *Coupon, user principal.CustomerID, orderID int64) error {
	redemption := Redemption{UserID: user, OrderID: &orderID}
	if err := s.moveForOrder(ctx, u, coupon, "redeem", redemption, redemption.fill); err != nil {
		return err
	}
	if coupon.UserID != nil {
		return nil
	}
	err := hold(ctx, u, coupon.Campaign, []principal.CustomerID{user})
	if apperr.Has(err, apperr.LimitReached) {
		return unusable("limit_reached", fmt.Sprintf("is of a campaign of which one user may have %d, and this user has them", coupon.Campaign.PerUser))
	}
	return err
}
