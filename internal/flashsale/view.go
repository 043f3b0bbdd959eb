package flashsale

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/flashsale/gate"
)

type saleView struct {
	ID int64 `json:"id"`
	Terms
	Currency           string   `json:"currency"`
	ItemName           string   `json:"itemName"`
	Status             string   `json:"status"`
	AllowedTransitions []string `json:"allowedTransitions"`
	guard.Stamp
}

func saleViewOf(ctx context.Context, s Sale) saleView {
	state := Machine.Of(s.Status)
	return saleView{
		ID: s.ID, Terms: s.Terms, Currency: principal.CurrencyOf(ctx), ItemName: s.ItemName, Status: state.Name, AllowedTransitions: Machine.Allowed(state), Stamp: s.Stamp(),
	}
}

// editedView is a sale with the result of a merge.
type editedView struct {
	saleView
	Merged *change.Merged `json:"merged,omitempty"`
}

type revisionView struct {
	Version int64  `json:"version"`
	Action  string `json:"action"`
	Terms
	Currency    string           `json:"currency"`
	Status      string           `json:"status"`
	Note        string           `json:"note"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func revisionViewOf(ctx context.Context, r Revision) revisionView {
	return revisionView{
		Version: r.Version, Action: r.Action, Terms: r.Terms, Currency: principal.CurrencyOf(ctx), Status: Machine.Of(r.Status).Name, Note: r.Note,
		ChangedBy: r.By(), ChangedTime: r.ChangedTime,
	}
}

// ticketView is the representation of a ticket for its customer.
type ticketView struct {
	Ticket string `json:"ticket"`
	Status string `json:"status"`
	// Ahead is present only in the reply to a purchase.
	Ahead    *int64 `json:"ahead,omitempty"`
	Quantity int64  `json:"quantity,omitempty"`
	OrderID  int64  `json:"orderId,omitempty"`
	OrderNo  string `json:"orderNo,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

func ticketViewOf(t gate.Ticket) ticketView {
	v := ticketView{Ticket: t.ID, Status: "queued", Quantity: t.Units, OrderID: t.OrderID, OrderNo: t.OrderNo, Reason: t.Reason}
	switch t.State {
	case gate.Confirmed:
		v.Status = "confirmed"
	case gate.Cancelled:
		// The purchase was confirmed; the order shows its later states.
		v.Status, v.Reason = "confirmed", "order_cancelled"
	case gate.Rejected:
		v.Status = "rejected"
	}
	return v
}
