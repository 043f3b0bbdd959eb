package realtime

import (
	"context"
	"net/http"

	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of this package. The service checks the permissions, which
// depend on the topic or the resource.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	httpapi.Listen(r, "/events", "", h.events)
	httpapi.Act(r, http.MethodPost, "/presence", "", h.presence)
}

type handler struct{ service *Service }

type eventsRequest struct {
	Topics []string `query:"topics"`
	// LastEventID is the id of the last event of the caller's earlier connection (WHATWG
	// HTML, 9.2.4).
	LastEventID *string `header:"Last-Event-ID"`
}

func (h handler) events(ctx context.Context, in eventsRequest, stream *httpapi.Stream) error {
	topics, err := h.service.requestedTopics(in.Topics)
	if err != nil {
		return err
	}
	return h.service.serve(ctx, topics, in.LastEventID, stream)
}

type presenceRequest struct{ Body Heartbeat }

func (h handler) presence(ctx context.Context, in presenceRequest) (othersView, error) {
	others, err := h.service.Beat(ctx, in.Body)
	return othersView{others}, err
}
