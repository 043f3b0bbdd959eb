package refunds

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type lineView struct {
	SKU      string `json:"sku" validate:"required"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity" validate:"min=1"`
	// The units return to stock when the refund is settled. Unshipped units leave `toShip` at the
	// request, and return to it if the refund is rejected or fails.
	Restock bool `json:"restock"`
	// The units' share of the payment, in minor units.
	Worth int64 `json:"worth" validate:"min=0"`
}

type refundView struct {
	ID      int64                `json:"id"`
	OrderID int64                `json:"orderId"`
	OrderNo string               `json:"orderNo" validate:"required"`
	UserID  principal.CustomerID `json:"userId"`
	// The payment that it repays.
	PaymentID int64 `json:"paymentId"`
	// The refunded amount, in minor units.
	Amount   int64  `json:"amount" validate:"min=1"`
	Currency string `json:"currency"`
	// The method of the payment, which is also the way of the refund.
	Method string `json:"method" validate:"oneof=external wallet"`
	// `cancellation`: the refund repays the rest of a cancelled order.
	Origin string              `json:"origin" validate:"oneof=request cancellation"`
	Lines  []lineView          `json:"lines"`
	Reason string              `json:"reason"`
	Status status.Name[Refund] `json:"status"`
	// The actions that are possible now, for callers with their permissions.
	AllowedTransitions []status.ActionName[Refund] `json:"allowedTransitions"`
	// The reason of a rejection, a failure or an unknown outcome.
	StatusReason *string `json:"statusReason"`
	// The reference of the money movement: the wallet entry, or the provider's reference.
	Reference    *string           `json:"reference"`
	RequestedBy  principal.Person  `json:"requestedBy"`
	ApprovedBy   *principal.Person `json:"approvedBy"`
	ApprovedTime *time.Time        `json:"approvedTime"`
	guard.Stamp
}

// readView is a refund with the requirements of its approval.
type readView struct {
	refundView
	// The requirements of its approval, because it is above the tenant's `refundApprovalThreshold`:
	// `approve` then proposes it. Absent if one user can approve it alone, and if it cannot be
	// approved now.
	ChangeNeeds *changeNeeds `json:"changeNeeds,omitempty"`
}

// changeNeeds are the votes that the approval of a refund needs.
type changeNeeds struct {
	// The number of votes of other users.
	Approvals int `json:"approvals" validate:"min=1"`
}

func viewOf(ctx context.Context, r Refund) refundView {
	v := refundView{
		ID: r.ID, OrderID: r.OrderID, OrderNo: r.OrderNo, UserID: r.UserID, PaymentID: r.PaymentID, Amount: r.Amount, Currency: principal.CurrencyOf(ctx), Method: r.Method, Origin: r.Origin,
		Lines: make([]lineView, len(r.Lines)), Reason: r.Reason,
		Status: status.NameOf[Refund](r.Status), AllowedTransitions: status.ActionNames[Refund](r.allowed()),
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

// example is a refund for the contract.
var example = func() refundView {
	created := time.Date(2026, time.February, 3, 10, 0, 0, 123456000, time.UTC)
	refund := Refund{
		Row:     guard.Row{ID: 12, Version: 1, CreatedTime: created, UpdatedTime: created, UpdatedBy: 7, UpdatedByName: "Li"},
		OrderID: 41, OrderNo: "20260131-7KQ2M9XZTV", UserID: "user-12", PaymentID: 17, Amount: 1740, Method: "external", Origin: Requested,
		Reason: "One tin arrived open.", RequestedBy: 7, RequestedByName: "Li",
		Lines: []Line{{SKU: "TEA-100", Name: "Green tea 100 g", Quantity: 1, Restock: true, Worth: 1740}},
	}
	return viewOf(principal.With(context.Background(), principal.Principal{Currency: "CNY"}), refund)
}()
