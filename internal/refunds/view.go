package refunds

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type lineView struct {
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	Restock  bool   `json:"restock"`
	Worth    int64  `json:"worth"`
}

type refundView struct {
	ID                 int64                `json:"id"`
	OrderID            int64                `json:"orderId"`
	OrderNo            string               `json:"orderNo"`
	UserID             principal.CustomerID `json:"userId"`
	Amount             int64                `json:"amount"`
	Currency           string               `json:"currency"`
	Method             string               `json:"method"`
	Origin             string               `json:"origin"`
	Lines              []lineView           `json:"lines"`
	Reason             string               `json:"reason"`
	Status             string               `json:"status"`
	AllowedTransitions []string             `json:"allowedTransitions"`
	StatusReason       *string              `json:"statusReason"`
	Reference          *string              `json:"reference"`
	RequestedBy        principal.Person     `json:"requestedBy"`
	ApprovedBy         *principal.Person    `json:"approvedBy"`
	ApprovedTime       *time.Time           `json:"approvedTime"`
	guard.Stamp
}

// readView is a refund with the requirements of its approval.
type readView struct {
	refundView
	// ChangeNeeds is nil if its approval needs no votes, or is not possible now.
	ChangeNeeds *changeNeeds `json:"changeNeeds,omitempty"`
}

// changeNeeds are the votes that the approval of a refund needs.
type changeNeeds struct {
	Approvals int `json:"approvals"`
}

func viewOf(ctx context.Context, r Refund) refundView {
	v := refundView{
		ID: r.ID, OrderID: r.OrderID, OrderNo: r.OrderNo, UserID: r.UserID, Amount: r.Amount, Currency: principal.CurrencyOf(ctx), Method: r.Method, Origin: r.Origin,
		Lines: make([]lineView, len(r.Lines)), Reason: r.Reason,
		Status: Machine.Of(r.Status).Name, AllowedTransitions: r.allowed(),
		StatusReason: httpapi.OrNull(r.StatusReason), Reference: r.Reference,
		RequestedBy: principal.Person{ID: r.RequestedBy, Name: r.RequestedByName}, ApprovedTime: r.ApprovedTime, Stamp: r.Stamp(),
	}
	for i, line := range r.Lines {
		v.Lines[i] = lineView{SKU: line.SKU, Name: line.Name, Quantity: line.Quantity, Restock: line.Restock, Worth: line.Worth}
	}
	if r.ApprovedBy != nil {
		v.ApprovedBy = &principal.Person{ID: *r.ApprovedBy, Name: r.ApprovedByName}
	}
	return v
}
