package dashboard

import (
	"interlock/internal/views/audit"
	"interlock/internal/views/realtime"
)

// overviewView leaves out what the caller may not see, and shows what is empty.
type overviewView struct {
	OrdersByStatus      map[string]int64   `json:"ordersByStatus,omitzero"`
	OrdersByDay         []Day              `json:"ordersByDay,omitzero"`
	PaymentsDueSoon     *dueSoonView       `json:"paymentsDueSoon,omitempty"`
	RefundsByStatus     map[string]int64   `json:"refundsByStatus,omitzero"`
	WorkOrdersByStatus  map[string]int64   `json:"workOrdersByStatus,omitzero"`
	CouponsExpiringSoon *int64             `json:"couponsExpiringSoon,omitempty"`
	Approvals           *Waiting           `json:"approvals,omitempty"`
	ConflictsToday      []Conflicts        `json:"conflictsToday,omitzero"`
	ConflictsTodayTotal *int64             `json:"conflictsTodayTotal,omitempty"`
	RecentChanges       []audit.Folded     `json:"recentChanges,omitzero"`
	WorkingNow          []realtime.Present `json:"workingNow,omitzero"`
}

// dueSoonView is how many unpaid orders are cancelled soon, and the most urgent of them.
type dueSoonView struct {
	Total int64 `json:"total"`
	Items []Due `json:"items"`
}

func viewOf(o Overview) overviewView {
	view := overviewView{
		OrdersByStatus: o.OrdersByStatus, RefundsByStatus: o.RefundsByStatus, WorkOrdersByStatus: o.WorkOrdersByStatus, CouponsExpiringSoon: o.CouponsExpiringSoon, Approvals: o.Approvals,
		ConflictsToday: o.ConflictsToday, RecentChanges: o.RecentChanges, WorkingNow: o.WorkingNow,
	}
	if o.OrdersByStatus != nil {
		view.OrdersByDay = o.OrdersByDay
		view.PaymentsDueSoon = &dueSoonView{Total: o.DueSoonTotal, Items: o.DueSoon}
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
