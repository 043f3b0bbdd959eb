package dashboard

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/orders"
	"interlock/internal/views/audit"
	"interlock/internal/views/realtime"
)

// overviewView leaves out what the caller may not see, and shows what is empty.
type overviewView struct {
	OrdersByStatus      map[string]int64   `json:"ordersByStatus,omitzero"`
	OrdersByDay         []dayView          `json:"ordersByDay,omitzero"`
	PaymentsDueSoon     *dueSoonView       `json:"paymentsDueSoon,omitempty"`
	CouponsExpiringSoon *int64             `json:"couponsExpiringSoon,omitempty"`
	ConflictsToday      []Conflicts        `json:"conflictsToday,omitzero"`
	ConflictsTodayTotal *int64             `json:"conflictsTodayTotal,omitempty"`
	RecentChanges       []audit.Folded     `json:"recentChanges,omitzero"`
	WorkingNow          []realtime.Present `json:"workingNow,omitzero"`
}

type dayView struct {
	Day    string `json:"day"`
	Placed int64  `json:"placed"`
	Amount int64  `json:"amount"`
}

// dueSoonView is how many unpaid orders are cancelled soon, and the most urgent of them.
type dueSoonView struct {
	Total int64     `json:"total"`
	Items []dueView `json:"items"`
}

type dueView struct {
	ID         int64                `json:"id"`
	OrderNo    string               `json:"orderNo"`
	UserID     principal.CustomerID `json:"userId"`
	Amount     int64                `json:"amount"`
	PaymentDue *time.Time           `json:"paymentDue"`
}

func viewOf(o Overview) overviewView {
	view := overviewView{
		OrdersByStatus: o.OrdersByStatus, CouponsExpiringSoon: o.CouponsExpiringSoon,
		ConflictsToday: o.ConflictsToday, RecentChanges: o.RecentChanges, WorkingNow: o.WorkingNow,
	}
	if o.OrdersByStatus != nil {
		view.OrdersByDay = make([]dayView, len(o.OrdersByDay))
		for i, day := range o.OrdersByDay {
			view.OrdersByDay[i] = dayView(day)
		}
		view.PaymentsDueSoon = dueSoonOf(o.DueSoon, o.DueSoonTotal)
	}
	if o.ConflictsToday == nil {
		return view
	}
	var total int64
	for _, conflicts := range o.ConflictsToday {
		total += conflicts.Count
	}
	view.ConflictsTodayTotal = &total
	return view
}

func dueSoonOf(due []orders.Order, total int64) *dueSoonView {
	view := &dueSoonView{Total: total, Items: make([]dueView, len(due))}
	for i, order := range due {
		view.Items[i] = dueView{ID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID, Amount: order.Amount, PaymentDue: order.PaymentDue}
	}
	return view
}
