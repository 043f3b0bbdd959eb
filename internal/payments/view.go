package payments

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

// View is the representation of a payment.
type View struct {
	ID int64 `json:"id"`
	// The order that it pays, or while it is unmatched the order that its recorder named; null if
	// that order does not exist.
	OrderID *int64                `json:"orderId"`
	OrderNo *string               `json:"orderNo"`
	UserID  *principal.CustomerID `json:"userId"`
	Method  string                `json:"method" validate:"oneof=external wallet"`
	// The payment provider, which scopes the reference. Null for wallets and for an unnamed provider.
	Provider *string `json:"provider"`
	// The payment's name at its provider.
	Reference *string `json:"reference"`
	// In minor units. It is 0 only for an order without an amount.
	Amount   int64  `json:"amount" validate:"min=0"`
	Currency string `json:"currency"`
	// The part of it that unsettled refunds reserve.
	RefundReserved int64 `json:"refundReserved" validate:"min=0"`
	// The part of it that was repaid.
	Refunded int64 `json:"refunded" validate:"min=0"`
	// The part of an applied payment that can still be refunded.
	Refundable int64 `json:"refundable" validate:"min=0"`
	// `refunded`: refunds have repaid all of it, or it was sent back without an order.
	Status status.Name[Payment] `json:"status"`
	// The actions that are possible now, for callers with their permissions.
	AllowedTransitions []status.ActionName[Payment] `json:"allowedTransitions"`
	// The reason why the payment is unmatched, or why it was sent back.
	Reason *string `json:"reason"`
	// The `reason` of an unmatched payment, for programs; null for other payments.
	ReasonCode *UnmatchedReason `json:"reasonCode"`
	// When it was applied to the order.
	AppliedTime *time.Time       `json:"appliedTime"`
	RecordedBy  principal.Person `json:"recordedBy"`
	guard.Stamp
}

// SchemaName returns the name in the contract. Payment is the body of the action pay.
func (View) SchemaName() string { return "PaymentRecord" }

// ViewOf returns the representation of a payment.
func ViewOf(ctx context.Context, p Payment) View {
	v := View{
		ID: p.ID, OrderID: p.OrderID, OrderNo: httpapi.OrNull(p.OrderNo), Method: p.Method, Reference: p.Reference,
		Amount: p.Amount, Currency: principal.CurrencyOf(ctx), RefundReserved: p.RefundReserved, Refunded: p.Refunded, Refundable: p.Refundable(),
		Status: status.NameOf[Payment](p.Status), AllowedTransitions: status.ActionNames[Payment](Machine.Allowed(Machine.Of(p.Status))),
		Reason: httpapi.OrNull(p.Reason), AppliedTime: p.AppliedTime,
		RecordedBy: principal.Person{ID: p.RecordedBy, Name: p.RecordedByName}, Stamp: p.Stamp(),
	}
	if p.UserID != "" {
		v.UserID = &p.UserID
	}
	if p.ReasonCode != "" {
		v.ReasonCode = &p.ReasonCode
	}
	if !p.ByWallet() {
		v.Provider = httpapi.OrNull(p.Provider)
	}
	return v
}

// Example is a payment for the contract.
var Example = func() View {
	created := time.Date(2026, time.January, 31, 9, 35, 0, 123456000, time.UTC)
	order, reference := int64(41), "pi_3MmlLrLkdIwHu7ix"
	payment := Payment{
		Row:     guard.Row{ID: 17, Version: 1, CreatedTime: created, UpdatedTime: created, UpdatedBy: 7, UpdatedByName: "Li"},
		OrderID: &order, NamedOrderID: order, OrderNo: "20260131-7KQ2M9XZTV", UserID: "user-12", Method: External, Provider: "stripe", Reference: &reference,
		Amount: 3480, Status: applied.Code, AppliedTime: &created, RecordedBy: 7, RecordedByName: "Li",
	}
	return ViewOf(principal.With(context.Background(), principal.Principal{Currency: "CNY"}), payment)
}()
