package orders

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type lineView struct {
	// LineID is the number of the line in its order, from 1.
	LineID   int64  `json:"lineId"`
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	Price    int64  `json:"price"`
	ToShip   int64  `json:"toShip"`
	Shipped  int64  `json:"shipped"`
	Returned int64  `json:"returned"`
}

type orderView struct {
	ID                 int64                `json:"id"`
	OrderNo            string               `json:"orderNo"`
	UserID             principal.CustomerID `json:"userId"`
	Items              []lineView           `json:"items"`
	CouponCode         *string              `json:"couponCode"`
	Currency           string               `json:"currency"`
	Discount           int64                `json:"discount"`
	Amount             int64                `json:"amount"`
	Paid               int64                `json:"paid"`
	RefundReserved     int64                `json:"refundReserved"`
	Refunded           int64                `json:"refunded"`
	Refundable         int64                `json:"refundable"`
	Status             string               `json:"status"`
	AllowedTransitions []string             `json:"allowedTransitions"`
	Payment            *Payment             `json:"payment"`
	Shipment           *Shipment            `json:"shipment"`
	CancelReason       *string              `json:"cancelReason"`
	FlashSaleID        *int64               `json:"flashSaleId"`
	Ticket             *string              `json:"ticket"`
	PaymentDue         *time.Time           `json:"paymentDue"`
	guard.Stamp
}

func viewOf(ctx context.Context, o Order) orderView {
	v := orderView{
		ID: o.ID, OrderNo: o.OrderNo, UserID: o.UserID, Items: make([]lineView, len(o.Lines)),
		CouponCode: httpapi.OrNull(o.CouponCode), Currency: principal.CurrencyOf(ctx), Discount: o.Discount, Amount: o.Amount,
		Paid: o.Paid, RefundReserved: o.RefundReserved, Refunded: o.Refunded, Refundable: o.Refundable(),
		Status: Machine.Of(o.Status).Name, AllowedTransitions: o.Allowed(),
		CancelReason: httpapi.OrNull(o.CancelReason), FlashSaleID: o.SaleID, Ticket: o.Ticket, PaymentDue: o.PaymentDue, Stamp: o.Stamp(),
	}
	for i, line := range o.Lines {
		v.Items[i] = lineView{
			LineID: int64(i + 1), SKU: line.SKU, Name: line.Name, Quantity: line.Quantity, Price: line.Price,
			ToShip: line.ToShip, Shipped: line.Shipped, Returned: line.Returned,
		}
	}
	if o.PaymentMethod != "" {
		payment := o.payment()
		v.Payment = &payment
	}
	if o.Carrier != "" {
		v.Shipment = &Shipment{Carrier: o.Carrier, TrackingNo: o.TrackingNo}
	}
	return v
}
