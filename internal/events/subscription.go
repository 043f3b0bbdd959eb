package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Subscription is a bounded stream of deliveries.
type Subscription struct {
	hub    *hub
	topics []string
	// wants reports whether this subscriber receives the tenant's events.
	wants func(tenant int64) bool
	stop  func() bool

	// place is the cursor at which the subscription starts.
	place string
	// deliveries has capacity for the buffered events and one marker after them.
	deliveries chan Delivery
	// endsLagged reports whether the last delivery sent is a marker. While the reader has not
	// received that marker, no further one is needed.
	endsLagged bool
}

// Deliveries returns the stream. It is closed when the subscription ends; buffered
// deliveries can still be read.
func (s *Subscription) Deliveries() <-chan Delivery { return s.deliveries }

// Cursor returns the cursor at which the subscription starts, for a reader that resumes
// before its first event.
func (s *Subscription) Cursor() string { return s.place }

// Close ends the subscription. Further calls do nothing.
func (s *Subscription) Close() { s.hub.remove(s) }

// Receive calls handle for each delivery of topics until ctx ends. Errors: those of Subscribe, and
// an error if the subscription ends first.
func Receive(ctx context.Context, bus Bus, handle func(Delivery), topics ...string) error {
	subscription, err := bus.Subscribe(ctx, topics...)
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", strings.Join(topics, ", "), err)
	}
	defer subscription.Close()
	for {
		select {
		case delivery, open := <-subscription.Deliveries():
			if !open {
				return errors.New("the event bus has ended the subscription")
			}
			handle(delivery)
		case <-ctx.Done():
			return nil
		}
	}
}

// send buffers the event, or the marker if the buffer is full. Only the reader receives
// from the channel and the caller has locked hub.mu, so a send cannot block.
func (s *Subscription) send(event Event) {
	if len(s.deliveries) < cap(s.deliveries)-1 {
		s.deliveries <- Delivery{Event: event}
		s.endsLagged = false
		return
	}
	s.lag()
}

// lag appends a marker to the buffer, unless the buffer already ends with one. The channel
// is full only if it ends with a marker. It requires hub.mu.
func (s *Subscription) lag() {
	if s.endsLagged && len(s.deliveries) > 0 {
		return
	}
	s.deliveries <- Delivery{Lagged: true}
	s.endsLagged = true
}

// hub fans events out to the subscriptions of this process.
type hub struct {
	buffer int

	mu     sync.Mutex
	closed bool
	past   past
	topics map[string]map[*Subscription]struct{}
}

func newHub(buffer int) *hub {
	return &hub{buffer: max(1, buffer), past: newPast(), topics: make(map[string]map[*Subscription]struct{})}
}

// Subscribe implements Bus.
func (h *hub) Subscribe(ctx context.Context, topics ...string) (*Subscription, error) {
	return h.add(ctx, topics, func(int64) bool { return true }, nil)
}

// SubscribeTenant implements Bus.
func (h *hub) SubscribeTenant(ctx context.Context, tenant int64, topics ...string) (*Subscription, error) {
	return h.add(ctx, topics, func(of int64) bool { return of == tenant }, nil)
}

// ResumeTenant implements Bus.
func (h *hub) ResumeTenant(ctx context.Context, tenant int64, after string, topics ...string) (*Subscription, error) {
	return h.add(ctx, topics, func(of int64) bool { return of == tenant }, &after)
}

// add starts a subscription after a cursor, or, without one, at the next event.
func (h *hub) add(ctx context.Context, topics []string, wants func(int64) bool, after *string) (*Subscription, error) {
	if len(topics) == 0 || slices.Contains(topics, "") {
		return nil, fmt.Errorf("subscribe to %q: %w", topics, ErrInvalid)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("subscribe to %q: %w", topics, context.Cause(ctx))
	}
	s := &Subscription{hub: h, topics: slices.Clone(topics), wants: wants, deliveries: make(chan Delivery, h.buffer+1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, fmt.Errorf("subscribe to %q: %w", topics, ErrClosed)
	}
	for _, topic := range topics {
		if h.topics[topic] == nil {
			h.topics[topic] = make(map[*Subscription]struct{})
		}
		h.topics[topic][s] = struct{}{}
	}
	s.place = h.past.end()
	if after != nil {
		h.resume(s, *after)
	}
	s.stop = context.AfterFunc(ctx, s.Close)
	return s, nil
}

// resume sends a new subscription the events after a cursor. It requires hub.mu.
func (h *hub) resume(s *Subscription, after string) {
	missed, known := h.past.after(after)
	if !known {
		// The empty cursor makes a reader that disconnects before reading the marker lag
		// again.
		s.place = ""
		s.lag()
		return
	}
	s.place = after
	for _, event := range missed {
		if slices.Contains(s.topics, event.Topic) && s.wants(event.Tenant) {
			s.send(event)
		}
	}
}

func (h *hub) remove(s *Subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, open := h.topics[s.topics[0]][s]; !open {
		return
	}
	for _, topic := range s.topics {
		delete(h.topics[topic], s)
		if len(h.topics[topic]) == 0 {
			delete(h.topics, topic)
		}
	}
	s.stop()
	close(s.deliveries)
}

// deliver sends the event to its subscribers.
func (h *hub) deliver(event Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	h.past.add(event)
	for s := range h.topics[event.Topic] {
		if s.wants(event.Tenant) {
			s.send(event)
		}
	}
	return nil
}

// lag marks the subscribers of a topic as lagging, and discards the stored events, so that no
// reader resumes across the gap.
func (h *hub) lag(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past = newPast()
	for s := range h.topics[topic] {
		s.lag()
	}
}

// lagAll is lag for the subscribers of all topics.
func (h *hub) lagAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past = newPast()
	for _, subscriptions := range h.topics {
		for s := range subscriptions {
			s.lag()
		}
	}
}

// close ends all subscriptions and rejects new ones.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	var open []*Subscription
	for _, subscriptions := range h.topics {
		for s := range subscriptions {
			open = append(open, s)
		}
	}
	h.mu.Unlock()
	for _, s := range open {
		h.remove(s)
	}
}
