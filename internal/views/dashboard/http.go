package dashboard

import (
	"context"

	"interlock/internal/edge/httpapi"
)

// Routes registers the dashboard. Its parts depend on the caller's permissions.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Overview", Noun: "dashboard", Example: example})
	httpapi.Get(r, "/dashboard", "", handler{s}.get).
		Doc("Get the dashboard", "Parts that you may not read are absent: `ordersByStatus`, `ordersByDay` and `paymentsDueSoon` need `orders:read`, "+
			"`refundsByStatus` `refunds:read`, `workOrdersByStatus` `work-orders:read`, `couponsExpiringSoon` `coupons:read`, `approvals` `approvals:read`, "+
			"`recentChanges` `audit:read`; `conflictsToday` and `workingNow` contain the resources that you may read.\n\n"+
			"Conflicts are writes that were rejected because another write came first. They are counted with a delay of a few seconds, and a server that is "+
			"killed loses the last few seconds.\n\n"+
			"Counts stop at 10,000, that of approvals at 1,000; `capped` lists the numbers that are higher.").
		With(httpapi.Contract{ID: "getDashboard"})
}

type handler struct{ service *Service }

func (h handler) get(ctx context.Context, _ httpapi.None) (dashboardView, error) {
	o, err := h.service.Overview(ctx)
	return viewOf(ctx, o), err
}
