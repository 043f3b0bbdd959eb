package coupons

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Quote returns the coupon with a code, and its discount on an order's total for a user, in minor
// units: at least 0 and at most the total. Errors: ValidationFailed at /couponCode for an unusable
// coupon.
func (s *Service) Quote(ctx context.Context, u *uow.Unit, code string, user principal.CustomerID, total int64) (coupon *Coupon, discount int64, err error) {
	if coupon, err = s.usable(ctx, u, code, user); err != nil {
		return nil, 0, err
	}
	if smallest := coupon.Campaign.MinimumAmount; total < smallest {
		return nil, 0, unusable("minimum_amount", fmt.Sprintf("works on orders of at least %d minor units; this one has %d", smallest, total))
	}
	return coupon, coupon.Campaign.discount(total), nil
}

// usable returns a coupon that a user may use in an order now. Errors: ValidationFailed at
// /couponCode. A storefront shows the error to its customer, so the error contains no name of an
// admin user.
func (s *Service) usable(ctx context.Context, u *uow.Unit, code string, user principal.CustomerID) (*Coupon, error) {
	coupon, err := inUnit(ctx, u, code)
	switch {
	case storage.IsNotFound(err):
		return nil, unusable("unknown", "names no coupon")
	case err != nil:
		return nil, fmt.Errorf("read the coupon of an order: %w", err)
	}
	switch state := coupon.state(u.Now()); {
	case state != unused:
		return nil, unusable(state.Name, "cannot be used: "+coupon.ending(u.Now())).
			With("currentStatus", state.Name).With("changedTime", coupon.UpdatedTime)
	case u.Now().Before(coupon.Campaign.ValidFrom):
		return nil, unusable("not_yet_valid", "cannot be used before "+coupon.Campaign.ValidFrom.Format(time.RFC3339))
	case coupon.boundToOther(user):
		return nil, unusable("bound", "was issued to another user")
	}
	return coupon, nil
}

// unusable returns the error for an order with an unusable coupon.
func unusable(code, message string) *apperr.Error {
	return apperr.Invalid(apperr.Field{Pointer: "/couponCode", Code: code, Message: message})
}
