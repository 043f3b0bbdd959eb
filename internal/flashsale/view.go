package flashsale

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/flashsale/gate"
)

type flashSaleView struct {
	ID int64 `json:"id"`
	Terms
	Currency string `json:"currency"`
	// The item's name, as copied to orders.
	ItemName           string                    `json:"itemName"`
	Status             status.Name[Sale]         `json:"status"`
	AllowedTransitions []status.ActionName[Sale] `json:"allowedTransitions"`
	guard.Stamp
}

func saleViewOf(ctx context.Context, s Sale) flashSaleView {
	return flashSaleView{
		ID: s.ID, Terms: s.Terms, Currency: principal.CurrencyOf(ctx), ItemName: s.ItemName, Status: status.NameOf[Sale](s.Status),
		AllowedTransitions: status.ActionNames[Sale](Machine.Allowed(Machine.Of(s.Status))), Stamp: s.Stamp(),
	}
}

// editedView is a sale with the result of a merge.
type editedView struct {
	flashSaleView
	Merged *change.Merged `json:"merged,omitempty"`
}

type revisionView struct {
	Version int64                  `json:"version"`
	Action  status.EventName[Sale] `json:"action"`
	Terms
	Currency string            `json:"currency"`
	Status   status.Name[Sale] `json:"status"`
	// The message of the decision; empty otherwise.
	Note        string           `json:"note"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func revisionViewOf(ctx context.Context, r Revision) revisionView {
	return revisionView{
		Version: r.Version, Action: status.EventName[Sale](r.Action), Terms: r.Terms, Currency: principal.CurrencyOf(ctx), Status: status.NameOf[Sale](r.Status), Note: r.Note,
		ChangedBy: r.By(), ChangedTime: r.ChangedTime,
	}
}

// ticketStatus is the status of a ticket for its customer.
type ticketStatus string

const (
	statusQueued    ticketStatus = "queued"
	statusConfirmed ticketStatus = "confirmed"
	statusRejected  ticketStatus = "rejected"
)

// Enum returns the values in the contract.
func (ticketStatus) Enum() []string {
	return []string{string(statusQueued), string(statusConfirmed), string(statusRejected)}
}

// SchemaName returns the name of the type in the contract.
func (ticketStatus) SchemaName() string { return "FlashSaleTicketStatus" }

// ticketView is the representation of a ticket for its customer.
type ticketView struct {
	Ticket   string       `json:"ticket" validate:"required"`
	Status   ticketStatus `json:"status"`
	Quantity int64        `json:"quantity,omitempty" validate:"min=1"`
	OrderID  int64        `json:"orderId,omitempty"`
	OrderNo  string       `json:"orderNo,omitempty" validate:"required"`
	// Why it was rejected: `sold_out`, `limit`, `discarded`, `lost`. Or `order_cancelled`: it was
	// confirmed, and its order is now cancelled.
	Reason string `json:"reason,omitempty" validate:"required"`
}

// acceptedView is the reply to a purchase.
type acceptedView struct {
	ticketView
	// The number of tickets that wait before it.
	Ahead int64 `json:"ahead" validate:"min=0"`
}

func ticketViewOf(t gate.Ticket) ticketView {
	v := ticketView{Ticket: t.ID, Status: statusQueued, Quantity: t.Units, OrderID: t.OrderID, OrderNo: t.OrderNo, Reason: t.Reason}
	switch t.State {
	case gate.Confirmed:
		v.Status = statusConfirmed
	case gate.Cancelled:
		// The purchase was confirmed; the order shows its later states.
		v.Status, v.Reason = statusConfirmed, "order_cancelled"
	case gate.Rejected:
		v.Status = statusRejected
	}
	return v
}

// draftView has the members of an error about a draft.
type draftView struct {
	CurrentStatus      status.Name[Sale] `json:"currentStatus"`
	AllowedTransitions []string          `json:"allowedTransitions"`
}

// notOpenView has the members of a purchase that is rejected because the sale is not open.
type notOpenView struct {
	Reason     string            `json:"reason" validate:"oneof=draft paused closed not_started ended"`
	SaleStatus status.Name[Sale] `json:"saleStatus"`
	StartsTime time.Time         `json:"startsTime"`
	EndsTime   time.Time         `json:"endsTime"`
}

// unansweredView has the members of a purchase without a result.
type unansweredView struct {
	// For `outcome_unknown`: the ticket of the purchase, if it was accepted.
	Ticket string `json:"ticket,omitempty" validate:"required"`
}

// example is a sale for the contract.
var example = func() flashSaleView {
	created := time.Date(2026, time.January, 31, 9, 30, 0, 123_456_000, time.UTC)
	starts := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	return saleViewOf(principal.With(context.Background(), principal.Principal{Currency: "CNY"}), Sale{
		Row: guard.Row{ID: 9, Version: 1, CreatedTime: created, UpdatedTime: created, UpdatedBy: 7, UpdatedByName: "Li"},
		Terms: Terms{
			Name: "Noon sale", SKU: "TEA-100", Price: 990, Quantity: 2000, PerUserLimit: 2, StartsTime: starts, EndsTime: starts.Add(time.Hour), QueueCap: new(int64(5000)),
		},
		ItemName: "Green tea 100 g", Status: draft.Code,
	})
}()
