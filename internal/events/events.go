// Package events notifies subscribers of changes.
//
// Events are advisory; SQL is the source of truth. Every implementation has these
// invariants, and eventstest.Contract tests them:
//
//   - An event can be lost and can be delivered twice. A subscriber that acts on an
//     event re-reads its rows and uses the payload only as a hint.
//   - Loss is visible: a subscriber that may have missed events receives a Delivery
//     with Lagged set, and re-reads everything it watches. The marker is sent after
//     the stream has resumed; during an outage nothing is delivered.
//   - A slow subscriber never blocks a publisher or another subscriber.
//   - The events of one publisher are delivered in the order of publication, and all
//     processes receive all events in one order.
//   - A subscriber that resumes with the ID of its last event misses no event
//     without a marker.
//
// Publish after commit, never before: a reader woken earlier would find the
// old rows.
package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

var (
	// ErrInvalid means an event without topic or with a payload that is not
	// JSON, or a subscription without topics: a programming error.
	ErrInvalid = errors.New("invalid event or subscription")
	// ErrClosed means that the bus has been closed.
	ErrClosed = errors.New("event bus closed")
)

// Event announces a change.
type Event struct {
	// ID is the cursor for resuming after this event; "" for an event without a cursor,
	// such as one that the next event makes obsolete.
	ID string
	// Topic names the stream, for example "orders".
	Topic string
	// Tenant owns the changed rows.
	Tenant int64
	// Key identifies the changed row within topic and tenant.
	Key string
	// Payload is a hint in JSON, or nil. All subscribers share it and must not modify it.
	Payload json.RawMessage
}

// Delivery is an event, or the marker that events are missing.
type Delivery struct {
	Event Event
	// Lagged means that events were dropped here; Event is then empty.
	Lagged bool
}

// Bus carries events. It is safe for concurrent use.
type Bus interface {
	// Publish delivers the event to all current subscribers of its topic and tenant, in
	// this process or, if the implementation spans processes, in all of them. After an
	// error the event may not have been delivered anywhere; publishing it again is
	// harmless.
	Publish(ctx context.Context, event Event) error

	// Subscribe returns the events of the topics for all tenants. It is for the program's
	// own workers; events for a caller must come from SubscribeTenant. An event published
	// after Subscribe has returned is delivered or reported as Lagged. The subscription
	// ends with ctx or Close.
	Subscribe(ctx context.Context, topics ...string) (*Subscription, error)

	// SubscribeTenant is Subscribe for the events of one tenant.
	SubscribeTenant(ctx context.Context, tenant int64, topics ...string) (*Subscription, error)

	// ResumeTenant is SubscribeTenant for a reader that resumes at the cursor after: the ID of its
	// last event, or Subscription.Cursor. It first delivers the events published since then, or
	// Lagged if this process does not store all of them, because the cursor is too old or the
	// process missed events.
	ResumeTenant(ctx context.Context, tenant int64, after string, topics ...string) (*Subscription, error)
}

func (e Event) validate() error {
	if e.Topic == "" {
		return fmt.Errorf("publish event %q: no topic: %w", e.Key, ErrInvalid)
	}
	if e.Payload != nil && !json.Valid(e.Payload) {
		return fmt.Errorf("publish %s event %q: payload is not JSON: %w", e.Topic, e.Key, ErrInvalid)
	}
	return nil
}
