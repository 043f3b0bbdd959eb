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

// LineRequest is one line of an order to be placed.
type LineRequest struct {
	SKU      string `json:"sku" validate:"required,max=64"`
	Quantity int64  `json:"quantity" validate:"min=1,max=10000"`
}

// Placement is an order to be placed.
type Placement struct {
	UserID principal.CustomerID
	// Wanted has 1 to 100 lines, each of 1 to 10,000 pieces.
	Wanted []LineRequest
	// CouponCode is "" without a coupon.
	CouponCode string
}

// Place places an order at the catalog's prices, reserves its pieces and redeems its
// coupon, in one unit: either all happen or nothing.
//
// Errors: InsufficientStock, with the items that are short as lines;
// lock.ErrNotAcquired when the stock was not had in time; ValidationFailed at
// /items/i/sku for an item that is not for sale or is named twice, at /items/i for an
// amount that does not fit, at /couponCode for a coupon that cannot be used.
func (s *Service) Place(ctx context.Context, u *uow.Unit, p Placement) (*Order, error) {
	skus := make([]string, len(p.Wanted))
	for i, wanted := range p.Wanted {
		skus[i] = wanted.SKU
	}
	ctx, err := s.stock.Lock(ctx, u, lockWait, skus...)
	if err != nil {
		return nil, err
	}
	lines, err := s.price(ctx, u, p.Wanted)
	if err != nil {
		return nil, err
	}
	sum, tooMuch, fits := total(lines)
	if !fits {
		return nil, apperr.Invalid(apperr.Field{
			Pointer: fmt.Sprintf("/items/%d", tooMuch), Code: "overflow", Message: "makes the amount exceed the largest possible amount",
		})
	}
	order := &Order{UserID: p.UserID, Status: pending.Code, Amount: sum, Lines: lines}
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

// price turns what is wanted into lines at the catalog's prices.
func (s *Service) price(ctx context.Context, u *uow.Unit, wanted []LineRequest) ([]Line, error) {
	lines := make([]Line, len(wanted))
	skus := make([]string, len(wanted))
	var broken []apperr.Field
	refuse := func(i int, code, message string) {
		broken = append(broken, apperr.Field{Pointer: fmt.Sprintf("/items/%d/sku", i), Code: code, Message: message})
	}
	for i, w := range wanted {
		if slices.Contains(skus[:i], w.SKU) {
			refuse(i, "unique", "is named by an earlier line; add the quantities up")
			continue
		}
		lines[i] = Line{Quantity: w.Quantity, ToShip: w.Quantity}
		skus[i] = w.SKU
	}
	if len(broken) > 0 {
		return nil, apperr.Invalid(broken...)
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
			refuse(i, "not_for_sale", "names no item that is for sale")
		}
		lines[i].SKU, lines[i].Name, lines[i].Price = sku, item.Name, item.Price
	}
	if len(broken) > 0 {
		return nil, apperr.Invalid(broken...)
	}
	return lines, nil
}
