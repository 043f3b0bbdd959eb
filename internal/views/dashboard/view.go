package dashboard

import (
	"context"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/views/audit"
	"interlock/internal/views/realtime"
)

// dashboardView omits the parts that the caller may not see, and includes empty ones.
type dashboardView struct {
	// JSON Pointers to the numbers of this reply that are lower bounds, because the count stopped, such as
	// `/ordersByStatus/paid`. Absent if all numbers are exact.
	Capped         []string    `json:"capped,omitempty"`
	OrdersByStatus orderCounts `json:"ordersByStatus,omitzero"`
	Currency       string      `json:"currency,omitempty"`
	// Orders by the day of their creation in the tenant's `timeZone`, today last. At most a minute old.
	OrdersByDay        []Day           `json:"ordersByDay,omitzero" validate:"max=14"`
	PaymentsDueSoon    *dueSoonView    `json:"paymentsDueSoon,omitempty"`
	RefundsByStatus    refundCounts    `json:"refundsByStatus,omitzero"`
	WorkOrdersByStatus workOrderCounts `json:"workOrdersByStatus,omitzero"`
	// Unused coupons that end within seven days.
	CouponsExpiringSoon *int64         `json:"couponsExpiringSoon,omitempty" validate:"min=0"`
	Approvals           *approvalsView `json:"approvals,omitempty"`
	// Of the current UTC day, the largest number first.
	ConflictsToday []Conflicts `json:"conflictsToday,omitzero"`
	// The sum of `conflictsToday`.
	ConflictsTodayTotal *int64 `json:"conflictsTodayTotal,omitempty" validate:"min=0"`
	// The newest entries of the audit log, newest first, without sign-ins and sign-outs. Repeated entries of one action on
	// one resource by an actor other than an admin are combined into one.
	RecentChanges []audit.Folded `json:"recentChanges,omitzero" validate:"max=10"`
	// The current users of the resources that you may read. Advisory, like all presence.
	WorkingNow []realtime.Present `json:"workingNow,omitzero"`
}

// These numbers have a member for each status; api/base.yaml lists them.
type (
	orderCounts     map[string]int64
	refundCounts    map[string]int64
	workOrderCounts map[string]int64
)

// SchemaName returns the name of the type in the contract.
func (orderCounts) SchemaName() string { return "OrderCounts" }

// SchemaName returns the name of the type in the contract.
func (refundCounts) SchemaName() string { return "RefundCounts" }

// SchemaName returns the name of the type in the contract.
func (workOrderCounts) SchemaName() string { return "WorkOrderCounts" }

// dueSoonView has the pending orders that are cancelled within an hour unless they are paid.
type dueSoonView struct {
	Total int64 `json:"total" validate:"min=0"`
	// The most urgent of them, the earliest cancellation first.
	Items []Due `json:"items" validate:"max=5"`
}

// approvalsView has the numbers of approvals that wait.
type approvalsView struct {
	// The number of approvals that you may still vote for.
	ToDecide int64 `json:"toDecide" validate:"min=0"`
	// The number of your approvals that wait for the votes of others.
	Mine int64 `json:"mine" validate:"min=0"`
	// The number of stale approvals that you can rebase or withdraw. These are your own approvals and,
	// if you may write the resource, the approvals of disabled authors.
	Stale int64 `json:"stale" validate:"min=0"`
	// The number of changes that were applied without the votes and wait for a review.
	ToReview int64 `json:"toReview" validate:"min=0"`
}

func viewOf(ctx context.Context, o Overview) dashboardView {
	view := dashboardView{ConflictsToday: o.ConflictsToday, RecentChanges: o.RecentChanges, WorkingNow: o.WorkingNow}
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
		view.Approvals = &approvalsView{
			ToDecide: view.number("/approvals/toDecide", w.ToDecide), Mine: view.number("/approvals/mine", w.Mine),
			Stale: view.number("/approvals/stale", w.Stale), ToReview: view.number("/approvals/toReview", w.ToReview),
		}
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

// number returns a count. If the count is a lower bound, it also records the JSON Pointer of the
// count.
func (v *dashboardView) number(pointer string, count storage.Count) int64 {
	if count.More {
		v.Capped = append(v.Capped, pointer)
	}
	return count.N
}

func (v *dashboardView) numbers(pointer string, counts map[string]storage.Count) map[string]int64 {
	if counts == nil {
		return nil
	}
	numbers := make(map[string]int64, len(counts))
	for name, count := range counts {
		numbers[name] = v.number(pointer+"/"+name, count)
	}
	return numbers
}

// example is a dashboard for the contract.
var example = func() dashboardView {
	due := time.Date(2026, time.January, 31, 9, 45, 0, 0, time.UTC)
	return dashboardView{
		Currency: "CNY", OrdersByStatus: orderCounts{"pending": 12, "paid": 3, "shipped": 40, "completed": 4800, "cancelled": 145},
		RefundsByStatus:     refundCounts{"requested": 4, "approved": 1, "rejected": 2, "settled": 90, "failed": 0, "unknown": 1},
		WorkOrdersByStatus:  workOrderCounts{"open": 7, "claimed": 3, "resolved": 5, "closed": 80},
		OrdersByDay:         []Day{{"2026-01-30", 40, 398000}, {"2026-01-31", 12, 97000}},
		PaymentsDueSoon:     &dueSoonView{1, []Due{{ID: 41, OrderNo: "O26013100000041", UserID: "li@example.com", Amount: 9900, PaymentDue: due}}},
		CouponsExpiringSoon: new(int64(250)),
		ConflictsToday:      []Conflicts{{Resource: "configs", Code: apperr.VersionConflict, Count: 3, Records: []string{"configs/checkout.tax"}}},
		ConflictsTodayTotal: new(int64(3)),
		RecentChanges:       []audit.Folded{{Entry: audit.Example}},
	}
}()
