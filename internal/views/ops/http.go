package ops

import (
	"context"

	"interlock/internal/edge/httpapi"
)

// Routes registers the overview.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Overview", Noun: "queue"})
	httpapi.Get(r, "/queues", readPermission, handler{s}.overview).
		Doc("List queues and locks", "The queues and held locks of the caller's tenant, by name; the queue of a closed sale is listed while it has messages. "+
			"The numbers of one queue are of one moment. In embedded mode the locks are those of the process, otherwise those of all processes.").
		With(httpapi.Contract{Success: "Queues and locks.", Reply: example})
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
