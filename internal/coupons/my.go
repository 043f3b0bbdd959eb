package coupons

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/edge/httpapi"
)

// myRoutes registers the routes of customers, who read their coupons.
func myRoutes(r *httpapi.Router, h handler) {
	mine := r.About(httpapi.Resource{Tag: "Customers", Noun: "my coupon", Example: myViewOf(exampleCoupon)})
	httpapi.GetOf(mine, "/my/coupons", "", httpapi.Myself, h.listMine).
		Doc("List my coupons", "The coupons that only the calling customer, or the customer that an API token acts for, can redeem.").
		With(httpapi.Contract{ID: "listMyCoupons", Sorts: couponSorts, ForCustomers: true})
}

// myCouponView is a coupon for its customer.
type myCouponView struct {
	Code string `json:"code" validate:"required"`
	// Whether `value` is in minor units or in percent.
	Kind          Kind                `json:"kind"`
	Value         int64               `json:"value" validate:"min=1"`
	MinimumAmount int64               `json:"minimumAmount" validate:"min=0"`
	Currency      string              `json:"currency"`
	ValidFrom     time.Time           `json:"validFrom"`
	ValidTo       time.Time           `json:"validTo"`
	Status        status.Name[Coupon] `json:"status"`
	// The order that used it.
	OrderID *int64 `json:"orderId"`
}

func myViewOf(c couponView) myCouponView {
	return myCouponView{c.Code, c.Kind, c.Value, c.MinimumAmount, c.Currency, c.ValidFrom, c.ValidTo, c.Status, c.OrderID}
}

type listMineRequest struct {
	Status status.Param[Coupon] `query:"status"`
	httpapi.Page
}

func (h handler) listMine(ctx context.Context, me principal.CustomerID, in listMineRequest) (httpapi.List[myCouponView], error) {
	listing, err := h.service.Coupons(ctx, Filter{UserID: me, Status: in.Status.State}, in.Page.Page())
	now := h.service.clock.Now()
	return httpapi.ListOf(listing, func(coupon Coupon) myCouponView { return myViewOf(couponViewOf(ctx, coupon, now)) }), err
}
