package orders

import (
	"context"
	"fmt"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
)

// LineRequest is one line of a new order.
type LineRequest struct {
	SKU      string `json:"sku" validate:"required,max=64"`
	Quantity int64  `json:"quantity" validate:"min=1,max=10000"`
}

// Placement is a new order.
type Placement struct {
	UserID principal.CustomerID
	// Lines are 1 to 100 lines of 1 to 10,000 units each.
	Lines []LineRequest
	// CouponCode is "" without a coupon.
	CouponCode string
}

// Place places an order at the catalog's prices, reserves its units and redeems its coupon, in one
// unit.
//
// Errors: InsufficientStock, with the missing items as lines; lock.ErrNotAcquired if the stock was
// locked for too long; ValidationFailed at /items/i/sku for an item that is not for sale or is
// named twice, at /items/i for an amount that exceeds an int64, at /couponCode for an unusable
// coupon.
func (s *Service) Place(ctx context.Context, u *uow.Unit, p Placement) (*Order, error) {
	skus := make([]string, len(p.Lines))
	for i, line := range p.Lines {
		skus[i] = line.SKU
	}
	ctx, err := s.stock.Lock(ctx, u, lockWait, skus...)
	if err != nil {
		return nil, err
	}
	lines, err := s.price(ctx, u, p.Lines)
	if err != nil {
		return nil, err
	}
	sum, tooMuch, fits := total(lines)
	if !fits {
		return nil, apperr.Invalid(apperr.Field{
			Pointer: fmt.Sprintf("/items/%d", tooMuch), Code: "overflow", Message: "makes the amount exceed the largest possible amount",
		})
	}
	order := &Order{UserID: p.UserID, Status: pending.Code, Amount: sum, Lines: lines, PaymentTerms: Prepaid, Details: Details{Tags: []string{}, Metadata: map[string]string{}}}
	var coupon *coupons.Coupon
	if p.CouponCode != "" {
		coupon, order.Discount, err = s.coupons.Quote(ctx, u, p.CouponCode, p.UserID, sum)
		if err != nil {
			return nil, err
		}
		order.CouponCode = coupon.Code
		order.Amount -= order.Discount
	}
	if order.OrderNo, err = orderNumber(u.Now(), s.random); err != nil {
		return nil, err
	}
	if err := insert(ctx, u, order); err != nil {
		return nil, err
	}
	if err := s.stock.Reserve(ctx, u, order.Holder(), order.reference("place"), order.quantities()); err != nil {
		return nil, err
	}
	detail := map[string]any{"amount": order.Amount, "discount": order.Discount}
	if coupon != nil {
		if err := s.coupons.RedeemForOrder(ctx, u, coupon, p.UserID, order.ID); err != nil {
			return nil, err
		}
		detail["couponCode"] = order.CouponCode
	}
	if err := insertHistory(ctx, u, order, "create", nil, detail); err != nil {
		return nil, err
	}
	s.record(u, "create", order, map[string]any{"version": order.Version, "orderNo": order.OrderNo, "userId": order.UserID, "detail": detail})
	return order, nil
}

// price returns the requested lines at the catalog's prices.
func (s *Service) price(ctx context.Context, u *uow.Unit, requests []LineRequest) ([]Line, error) {
	lines := make([]Line, len(requests))
	skus := make([]string, len(requests))
	var violations []apperr.Field
	reject := func(i int, code, message string) {
		violations = append(violations, apperr.Field{Pointer: fmt.Sprintf("/items/%d/sku", i), Code: code, Message: message})
	}
	for i, w := range requests {
		if slices.Contains(skus[:i], w.SKU) {
			reject(i, "unique", "is named by an earlier line; add the quantities up")
			continue
		}
		lines[i] = Line{Quantity: w.Quantity, ToShip: w.Quantity}
		skus[i] = w.SKU
	}
	if len(violations) > 0 {
		return nil, apperr.Invalid(violations...)
	}
	if err := s.catalog.Use(ctx, u, skus...); err != nil {
		return nil, err
	}
	items, err := s.catalog.ForSale(ctx, u, skus)
	if err != nil {
		return nil, err
	}
	for i, sku := range skus {
		item, found := items[sku]
		if !found {
			reject(i, "not_for_sale", "names no item that is for sale")
		}
		lines[i].SKU, lines[i].Name, lines[i].Price = sku, item.Name, item.Price
	}
	if len(violations) > 0 {
		return nil, apperr.Invalid(violations...)
	}
	return lines, nil
}
