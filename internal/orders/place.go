package orders

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
)

// LineRequest is one line of a new order.
type LineRequest struct {
	SKU      string `json:"sku" validate:"required,max=64"`
	Quantity int64  `json:"quantity" validate:"min=1,max=10000"`
}

// Placement is a new order. The hash of its JSON identifies its content, so a later member must be
// omitted when it is absent.
type Placement struct {
	UserID principal.CustomerID `json:"userId" validate:"pattern"`
	// Each sku at most once.
	Lines      []LineRequest `json:"items" validate:"min=1,max=100,dive"`
	CouponCode *string       `json:"couponCode,omitempty" validate:"omitempty,min=1,max=64"`
	// The order's id in the storefront. The same request again returns the order with status 200.
	ExternalID *string `json:"externalId,omitempty" validate:"omitempty,name=128"`
	// The total that the customer accepted, in minor units.
	ExpectedTotal *int64 `json:"expectedTotal,omitempty" validate:"omitempty,min=0"`
	// Part of the total, in minor units.
	Shipping int64 `json:"shipping,omitempty" validate:"min=0" default:"0"`
	// Part of the total, in minor units.
	Tax int64 `json:"tax,omitempty" validate:"min=0" default:"0"`
	// `prepaid`: the order is shipped after its payment, and cancelled if it is not paid within the
	// tenant's `unpaidOrderMinutes`.
	PaymentTerms Terms `json:"paymentTerms,omitempty" validate:"omitempty,enum" default:"prepaid"`
	Details
}

// SchemaName returns the name in the contract.
func (Placement) SchemaName() string { return "OrderCreate" }

// contentHash returns a digest that equals that of another placement if both have the same content.
func (p Placement) contentHash() (string, error) {
	p.PaymentTerms = cmp.Or(p.PaymentTerms, Prepaid)
	p.normalize()
	text, err := merge.Encode(p)
	if err != nil {
		return "", fmt.Errorf("encode a new order: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text)), nil
}

// Deadlines are the tenant's rules for unpaid orders.
type Deadlines interface {
	// UnpaidAfter returns the time after which an unpaid order is cancelled; 0 for never.
	UnpaidAfter(ctx context.Context) (time.Duration, error)
}

// Place places an order at the catalog's prices, reserves its units and redeems its coupon, in one
// unit. If an order with the external id and the same content exists, Place returns it, existed is
// true, and nothing changes.
//
// Errors: PayloadMismatch for other content under an existing external id; TotalChanged if the total
// is not the expected one; InsufficientStock, with the missing items as lines; lock.ErrNotAcquired if the stock was
// locked for too long; ValidationFailed at /items/i/sku for an item that is not for sale or is
// named twice, at /items/i for an amount that exceeds an int64, at /couponCode for an unusable
// coupon.
func (s *Service) Place(ctx context.Context, u *uow.Unit, p Placement) (order *Order, existed bool, err error) {
	hash, err := p.contentHash()
	if err != nil {
		return nil, false, err
	}
	if p.ExternalID != nil {
		if order, err = s.placedAs(ctx, *p.ExternalID, hash); order != nil || err != nil {
			return order, order != nil, err
		}
	}
	order, err = s.place(ctx, u, p, hash)
	return order, false, err
}

// placedAs returns the order with an external id, or nil for none. It reads before the unit's
// transaction begins: of concurrent requests with an external id the unique key rejects all except
// one, and their units run again and find its order. Errors: PayloadMismatch.
func (s *Service) placedAs(ctx context.Context, externalID, hash string) (*Order, error) {
	var ids []int64
	if err := s.db.Read(ctx).Model(&Order{}).Where("external_id = ?", externalID).Limit(1).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
		return nil, err
	}
	order, err := s.Order(ctx, ids[0])
	if err != nil {
		return nil, err
	}
	if order.ContentHash == nil || *order.ContentHash != hash {
		return nil, apperr.New(apperr.PayloadMismatch, "The external id %q belongs to %s, which has other content. Nothing was changed; use a new external id for another order.", externalID, order.Label()).
			With("first", viewOf(ctx, *order))
	}
	return order, nil
}

// place places an order that does not exist yet.
func (s *Service) place(ctx context.Context, u *uow.Unit, p Placement, hash string) (*Order, error) {
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
	order := &Order{
		UserID: p.UserID, Status: pending.Code, Amount: sum, Lines: lines, Shipping: p.Shipping, Tax: p.Tax,
		PaymentTerms: cmp.Or(p.PaymentTerms, Prepaid), Details: p.Details, ExternalID: p.ExternalID,
	}
	order.normalize()
	if p.ExternalID != nil {
		order.ContentHash = &hash
	}
	var coupon *coupons.Coupon
	if p.CouponCode != nil {
		coupon, order.Discount, err = s.coupons.Quote(ctx, u, *p.CouponCode, p.UserID, sum)
		if err != nil {
			return nil, err
		}
		order.CouponCode = coupon.Code
		order.Amount -= order.Discount
	}
	if err := order.addCharges(); err != nil {
		return nil, err
	}
	if p.ExpectedTotal != nil && *p.ExpectedTotal != order.Amount {
		return nil, apperr.New(apperr.TotalChanged, "The total of the order is %d, not %d. Nothing was changed; show the customer the new total, and send it as expectedTotal.", order.Amount, *p.ExpectedTotal).
			With("expectedTotal", *p.ExpectedTotal).With("total", order.Amount)
	}
	if order.PaymentTerms == Prepaid {
		within, err := s.deadlines.UnpaidAfter(ctx)
		if err != nil {
			return nil, err
		}
		if within > 0 {
			order.PaymentDue = new(u.Now().Add(within))
		}
	}
	if order.OrderNo, err = orderNumber(u.Now(), s.random); err != nil {
		return nil, err
	}
	if err := insert(ctx, u, order); err != nil {
		return nil, err
	}
	if err := s.stock.ReserveFirst(ctx, u, order.Holder(), order.reference("place"), order.quantities()); err != nil {
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

// addCharges adds shipping and tax to the amount. Errors: ValidationFailed if it exceeds an int64.
func (o *Order) addCharges() error {
	for _, charge := range []struct {
		pointer string
		amount  int64
	}{{"/shipping", o.Shipping}, {"/tax", o.Tax}} {
		if charge.amount > math.MaxInt64-o.Amount {
			return apperr.Invalid(apperr.Field{Pointer: charge.pointer, Code: "overflow", Message: "makes the amount exceed the largest possible amount"})
		}
		o.Amount += charge.amount
	}
	return nil
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
