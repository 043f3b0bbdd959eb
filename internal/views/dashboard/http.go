package dashboard

import (
	"context"

	"interlock/internal/edge/httpapi"
)

// Routes registers the dashboard. Its parts depend on the caller's permissions.
func Routes(r *httpapi.Router, s *Service) { httpapi.Get(r, "/dashboard", "", handler{s}.get) }

type handler struct{ service *Service }

func (h handler) get(ctx context.Context, _ httpapi.None) (overviewView, error) {
	o, err := h.service.Overview(ctx)
	return viewOf(ctx, o), err
}
