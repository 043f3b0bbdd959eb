package returns

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type lineView struct {
	// The number of the line in the order, from 1.
	LineID int64  `json:"lineId" validate:"min=1"`
	SKU    string `json:"sku" validate:"required"`
	Name   string `json:"name"`
	// Requested units.
	Quantity int64 `json:"quantity" validate:"min=1"`
	// Units that arrived.
	Received int64 `json:"received" validate:"min=0"`
	// Arrived units that are in stock again; the others are written off.
	Restocked int64 `json:"restocked" validate:"min=0"`
}

// View is the representation of a return.
type View struct {
	ID                 int64                       `json:"id"`
	OrderID            int64                       `json:"orderId"`
	OrderNo            string                      `json:"orderNo" validate:"required"`
	UserID             principal.CustomerID        `json:"userId"`
	Lines              []lineView                  `json:"lines" validate:"min=1"`
	Reason             string                      `json:"reason"`
	Status             status.Name[Return]         `json:"status"`
	AllowedTransitions []status.ActionName[Return] `json:"allowedTransitions"`
	// The reason of a rejection.
	StatusReason *string `json:"statusReason"`
	// The refund of the goods.
	RefundID *int64 `json:"refundId"`
	// The order that replaces the goods.
	ExchangeOrderID *int64 `json:"exchangeOrderId"`
	// The number of comments.
	Comments int64 `json:"comments" validate:"min=0"`
	guard.Stamp
}

func viewOf(r Return) View {
	v := View{
		ID: r.ID, OrderID: r.OrderID, OrderNo: r.OrderNo, UserID: r.UserID, Lines: make([]lineView, len(r.Lines)), Reason: r.Reason,
		Status: status.NameOf[Return](r.Status), AllowedTransitions: status.ActionNames[Return](Machine.Allowed(Machine.Of(r.Status))),
		StatusReason: httpapi.OrNull(r.StatusReason), RefundID: r.RefundID, ExchangeOrderID: r.ExchangeOrderID, Comments: r.Comments, Stamp: r.Stamp(),
	}
	for i, line := range r.Lines {
		v.Lines[i] = lineView{LineID: line.LineNo, SKU: line.SKU, Name: line.Name, Quantity: line.Quantity, Received: line.Received, Restocked: line.Restocked}
	}
	return v
}

// example is a return for the contract.
var example = viewOf(exampleReturn)

var exampleReturn = func() Return {
	created := time.Date(2026, time.February, 5, 8, 0, 0, 0, time.UTC)
	return Return{
		Row:     guard.Row{ID: 5, Version: 1, CreatedTime: created, UpdatedTime: created, UpdatedBy: 7, UpdatedByName: "Li"},
		OrderID: 41, OrderNo: "20260131-7KQ2M9XZTV", UserID: "user-12", Reason: "One tin arrived open.",
		Lines: []Line{{LineNo: 1, SKU: "TEA-100", Name: "Green tea 100 g", Quantity: 1}},
	}
}()
