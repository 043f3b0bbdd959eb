package coupons

import (
	"context"
	"fmt"

	"interlock/internal/core/uow"
)

// ReturnFromOrder makes a coupon unused again after its order was cancelled, in the order's unit.
// It does nothing if the order does not use the coupon. Errors: ResourceLocked if the coupon
// changes during every attempt.
func (s *Service) ReturnFromOrder(ctx context.Context, u *uow.Unit, code string, orderID int64) error {
	coupon, err := inUnit(ctx, u, code)
	if err != nil {
		return fmt.Errorf("read the coupon of a cancelled order: %w", err)
	}
	if coupon.Status != used.Code || coupon.OrderID == nil || *coupon.OrderID != orderID {
		return nil
	}
	err = s.moveForOrder(ctx, u, coupon, "return", map[string]any{"orderId": orderID}, func(c *Coupon) { c.RedeemedBy, c.OrderID = nil, nil })
	if err != nil || coupon.UserID != nil {
		return err
	}
	return release(ctx, u, coupon.CampaignID, *coupon.RedeemedBy)
}
