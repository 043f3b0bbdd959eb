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

// Redemption is the use of a coupon by a user, optionally for one of the user's orders.
type Redemption struct {
	UserID principal.CustomerID `json:"userId" validate:"pattern"`
	// The order of this user for which the coupon is used. 422 at `/orderId` if the user has no
	// such order.
	OrderID *int64 `json:"orderId,omitempty" validate:"omitempty,min=1"`
}

// SchemaName returns the name in the contract.
func (Redemption) SchemaName() string { return "Redemption" }

func (r Redemption) fill(c *Coupon) { c.RedeemedBy, c.OrderID = &r.UserID, r.OrderID }

// Redeem uses a coupon that was just read. An error rolls back the whole unit, so Redeem checks the
// other rules after the guarded UPDATE of the status.
//
// Errors: TransitionNotAllowed and StatusChanged, with the user and the time of the use;
// TransitionNotAllowed also before validFrom and from validTo on; ValidationFailed at /userId if
// the coupon is bound to another user, and at /orderId if the user has no such order; LimitReached
// if the user has reached perUser.
func (s *Service) Redeem(ctx context.Context, u *uow.Unit, coupon *Coupon, r Redemption, ifMatch *guard.Precondition) (*Coupon, error) {
	after, err := s.transition(ctx, u, coupon, "redeem", ifMatch, r.fill)
	if err != nil {
		return nil, err
	}
	if from := coupon.Campaign.ValidFrom; u.Now().Before(from) {
		rejection := s.lifecycle(u.Now()).Refusal(ctx, coupon, apperr.TransitionNotAllowed, "redeem")
		rejection.Detail = fmt.Sprintf("%s cannot be redeemed before %s.", coupon.Label(), from.Format(time.RFC3339))
		return nil, rejection
	}
	if coupon.boundToOther(r.UserID) {
		return nil, apperr.Invalid(apperr.Field{Pointer: "/userId", Code: "bound", Message: "is not the user that this coupon was issued to"})
	}
	if r.OrderID != nil {
		switch owner, err := s.orderOwner(ctx, u, *r.OrderID); {
		case err != nil:
			return nil, err
		case owner != r.UserID:
			return nil, apperr.Invalid(apperr.Field{Pointer: "/orderId", Code: "not_of_user", Message: "names no order of this user; send one of the user's orders, or none"})
		}
	}
	if coupon.UserID == nil {
		if err := hold(ctx, u, coupon.Campaign, []principal.CustomerID{r.UserID}); err != nil {
			return nil, err
		}
	}
	return after, s.record(ctx, u, coupon, after, "redeem", r)
}

// RedeemForOrder uses a quoted coupon for an order, in the order's unit; the order's audit entry
// covers both. If the coupon has changed since the quote, the unit is retried. Errors:
// ValidationFailed at /couponCode; ResourceLocked if the coupon changes during every attempt.
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
		return unusable("limit_reached", fmt.Sprintf("is of a campaign with a limit of %d per user, which this user has reached", coupon.Campaign.PerUser))
	}
	return err
}
