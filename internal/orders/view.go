package orders

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type lineView struct {
	// The number of the line in its order, from 1.
	LineID int64  `json:"lineId"`
	SKU    string `json:"sku"`
	Name   string `json:"name"`
	// Units ordered.
	Quantity int64 `json:"quantity" validate:"min=1"`
	// Price of one unit when the order was created, in minor units.
	Price int64 `json:"price" validate:"min=0"`
	// The same as `price`.
	UnitPrice int64 `json:"unitPrice" validate:"min=0"`
	// The line's part of the order's discount, in minor units.
	Discount int64 `json:"discount" validate:"min=0"`
	// `unitPrice` × `quantity` − `discount`.
	Total int64 `json:"total" validate:"min=0"`
	// Units that can be shipped, without unshipped units of open refunds with `restock`.
	ToShip int64 `json:"toShip" validate:"min=0"`
	// Shipped units.
	Shipped int64 `json:"shipped" validate:"min=0"`
	// Shipped units that a return or a refund has brought back, whether or not they are in stock again.
	Returned int64 `json:"returned" validate:"min=0"`
}

type shipmentView struct {
	Carrier    string `json:"carrier" validate:"required"`
	TrackingNo string `json:"trackingNo" validate:"required"`
}

type parcelLineView struct {
	// The number of the line in the order, from 1.
	LineID   int64  `json:"lineId"`
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity" validate:"min=1"`
}

type parcelView struct {
	ID          int64            `json:"id"`
	OrderID     int64            `json:"orderId"`
	Lines       []parcelLineView `json:"lines"`
	Carrier     string           `json:"carrier" validate:"required"`
	TrackingNo  string           `json:"trackingNo" validate:"required"`
	CreatedTime time.Time        `json:"createdTime"`
	CreatedBy   principal.Person `json:"createdBy"`
}

func parcelViewOf(p Parcel) parcelView {
	v := parcelView{
		ID: p.ID, OrderID: p.OrderID, Lines: make([]parcelLineView, len(p.Lines)), Carrier: p.Carrier, TrackingNo: p.TrackingNo,
		CreatedTime: p.CreatedTime, CreatedBy: principal.Person{ID: p.CreatedBy, Name: p.CreatedByName},
	}
	for i, line := range p.Lines {
		v.Lines[i] = parcelLineView{LineID: line.LineID, SKU: line.SKU, Name: line.Name, Quantity: line.Quantity}
	}
	return v
}

type orderView struct {
	ID int64 `json:"id"`
	// For display: the day and a random part.
	OrderNo    string               `json:"orderNo" validate:"required"`
	UserID     principal.CustomerID `json:"userId"`
	Items      []lineView           `json:"items" validate:"min=1"`
	CouponCode *string              `json:"couponCode"`
	Currency   string               `json:"currency"`
	// The sum of the lines before the discount, in minor units.
	Subtotal int64 `json:"subtotal" validate:"min=0"`
	// In minor units, subtracted from the sum of the lines.
	Discount int64 `json:"discount" validate:"min=0"`
	// In minor units, as the storefront stated it.
	Shipping int64 `json:"shipping" validate:"min=0"`
	// In minor units, as the storefront stated it.
	Tax int64 `json:"tax" validate:"min=0"`
	// The total, in minor units: `subtotal` − `discount` + `shipping` + `tax`.
	Amount int64 `json:"amount" validate:"min=0"`
	// The part of the total that was not paid, in minor units; 0 for a cancelled order.
	Due int64 `json:"due" validate:"min=0"`
	// The sum of the applied payments, in minor units.
	Paid int64 `json:"paid" validate:"min=0"`
	// The part of it that unsettled refunds reserve.
	RefundReserved int64 `json:"refundReserved" validate:"min=0"`
	// The part of it that refunds have repaid.
	Refunded int64 `json:"refunded" validate:"min=0"`
	// `paid` − `refundReserved` − `refunded`: the amount that can still be refunded.
	Refundable       int64              `json:"refundable" validate:"min=0"`
	Status           status.Name[Order] `json:"status"`
	PaymentStatus    PaymentStatus      `json:"paymentStatus"`
	FulfilmentStatus FulfilmentStatus   `json:"fulfilmentStatus"`
	PaymentTerms     Terms              `json:"paymentTerms"`
	// The actions that are possible now.
	AllowedTransitions []status.ActionName[Order] `json:"allowedTransitions"`
	// The latest applied payment.
	Payment *Payment `json:"payment"`
	// The latest shipment.
	Shipment     *shipmentView `json:"shipment"`
	CancelReason *string       `json:"cancelReason"`
	// The flash sale of the order.
	FlashSaleID *int64 `json:"flashSaleId"`
	// The ticket of the purchase that became the order.
	Ticket *string `json:"ticket"`
	// When the order is cancelled unless it is paid.
	PaymentDue *time.Time `json:"paymentDue"`
	// When the order was paid in full.
	PaidTime *time.Time `json:"paidTime"`
	// When no unit was left to ship or in an open refund.
	ShippedTime   *time.Time `json:"shippedTime"`
	CompletedTime *time.Time `json:"completedTime"`
	CancelledTime *time.Time `json:"cancelledTime"`
	// The order's id in the storefront.
	ExternalID      *string           `json:"externalId"`
	Email           *string           `json:"email"`
	ShippingAddress *Address          `json:"shippingAddress"`
	BillingAddress  *Address          `json:"billingAddress"`
	Note            string            `json:"note"`
	Tags            []string          `json:"tags"`
	Metadata        map[string]string `json:"metadata"`
	guard.Stamp
}

func viewOf(ctx context.Context, o Order) orderView {
	v := orderView{
		ID: o.ID, OrderNo: o.OrderNo, UserID: o.UserID, Items: make([]lineView, len(o.Lines)),
		CouponCode: httpapi.OrNull(o.CouponCode), Currency: principal.CurrencyOf(ctx), Discount: o.Discount, Amount: o.Amount,
		Paid: o.Paid, RefundReserved: o.RefundReserved, Refunded: o.Refunded, Refundable: o.Refundable(),
		Status: status.NameOf[Order](o.Status), AllowedTransitions: status.ActionNames[Order](o.Allowed()),
		CancelReason: httpapi.OrNull(o.CancelReason), FlashSaleID: o.SaleID, Ticket: o.Ticket, PaymentDue: o.PaymentDue, Stamp: o.Stamp(),
		Subtotal: o.Amount + o.Discount - o.Shipping - o.Tax, Shipping: o.Shipping, Tax: o.Tax, Due: o.Due(),
		PaymentStatus: o.PaymentStatus(), FulfilmentStatus: o.FulfilmentStatus(), PaymentTerms: o.PaymentTerms,
		PaidTime: o.PaidTime, ShippedTime: o.ShippedTime, CompletedTime: o.CompletedTime, CancelledTime: o.CancelledTime,
		ExternalID: o.ExternalID, Email: httpapi.OrNull(o.Email), ShippingAddress: o.ShippingAddress, BillingAddress: o.BillingAddress,
		Note: o.Note, Tags: o.Tags, Metadata: o.Metadata,
	}
	totals := LineTotals(o.Lines, o.Discount)
	for i, line := range o.Lines {
		v.Items[i] = lineView{
			LineID: int64(i + 1), SKU: line.SKU, Name: line.Name, Quantity: line.Quantity, Price: line.Price,
			UnitPrice: line.Price, Discount: line.Price*line.Quantity - totals[i], Total: totals[i],
			ToShip: line.ToShip, Shipped: line.Shipped, Returned: line.ReturnedUnits(),
		}
	}
	v.Payment = o.latestPayment()
	if o.Carrier != "" {
		v.Shipment = &shipmentView{o.Carrier, o.TrackingNo}
	}
	return v
}

type editedView struct {
	orderView
	Merged *change.Merged `json:"merged,omitempty"`
}

// refusalView has the members of a rejected transition that only orders have.
type refusalView struct {
	Code string `json:"code,omitempty" validate:"oneof=transition_not_allowed status_changed nothing_to_ship"`
}

// parcelExample is a shipment for the contract.
var parcelExample = parcelView{
	ID: 7, OrderID: 41, Lines: []parcelLineView{{LineID: 1, SKU: "TEA-100", Name: "Green tea 100 g", Quantity: 1}},
	Carrier: "DHL", TrackingNo: "JD014600006838",
	CreatedTime: time.Date(2026, time.February, 1, 8, 0, 0, 0, time.UTC), CreatedBy: principal.Person{ID: 7, Name: "Li"},
}

// example is an order for the contract.
var example = viewOf(principal.With(context.Background(), principal.Principal{Currency: "CNY"}), exampleOrder)

var exampleOrder = func() Order {
	created := time.Date(2026, time.January, 31, 9, 30, 0, 123456000, time.UTC)
	return Order{
		Row:     guard.Row{ID: 41, Version: 1, CreatedTime: created, UpdatedTime: created, UpdatedBy: 7, UpdatedByName: "Li"},
		OrderNo: "20260131-7KQ2M9XZTV", UserID: "user-12", Discount: 500, Amount: 3480, PaymentTerms: Prepaid,
		Details: Details{Tags: []string{}, Metadata: map[string]string{}}, CouponCode: "K7QMX-2F9RT-H4WZA-8CNPB",
		Lines: []Line{{SKU: "TEA-100", Name: "Green tea 100 g", Quantity: 2, Price: 1990, ToShip: 2}},
	}
}()
