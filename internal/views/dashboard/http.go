package dashboard

import (
	"github.com/labstack/echo/v4"

	"interlock/internal/edge/httpapi"
	"interlock/internal/views/audit"
)

// Routes registers the dashboard. Its parts depend on the caller's permissions.
func Routes(r *httpapi.Router, s *Service) { r.Query("/dashboard", "", s.get) }

// overviewView leaves out what the caller may not see, and shows what is empty.
type overviewView struct {
	OrdersByStatus      map[string]int64 `json:"ordersByStatus,omitzero"`
	CouponsExpiringSoon *int64           `json:"couponsExpiringSoon,omitempty"`
	ConflictsToday      []Conflicts      `json:"conflictsToday,omitzero"`
	ConflictsTodayTotal *int64           `json:"conflictsTodayTotal,omitempty"`
	RecentChanges       []audit.Entry    `json:"recentChanges,omitzero"`
}

func (s *Service) get(c echo.Context) (httpapi.Reply, error) {
	o, err := s.Overview(c.Request().Context())
	if err != nil {
		return httpapi.Reply{}, err
	}
	view := overviewView{
		OrdersByStatus: o.OrdersByStatus, CouponsExpiringSoon: o.CouponsExpiringSoon,
		ConflictsToday: o.ConflictsToday, RecentChanges: o.RecentChanges,
	}
	if o.ConflictsToday != nil {
		var total int64
		for _, conflicts := range o.ConflictsToday {
			total += conflicts.Count
		}
		view.ConflictsTodayTotal = &total
	}
	return httpapi.OK(view), nil
}
