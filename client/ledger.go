package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// Ledger is aggregates and the events that made them. An event is written once, whatever
// is sent again, because it is known by its names and not by its request: by EventID, and
// by the writer's ClientID with ClientSeq.
//
// A writer's ClientID is always the same, and its sequences come from what happened, such
// as the offset in a log or the Seq of an [Outbox]. A counter in memory would begin again
// after a crash and give two events one number.
type Ledger struct{ client *Client }

// Aggregate is what its events add up to.
type Aggregate struct {
	Type     string           `json:"type"`
	ID       string           `json:"id"`
	Counters map[string]int64 `json:"counters"`
	// Writers are the highest sequences by ClientID; nil in a list.
	Writers     map[string]int64 `json:"writers"`
	WriterCount int              `json:"writerCount"`
	Version     int64            `json:"version"`
	ETag        string           `json:"etag"`
	CreatedTime time.Time        `json:"createdTime"`
	UpdatedTime time.Time        `json:"updatedTime"`
	UpdatedBy   Person           `json:"updatedBy"`
}

// AggregateFilter narrows a list of aggregates.
type AggregateFilter struct {
	Paging
	Type string
	// Text is what the ids begin with.
	Text string
}

// NewLedgerEvent is an event to write.
type NewLedgerEvent struct {
	// ClientSeq is the writer's number of the event; nil for none.
	ClientSeq *int64 `json:"clientSeq,omitempty"`
	// EventID names the event within its aggregate; "" for none.
	EventID   string    `json:"eventId,omitempty"`
	EventType string    `json:"eventType"`
	EventTime time.Time `json:"eventTime"`
	// Deltas are added to the counters.
	Deltas map[string]int64 `json:"deltas,omitempty"`
	// Payload is any JSON; nil for none.
	Payload json.RawMessage `json:"payload,omitempty"`
}

// LedgerWrite are events to write together, in their order.
type LedgerWrite struct {
	ClientID string `json:"clientId"`
	// EnforceClientIdempotency demands a ClientSeq of each event, above all that the
	// writer has used.
	EnforceClientIdempotency bool `json:"enforceClientIdempotency"`
	// ExpectedVersion is the version that the aggregate must have, 0 for none yet; nil
	// for any.
	ExpectedVersion *int64           `json:"expectedVersion,omitempty"`
	Events          []NewLedgerEvent `json:"events"`
}

// LedgerWritten is what became of a write.
type LedgerWritten struct {
	// Version is that of the aggregate since the last of the events.
	Version int64 `json:"version"`
	// Applied is how many events were written now.
	Applied int `json:"applied"`
}

// LedgerEvent is an event as it was written.
type LedgerEvent struct {
	NewLedgerEvent
	// Version is that of the aggregate since the event, BatchVersion since the last one
	// that was written with it.
	Version      int64     `json:"version"`
	BatchVersion int64     `json:"batchVersion"`
	ClientID     string    `json:"clientId"`
	CreatedBy    Person    `json:"createdBy"`
	CreatedTime  time.Time `json:"createdTime"`
}

// LedgerEventFilter narrows a list of events.
type LedgerEventFilter struct {
	Paging
	// After leaves out what is not later than this version.
	After int64
}

func aggregatePath(kind, id string) string {
	return "/aggregates/" + url.PathEscape(kind) + "/" + url.PathEscape(id)
}

// List lists aggregates, what was changed last first, or as the filter's Sort says.
func (s *Ledger) List(f AggregateFilter) List[Aggregate] {
	return List[Aggregate]{s.client, "/aggregates", f.parameters().text("type", f.Type).text("q", f.Text)}
}

// Get reads an aggregate.
func (s *Ledger) Get(ctx context.Context, kind, id string, options ...CallOption) (Aggregate, error) {
	return get[Aggregate](ctx, s.client, aggregatePath(kind, id), options)
}

// Events lists the events of an aggregate, oldest first.
func (s *Ledger) Events(kind, id string, f LedgerEventFilter) List[LedgerEvent] {
	return List[LedgerEvent]{s.client, aggregatePath(kind, id) + "/events", f.parameters().number("after", f.After)}
}

// Append writes events, all or none; the first ones of an aggregate make it. What has
// landed before is an [EventLanded], an [EventMismatch] or a [SequenceSuperseded]; a
// [Conflict] when the aggregate is not at the expected version.
func (s *Ledger) Append(ctx context.Context, kind, id string, w LedgerWrite, options ...CallOption) (LedgerWritten, error) {
	return call[LedgerWritten](ctx, s.client, request{method: http.MethodPost, path: aggregatePath(kind, id) + "/events", body: w}, options)
}

// AppendOnce is Append for who sends again what may have landed: that all events have
// landed before is success, with Applied 0 and the version that they made.
func (s *Ledger) AppendOnce(ctx context.Context, kind, id string, w LedgerWrite, options ...CallOption) (LedgerWritten, error) {
	written, err := s.Append(ctx, kind, id, w, options...)
	var landed *EventLanded
	if errors.As(err, &landed) && landed.Landed == len(w.Events) {
		return LedgerWritten{Version: landed.Version}, nil
	}
	return written, err
}

// AppendEntry writes an entry of an outbox as an event. Writer and sequence are the
// outbox's, so an entry that is applied again, be it years later, has no second effect
// and is no error. The event's own ClientSeq is not used.
func AppendEntry[T any](ctx context.Context, c *Client, e Entry[T], kind, id string, event NewLedgerEvent, options ...CallOption) (LedgerWritten, error) {
	event.ClientSeq = &e.Seq
	write := LedgerWrite{ClientID: e.Writer, EnforceClientIdempotency: true, Events: []NewLedgerEvent{event}}
	return c.Ledger.AppendOnce(ctx, kind, id, write, append([]CallOption{Key(e.Key())}, options...)...)
}

// EventFault is the event of a write that is at fault.
type EventFault struct {
	// Index is its place in the write, from 0.
	Index     int    `json:"index"`
	ClientID  string `json:"clientId"`
	ClientSeq *int64 `json:"clientSeq"`
	EventID   string `json:"eventId"`
}

// EventLanded is a write of which an event has landed before, with the same content.
// Nothing of it was written now.
type EventLanded struct {
	*Problem `json:"-"`
	EventFault
	// Version is what the write in which it landed was answered with, and EventVersion
	// that of the aggregate since the event.
	Version      int64 `json:"version"`
	EventVersion int64 `json:"eventVersion"`
	// Landed is how many events of the write have landed.
	Landed int `json:"landed"`
	// HighestSeq is the writer's highest sequence; nil for none.
	HighestSeq     *int64 `json:"highestSeq"`
	CurrentVersion int64  `json:"currentVersion"`
}

// Unwrap returns the problem.
func (e *EventLanded) Unwrap() error { return e.Problem }

// EventMismatch is a write of an event whose name is that of another one.
type EventMismatch struct {
	*Problem `json:"-"`
	EventFault
	Version      int64 `json:"version"`
	EventVersion int64 `json:"eventVersion"`
	// Differs names what the two say differently.
	Differs []string `json:"differs"`
}

// Unwrap returns the problem.
func (e *EventMismatch) Unwrap() error { return e.Problem }

// SequenceSuperseded is a write of an event that never landed, and that its writer has
// passed.
type SequenceSuperseded struct {
	*Problem `json:"-"`
	EventFault
	HighestSeq     int64 `json:"highestSeq"`
	CurrentVersion int64 `json:"currentVersion"`
}

// Unwrap returns the problem.
func (s *SequenceSuperseded) Unwrap() error { return s.Problem }

// mismatchProblem tells an event's from a mismatch of a wallet or of stock.
func mismatchProblem(p *Problem) error {
	var members struct {
		Differs []string `json:"differs"`
	}
	if err := json.Unmarshal(p.Body, &members); err == nil && members.Differs != nil {
		return &EventMismatch{Problem: p}
	}
	return nil
}
