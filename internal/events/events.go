// Package events wakes up those who wait for changes.
//
// Events are advisory; the truth is in SQL. Invariants, held by every
// implementation and proved by eventstest.Contract:
//
//   - An event can be lost and can arrive twice. Whoever acts on one re-reads
//     the rows it points to and never trusts the payload with more than a hint.
//   - Loss is visible: a subscriber that may have missed something receives a
//     Delivery with Lagged set, and re-reads everything it watches. The marker
//     comes once the stream has resumed; during an outage nothing arrives.
//   - A slow subscriber never blocks a publisher or another subscriber.
//   - The events of one publisher arrive in the order they were published, and all
//     processes receive all events in one order.
//   - Whoever comes back with the ID of the last event it received misses nothing
//     without being told.
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

// Event says that something changed.
type Event struct {
	// ID names the event as a place to go on behind; "" for one that is none, such as one
	// that the next one makes worthless.
	ID string
	// Topic names the stream, for example "orders".
	Topic string
	// Tenant owns what changed.
	Tenant int64
	// Key identifies what changed within topic and tenant.
	Key string
	// Payload is a hint in JSON, or nil. It is shared by all subscribers and
	// must not be modified.
	Payload json.RawMessage
}

// Delivery is what a subscriber receives: an event, or the news that events
// are missing.
type Delivery struct {
	Event Event
	// Lagged means that events were dropped here; Event is then empty.
	Lagged bool
}

// Bus carries events. It is safe for concurrent use.
type Bus interface {
	// Publish hands the event to all current subscribers of its topic and
	// tenant, in this process or, where the implementation spans processes,
	// in all of them. An error means that it may not have arrived anywhere;
	// publishing it again is harmless.
	Publish(ctx context.Context, event Event) error

	// Subscribe returns the events of the topics of all tenants. It serves
	// the program's own workers; what is passed on to a caller comes from
	// SubscribeTenant. An event published after Subscribe has returned is
	// delivered or reported as Lagged. The subscription ends with ctx or
	// Close.
	Subscribe(ctx context.Context, topics ...string) (*Subscription, error)

	// SubscribeTenant is Subscribe for the events of one tenant.
	SubscribeTenant(ctx context.Context, tenant int64, topics ...string) (*Subscription, error)

	// ResumeTenant is SubscribeTenant for a reader whose last event, or whose Place, was
	// after. What was published since comes first, or Lagged when this process cannot
	// tell: after is too long ago, or there was a break since.
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
