package dashboard

import (
	"context"
	"slices"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/views/audit"
	"interlock/internal/views/realtime"
)

// overviewView omits the parts that the caller may not see, and includes empty ones.
type overviewView struct {
	// Capped contains pointers to numbers that are lower bounds.
	Capped         []string         `json:"capped,omitempty"`
	OrdersByStatus map[string]int64 `json:"ordersByStatus,omitzero"`
	// Currency is of the amounts of OrdersByDay and PaymentsDueSoon.
	Currency            string             `json:"currency,omitempty"`
	OrdersByDay         []Day              `json:"ordersByDay,omitzero"`
	PaymentsDueSoon     *dueSoonView       `json:"paymentsDueSoon,omitempty"`
	RefundsByStatus     map[string]int64   `json:"refundsByStatus,omitzero"`
	WorkOrdersByStatus  map[string]int64   `json:"workOrdersByStatus,omitzero"`
	CouponsExpiringSoon *int64             `json:"couponsExpiringSoon,omitempty"`
	Approvals           map[string]int64   `json:"approvals,omitzero"`
	ConflictsToday      []Conflicts        `json:"conflictsToday,omitzero"`
	ConflictsTodayTotal *int64             `json:"conflictsTodayTotal,omitempty"`
	RecentChanges       []audit.Folded     `json:"recentChanges,omitzero"`
	WorkingNow          []realtime.Present `json:"workingNow,omitzero"`
}

// dueSoonView contains the number of unpaid orders that will be cancelled soon, and the
// most urgent of them.
type dueSoonView struct {
	Total int64 `json:"total"`
	Items []Due `json:"items"`
}

func viewOf(ctx context.Context, o Overview) overviewView {
	view := overviewView{ConflictsToday: o.ConflictsToday, RecentChanges: o.RecentChanges, WorkingNow: o.WorkingNow}
	view.OrdersByStatus = view.numbers("/ordersByStatus", o.OrdersByStatus)
	view.RefundsByStatus = view.numbers("/refundsByStatus", o.RefundsByStatus)
	view.WorkOrdersByStatus = view.numbers("/workOrdersByStatus", o.WorkOrdersByStatus)
	if o.OrdersByStatus != nil {
		view.Currency, view.OrdersByDay = principal.CurrencyOf(ctx), o.OrdersByDay
		view.PaymentsDueSoon = &dueSoonView{Total: view.number("/paymentsDueSoon/total", o.DueSoonTotal), Items: o.DueSoon}
	}
	if o.CouponsExpiringSoon != nil {
		n := view.number("/couponsExpiringSoon", *o.CouponsExpiringSoon)
		view.CouponsExpiringSoon = &n
	}
	if w := o.Approvals; w != nil {
		view.Approvals = view.numbers("/approvals", map[string]storage.Count{"toDecide": w.ToDecide, "mine": w.Mine, "stale": w.Stale, "toReview": w.ToReview})
	}
	slices.Sort(view.Capped)
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

// number returns a count, and records its JSON Pointer if it is a lower bound.
func (v *overviewView) number(pointer string, count storage.Count) int64 {
	if count.More {
		v.Capped = append(v.Capped, pointer)
	}
	return count.N
}

func (v *overviewView) numbers(pointer string, counts map[string]storage.Count) map[string]int64 {
	if counts == nil {
		return nil
	}
	numbers := make(map[string]int64, len(counts))
	for name, count := range counts {
		numbers[name] = v.number(pointer+"/"+name, count)
	}
	return numbers
}
