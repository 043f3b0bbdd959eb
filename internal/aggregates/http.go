package aggregates

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

const (
	mayRead  = "ledger:read"
	mayWrite = "ledger:write"
)

// Routes registers the routes of aggregates.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	r.Query("/aggregates", mayRead, h.list)
	r.Query("/aggregates/:type/:id", mayRead, h.get)
	r.Query("/aggregates/:type/:id/events", mayRead, h.events)
	r.Mutation(http.MethodPost, "/aggregates/:type/:id/events", mayWrite, h.append)
}

type handler struct{ service *Service }

type row struct {
	Type        string   `json:"type"`
	ID          string   `json:"id"`
	Counters    Counters `json:"counters"`
	WriterCount int      `json:"writerCount"`
	guard.Stamp
}

func representRow(a Aggregate) row {
	return row{Type: a.Type, ID: a.Name, Counters: a.Counters, WriterCount: a.WriterCount, Stamp: a.Stamp()}
}

type representation struct {
	row
	Writers map[string]int64 `json:"writers"`
}

func represent(s State) representation {
	return representation{row: representRow(s.Aggregate), Writers: s.Writers}
}

type eventView struct {
	Version      int64            `json:"version"`
	BatchVersion int64            `json:"batchVersion"`
	ClientID     string           `json:"clientId"`
	ClientSeq    *int64           `json:"clientSeq"`
	EventID      *string          `json:"eventId"`
	EventType    string           `json:"eventType"`
	EventTime    time.Time        `json:"eventTime"`
	Deltas       Counters         `json:"deltas"`
	Payload      json.RawMessage  `json:"payload"`
	CreatedBy    principal.Person `json:"createdBy"`
	CreatedTime  time.Time        `json:"createdTime"`
}

func representEvent(e Event) eventView {
	return eventView{
		Version: e.Version, BatchVersion: e.BatchVersion, ClientID: e.ClientID, ClientSeq: e.ClientSeq, EventID: e.EventID,
		EventType: e.EventType, EventTime: e.EventTime, Deltas: e.Deltas, Payload: json.RawMessage(e.Payload),
		CreatedBy: principal.Person{ID: e.CreatedBy, Name: e.CreatedByName}, CreatedTime: e.CreatedTime,
	}
}

// nameOf reads an aggregate's name from the path. What none can be called names none.
// Errors: NotFound.
func nameOf(c echo.Context) (Name, error) {
	name := Name{Type: c.Param("type"), ID: c.Param("id")}
	if !name.possible() {
		return name, apperr.New(apperr.NotFound,
			"No aggregate can be called %q: a type has at most 50 letters, digits, dots, colons, underscores and hyphens, an id at most 128 of them or of @ and ~.", clipped(name.String()))
	}
	return name, nil
}

func (h handler) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.List(c.Request().Context(), Filter{Type: c.QueryParam("type"), IDPrefix: c.QueryParam("q")}, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representRow), nil
}

func (h handler) get(c echo.Context) (httpapi.Reply, error) {
	name, err := nameOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	state, err := h.service.Aggregate(c.Request().Context(), name)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(represent(state)), nil
}

func (h handler) events(c echo.Context) (httpapi.Reply, error) {
	name, err := nameOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	var after int64
	if text := c.QueryParam("after"); text != "" {
		if after, err = strconv.ParseInt(text, 10, 64); err != nil || after < 0 {
			return httpapi.Reply{}, apperr.Malformed("?after", "must be a version, a whole number from 0")
		}
	}
	listing, err := h.service.Events(c.Request().Context(), name, after, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representEvent), nil
}

type appendRequest struct {
	ClientID        string         `json:"clientId"`
	Enforce         bool           `json:"enforceClientIdempotency"`
	ExpectedVersion *int64         `json:"expectedVersion"`
	Events          []eventRequest `json:"events" validate:"required,dive"`
}

type eventRequest struct {
	ClientSeq *int64          `json:"clientSeq"`
	EventID   *string         `json:"eventId"`
	EventType string          `json:"eventType" validate:"required"`
	EventTime *time.Time      `json:"eventTime" validate:"required"`
	Deltas    Counters        `json:"deltas"`
	Payload   json.RawMessage `json:"payload"`
}

func (r appendRequest) write(name Name) Write {
	w := Write{Name: name, ClientID: r.ClientID, Enforce: r.Enforce, Expected: r.ExpectedVersion, Events: make([]NewEvent, len(r.Events))}
	for i, e := range r.Events {
		w.Events[i] = NewEvent{ClientSeq: e.ClientSeq, EventID: e.EventID, Type: e.EventType, Time: *e.EventTime, Deltas: e.Deltas, Payload: e.Payload}
	}
	return w
}

type writtenView struct {
	Version int64 `json:"version"`
	Applied int   `json:"applied"`
}

func (h handler) append(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	name, err := nameOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	var request appendRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	// Different writers have nothing to refuse each other for, so they wait as long as
	// anybody may.
	wait, err := httpapi.WaitParamOr(c, httpapi.LongestWait)
	if err != nil {
		return httpapi.Reply{}, err
	}
	written, err := h.service.Append(c.Request().Context(), u, request.write(name), wait)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Created(locationOf(name, written), writtenView(written)), nil
}

// locationOf is where the events of a write are found again.
func locationOf(name Name, w Written) string {
	return fmt.Sprintf("%s/aggregates/%s/%s/events?after=%d&limit=%d", httpapi.Base, url.PathEscape(name.Type), url.PathEscape(name.ID),
		w.Version-int64(w.Applied), min(w.Applied, storage.MaxLimit))
}
