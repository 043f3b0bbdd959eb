package aggregates

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of aggregates.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	httpapi.Get(r, "/aggregates", ReadPermission, h.list)
	httpapi.GetOf(r, "/aggregates/:type/:id", ReadPermission, byName(s.State), h.get)
	httpapi.GetOf(r, "/aggregates/:type/:id/events", ReadPermission, byName(s.Aggregate), h.events)
	httpapi.MutationOf(r, http.MethodPost, "/aggregates/:type/:id/events", writePermission, nameOf, h.append)
}

// byName returns a Find by an aggregate's name.
func byName[R any](find func(ctx context.Context, name Name) (R, error)) httpapi.Find[R] {
	return func(ctx context.Context, path httpapi.Path) (R, error) {
		name, err := nameOf(ctx, path)
		if err != nil {
			var none R
			return none, err
		}
		return find(ctx, name)
	}
}

// nameOf reads the name of an aggregate, which may not exist, from the path. Errors: NotFound for
// an impossible name.
func nameOf(_ context.Context, path httpapi.Path) (Name, error) {
	name := Name{Type: path.Text("type"), ID: path.Text("id")}
	if !name.possible() {
		return name, apperr.New(apperr.NotFound,
			"%q is not a possible name of an aggregate: a type has at most 50 letters, digits, dots, colons, underscores and hyphens, an id at most 128 of them or of @ and ~.", clip.Text(name.String(), maxText))
	}
	return name, nil
}

type handler struct{ service *Service }

type listRequest struct {
	Type     string `query:"type"`
	IDPrefix string `query:"q"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[rowView], error) {
	listing, err := h.service.List(ctx, Filter{Type: in.Type, IDPrefix: in.IDPrefix}, in.Page.Page())
	return httpapi.ListOf(listing, rowViewOf), err
}

func (h handler) get(_ context.Context, state State, _ httpapi.None) (stateView, error) {
	return stateViewOf(state), nil
}

type eventsRequest struct {
	// After is a version.
	After int64 `query:"after" min:"0"`
	httpapi.Page
}

func (h handler) events(ctx context.Context, a *Aggregate, in eventsRequest) (httpapi.List[eventView], error) {
	listing, err := h.service.Events(ctx, a, in.After, in.Page.Page())
	return httpapi.ListOf(listing, eventViewOf), err
}

type appendRequest struct {
	Wait httpapi.LongWait `query:"wait"`
	Body appendBody
}

type appendBody struct {
	ClientID        string      `json:"clientId"`
	Enforce         bool        `json:"enforceClientIdempotency"`
	ExpectedVersion *int64      `json:"expectedVersion"`
	Events          []eventBody `json:"events" validate:"required,dive"`
}

type eventBody struct {
	ClientSeq *int64          `json:"clientSeq"`
	EventID   *string         `json:"eventId"`
	EventType string          `json:"eventType" validate:"required"`
	EventTime *time.Time      `json:"eventTime" validate:"required"`
	Deltas    Counters        `json:"deltas"`
	Payload   json.RawMessage `json:"payload"`
}

func (b appendBody) write(name Name) Write {
	w := Write{Name: name, ClientID: b.ClientID, Enforce: b.Enforce, Expected: b.ExpectedVersion, Events: make([]NewEvent, len(b.Events))}
	for i, e := range b.Events {
		w.Events[i] = NewEvent{ClientSeq: e.ClientSeq, EventID: e.EventID, Type: e.EventType, Time: *e.EventTime, Deltas: e.Deltas, Payload: e.Payload}
	}
	return w
}

func (h handler) append(ctx context.Context, u *uow.Unit, name Name, in appendRequest) (httpapi.Created[writtenView], error) {
	written, err := h.service.Append(ctx, u, in.Body.write(name), in.Wait.Duration())
	if err != nil {
		return httpapi.Created[writtenView]{}, err
	}
	return httpapi.Created[writtenView]{Location: eventsOf(name, written), Body: writtenView(written)}, nil
}

// eventsOf returns the path of the events of a write.
func eventsOf(name Name, w Written) string {
	return fmt.Sprintf("/aggregates/%s/%s/events?after=%d&limit=%d", url.PathEscape(name.Type), url.PathEscape(name.ID),
		w.Version-int64(w.Applied), min(w.Applied, storage.MaxLimit))
}
