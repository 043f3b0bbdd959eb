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
	ledger := r.About(httpapi.Resource{Tag: "Ledger", Noun: "ledger"})
	r = r.About(httpapi.Resource{Tag: "Ledger", Noun: "aggregate", Example: example})
	httpapi.Get(r, "/aggregates", ReadPermission, h.list).
		Doc("List aggregates", "").
		With(httpapi.Contract{Sorts: aggregateSorts, Success: "One page. `writers` is only in the reply for a single aggregate."})
	httpapi.GetOf(r, "/aggregates/:type/:id", ReadPermission, byName(s.State), h.get).
		Doc("Get an aggregate", "The counters are the sums of the deltas of all events up to `version`. 404 before the first event.").
		With(httpapi.Contract{ID: "getAggregate"})
	httpapi.GetOf(ledger, "/aggregates/:type/:id/events", ReadPermission, byName(s.Aggregate), h.events).
		Doc("List an aggregate's events", "Oldest first, each with the version that it created. Events are append-only, so a client with all events up to a "+
			"version receives every later one with `after`.").
		With(httpapi.Contract{ID: "listAggregateEvents", Sorts: eventSorts})
	httpapi.MutationOf(ledger, http.MethodPost, "/aggregates/:type/:id/events", writePermission, nameOf, h.append).
		Doc("Append events", appendDescription).
		With(httpapi.Contract{
			ID: "appendEvents", Success: "Appended.", Body: appendExample, Reply: appendedView{49, 1}, Locks: true,
			Rejections: []httpapi.Rejection{
				{Code: apperr.IdempotencyViolation, Members: landedView{}, Cause: "the event was already recorded with this content; " +
					"`landed` is the number of such events in the request. Treat it as done, and send the others without it"},
				{Code: apperr.InflightDuplicate, Members: inFlightView{}, Cause: "another attempt of the event is in flight. Repeat after `Retry-After` seconds"},
				{Code: apperr.PayloadMismatch, Members: mismatchView{}, Cause: "an event with other content has the same identifier; " +
					"`differs` lists the differences. Fix the writer: it used one identifier twice"},
				{Code: apperr.SequenceSuperseded, Members: supersededView{}, Cause: "the sequence was never recorded and is not above `highestSeq`. Use a sequence above it"},
				{Code: apperr.LimitReached, Members: writersFullView{}, Cause: "the aggregate has the maximum number of writers. Use an `eventId` instead"},
				{Code: apperr.VersionConflict, Members: movedOnView{}, Cause: "the aggregate is not at `expectedVersion`, and none of the events was recorded. " +
					"Decide again based on `current`, which is null if the aggregate does not exist"},
			},
		})
}

const appendDescription = "Appends all events in their order, or none. The first events of an aggregate create it. Each event increments the " +
	"version and adds its `deltas` to the counters.\n\n" +
	"An event is identified by its `eventId`, and by `clientId` with `clientSeq`, both within the aggregate and " +
	"permanently. A repeat with the same content (`eventType`, `eventTime`, `deltas`, `payload`) returns " +
	"`idempotency_violation` with the version of its first write: the event is already recorded; continue. An event without " +
	"an identifier, sent under an idempotency key, gets one derived from the key, so that a repeat is also recognised after " +
	"the stored reply has expired. This check comes first, so it also applies when `expectedVersion` is stale. A repeat " +
	"with other content returns `payload_mismatch`.\n\n" +
	"With `enforceClientIdempotency` each event needs a `clientSeq`, ascending within the request, and the writer's " +
	"sequences only increase: a sequence at or below the writer's highest that was never recorded returns " +
	"`sequence_superseded`. Gaps are allowed. Without it both identifiers are optional, and sequences may arrive in any " +
	"order.\n\n" +
	"Writers of one aggregate wait for each other up to `wait`, then return 423. A repeat of a request in flight does not " +
	"wait: `inflight_duplicate`.\n\n" +
	"`expectedVersion` appends only if the aggregate has that version (0 if it does not exist); otherwise 412."

var appendExample = ledgerAppend{
	ClientID: "scanner-3", Enforce: true,
	Events: []newLedgerEvent{{
		ClientSeq: new(int64(118)), EventType: "stored", EventTime: new(time.Date(2026, time.January, 31, 9, 29, 59, 500_000_000, time.UTC)),
		Deltas: Counters{"in": 2}, Payload: json.RawMessage(`{"pallet":"P-9"}`),
	}},
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
	// Aggregates of this type.
	Type string `query:"type"`
	// Prefix of the aggregate's id.
	IDPrefix string `query:"q"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[rowView], error) {
	listing, err := h.service.List(ctx, Filter{Type: in.Type, IDPrefix: in.IDPrefix}, in.Page.Page())
	return httpapi.ListOf(listing, rowViewOf), err
}

func (h handler) get(_ context.Context, state State, _ httpapi.None) (aggregateView, error) {
	return viewOf(state), nil
}

type eventsRequest struct {
	// Only events of versions above this one.
	After int64 `query:"after" min:"0" default:"0"`
	httpapi.Page
}

func (h handler) events(ctx context.Context, a *Aggregate, in eventsRequest) (httpapi.List[eventView], error) {
	listing, err := h.service.Events(ctx, a, in.After, in.Page.Page())
	return httpapi.ListOf(listing, eventViewOf), err
}

type appendRequest struct {
	Wait httpapi.LongWait `query:"wait"`
	Body ledgerAppend
}

type ledgerAppend struct {
	// The constant name of the writer. No control characters, no leading or trailing spaces.
	ClientID string `json:"clientId" validate:"name=128"`
	// Whether each event must have a `clientSeq` above the writer's last.
	Enforce bool `json:"enforceClientIdempotency" default:"false"`
	// The version that the aggregate must have; 0 if it does not exist yet. Absent or null: any.
	ExpectedVersion *int64           `json:"expectedVersion,omitempty" validate:"omitempty,min=0"`
	Events          []newLedgerEvent `json:"events" validate:"min=1,max=500,dive"`
}

type newLedgerEvent struct {
	// The writer's number of the event. Derive it from the event, not from a counter that restarts.
	ClientSeq *int64 `json:"clientSeq,omitempty" validate:"omitempty,min=0"`
	// A name of the event within the aggregate, such as a UUID. No control characters, no leading
	// or trailing spaces. Names that start with `@` are reserved for the service.
	EventID   *string `json:"eventId,omitempty" validate:"omitempty,name=128"`
	EventType word    `json:"eventType" validate:"required,pattern"`
	// Stored to the microsecond.
	EventTime *time.Time `json:"eventTime" validate:"required"`
	// The increments of the counters; names are 1 to 64 letters, digits, dots, colons, underscores
	// and hyphens. An aggregate has at most 200 counters.
	Deltas Counters `json:"deltas,omitempty" validate:"max=50"`
	// Any JSON of at most 64 KiB, stored unchanged.
	Payload json.RawMessage `json:"payload,omitempty" validate:"omitempty,json"`
}

func (b ledgerAppend) write(name Name) Write {
	w := Write{Name: name, ClientID: b.ClientID, Enforce: b.Enforce, Expected: b.ExpectedVersion, Events: make([]NewEvent, len(b.Events))}
	for i, e := range b.Events {
		w.Events[i] = NewEvent{ClientSeq: e.ClientSeq, EventID: e.EventID, Type: string(e.EventType), Time: *e.EventTime, Deltas: e.Deltas, Payload: e.Payload}
	}
	return w
}

func (h handler) append(ctx context.Context, u *uow.Unit, name Name, in appendRequest) (httpapi.Created[appendedView], error) {
	written, err := h.service.Append(ctx, u, in.Body.write(name), in.Wait.Duration())
	if err != nil {
		return httpapi.Created[appendedView]{}, err
	}
	return httpapi.Created[appendedView]{Location: eventsOf(name, written), Body: appendedView(written)}, nil
}

// eventsOf returns the path of the events of a write.
func eventsOf(name Name, w Written) string {
	return fmt.Sprintf("/aggregates/%s/%s/events?after=%d&limit=%d", url.PathEscape(name.Type), url.PathEscape(name.ID),
		w.Version-int64(w.Applied), min(w.Applied, storage.MaxLimit))
}
