package ops

import (
	"context"

	"interlock/internal/edge/httpapi"
)

// Routes registers the overview.
func Routes(r *httpapi.Router, s *Service) {
	httpapi.Get(r, "/queues", readPermission, handler{s}.overview)
}

type handler struct{ service *Service }

func (h handler) overview(ctx context.Context, _ httpapi.None) (overviewView, error) {
	queues, err := h.service.Queues(ctx)
	if err != nil {
		return overviewView{}, err
	}
	locks, err := h.service.Locks(ctx)
	return viewOf(queues, locks), err
}
