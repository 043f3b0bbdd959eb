// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Ledger calls the operations on ledger.
//
// Aggregates and their events. An event is stored once, however often it is sent; its effect on the
// counters commits with it. Writers identify themselves with `clientId` and number their events
// with `clientSeq`, or identify each event with an `eventId`.
type Ledger struct{ client *Client }

// Aggregate is a row of [Ledger.List].
type Aggregate struct {
	Stamp
	Type string `json:"type"`
	ID   string `json:"id"`
	// The sums of the events' deltas.
	Counters map[string]int64 `json:"counters"`
	// The number of entries in `writers`.
	WriterCount int64 `json:"writerCount"`
	// The highest sequence of each `clientId` that has used sequences.
	Writers map[string]int64 `json:"writers"`
}

// AggregateFilter selects rows of [Ledger.List].
type AggregateFilter struct {
	Paging
	// Aggregates of this type.
	Type string
	// Prefix of the aggregate's id.
	Q string
}

// LedgerEvent is a row of [Ledger.Events].
type LedgerEvent struct {
	// The version of the aggregate after the event.
	Version int64 `json:"version"`
	// The version of the aggregate after the last event of the same request.
	BatchVersion int64   `json:"batchVersion"`
	ClientID     string  `json:"clientId"`
	ClientSeq    *int64  `json:"clientSeq"`
	EventID      *string `json:"eventId"`
	EventType    string  `json:"eventType"`
	// When it happened, by its writer's clock.
	EventTime time.Time        `json:"eventTime"`
	Deltas    map[string]int64 `json:"deltas"`
	// As sent; null for none.
	Payload   json.RawMessage `json:"payload"`
	CreatedBy Person          `json:"createdBy"`
	// When it was written.
	CreatedTime time.Time `json:"createdTime"`
}

// LedgerEventFilter selects rows of [Ledger.Events].
type LedgerEventFilter struct {
	Paging
	// Only events of versions above this one.
	After int64
}

// LedgerAppend is the request body of [Ledger.AppendEvents].
type LedgerAppend struct {
	// The constant name of the writer. No control characters, no leading or trailing spaces.
	ClientID string `json:"clientId"`
	// Whether each event must have a `clientSeq` above the writer's last.
	EnforceClientIdempotency bool `json:"enforceClientIdempotency,omitzero"`
	// The version that the aggregate must have; 0 if it does not exist yet. Absent or null: any.
	ExpectedVersion *int64           `json:"expectedVersion,omitzero"`
	Events          []NewLedgerEvent `json:"events"`
}

// NewLedgerEvent is part of [LedgerAppend].
type NewLedgerEvent struct {
	// The writer's number of the event. Derive it from the event, not from a counter that restarts.
	ClientSeq *int64 `json:"clientSeq,omitzero"`
	// A name of the event within the aggregate, such as a UUID. No control characters, no leading
	// or trailing spaces. Names that start with `@` are reserved for the service.
	EventID   *string `json:"eventId,omitzero"`
	EventType string  `json:"eventType"`
	// Stored to the microsecond.
	EventTime time.Time `json:"eventTime"`
	// The increments of the counters; names are 1 to 64 letters, digits, dots, colons, underscores
	// and hyphens. An aggregate has at most 200 counters.
	Deltas map[string]int64 `json:"deltas,omitzero"`
	// Any JSON of at most 64 KiB, stored unchanged.
	Payload json.RawMessage `json:"payload,omitzero"`
}

// LedgerAppended is returned by [Ledger.AppendEvents].
type LedgerAppended struct {
	// The version of the aggregate after the last of the events.
	Version int64 `json:"version"`
	// The number of appended events.
	Applied int64 `json:"applied"`
}

// List lists aggregates.
func (s *Ledger) List(f AggregateFilter) List[Aggregate] {
	return List[Aggregate]{s.client, "/aggregates", f.parameters().set("type", f.Type).set("q", f.Q)}
}

// Get returns an aggregate.
//
// The counters are the sums of the deltas of all events up to `version`. 404 before the first
// event.
func (s *Ledger) Get(ctx context.Context, kind string, id string, options ...CallOption) (Aggregate, error) {
	return call[Aggregate](ctx, s.client, request{method: http.MethodGet, path: "/aggregates/" + segment(kind) + "/" + segment(id)}, options)
}

// Events lists an aggregate's events.
//
// Oldest first, each with the version that it created. Events are append-only, so a client with all
// events up to a version receives every later one with `after`.
func (s *Ledger) Events(kind string, id string, f LedgerEventFilter) List[LedgerEvent] {
	return List[LedgerEvent]{s.client, "/aggregates/" + segment(kind) + "/" + segment(id) + "/events", f.parameters().set("after", f.After)}
}

// AppendEvents appends events.
//
// Appends all events in their order, or none. The first events of an aggregate create it. Each
// event increments the version and adds its `deltas` to the counters.
//
// An event is identified by its `eventId`, and by `clientId` with `clientSeq`, both within the
// aggregate and permanently. A repeat with the same content (`eventType`, `eventTime`, `deltas`,
// `payload`) returns `idempotency_violation` with the version of its first write: the event is
// already recorded; continue. An event without an identifier, sent under an idempotency key, gets
// one derived from the key, so that a repeat is also recognised after the stored reply has expired.
// This check comes first, so it also applies when `expectedVersion` is stale. A repeat with other
// content returns `payload_mismatch`.
//
// With `enforceClientIdempotency` each event needs a `clientSeq`, ascending within the request, and
// the writer's sequences only increase: a sequence at or below the writer's highest that was never
// recorded returns `sequence_superseded`. Gaps are allowed. Without it both identifiers are
// optional, and sequences may arrive in any order.
//
// Writers of one aggregate wait for each other up to `wait`, then return 423. A repeat of a request
// in flight does not wait: `inflight_duplicate`.
//
// `expectedVersion` appends only if the aggregate has that version (0 if it does not exist);
// otherwise 412.
func (s *Ledger) AppendEvents(ctx context.Context, kind string, id string, body LedgerAppend, options ...CallOption) (LedgerAppended, error) {
	return call[LedgerAppended](ctx, s.client, request{method: http.MethodPost, path: "/aggregates/" + segment(kind) + "/" + segment(id) + "/events", body: body}, options)
}
