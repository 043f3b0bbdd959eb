package dashboard

import "interlock/internal/views/audit"

// overviewView leaves out what the caller may not see, and shows what is empty.
type overviewView struct {
	OrdersByStatus      map[string]int64 `json:"ordersByStatus,omitzero"`
	CouponsExpiringSoon *int64           `json:"couponsExpiringSoon,omitempty"`
	ConflictsToday      []Conflicts      `json:"conflictsToday,omitzero"`
	ConflictsTodayTotal *int64           `json:"conflictsTodayTotal,omitempty"`
	RecentChanges       []audit.Entry    `json:"recentChanges,omitzero"`
}

func viewOf(o Overview) overviewView {
	view := overviewView{
		OrdersByStatus: o.OrdersByStatus, CouponsExpiringSoon: o.CouponsExpiringSoon,
		ConflictsToday: o.ConflictsToday, RecentChanges: o.RecentChanges,
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
