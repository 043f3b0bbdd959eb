// Package eventstest is the contract test suite of events.Bus.
package eventstest

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/events"
)

// patience bounds operations that should complete soon.
const patience = 30 * time.Second

// Bus is an events.Bus that the suite can close.
type Bus interface {
	events.Bus
	Close()
}

// Contract runs the suite. newBus returns a connected bus with subscribers that can fall behind
// by buffer events; it shares no channel with another bus.
func Contract(t *testing.T, newBus func(t *testing.T, buffer int) Bus) {
	tests := []struct {
		name   string
		buffer int
		run    func(*testing.T, Bus)
	}{
		{"EverySubscriberOfTheTopicGetsTheWholeEvent", 16, everySubscriberGetsTheWholeEvent},
		{"OtherTopicsAreNotDelivered", 16, otherTopicsAreNotDelivered},
		{"OtherTenantsAreNotDelivered", 16, otherTenantsAreNotDelivered},
		{"EventsOfOnePublisherKeepTheirOrder", 256, eventsKeepTheirOrder},
		{"ASlowSubscriberLagsAndBlocksNobody", 4, aSlowSubscriberLags},
		{"ALaggedSubscriberGetsLaterEvents", 4, aLaggedSubscriberGetsLaterEvents},
		{"ASubscriptionEndsWithItsContext", 16, aSubscriptionEndsWithItsContext},
		{"ClosingTwiceIsHarmless", 16, closingTwiceIsHarmless},
		{"ClosingTheBusEndsEverySubscription", 16, closingTheBusEndsEverySubscription},
		{"ProgrammingErrorsAreRefused", 16, programmingErrorsAreRefused},
		{"AnEndedContextIsRefused", 16, anEndedContextIsRefused},
		{"WhoComesBackMissesNothing", 16, whoComesBackMissesNothing},
		{"WhoComesBackBeforeItsFirstEventMissesNothing", 16, whoComesBackBeforeItsFirstEvent},
		{"WhoCannotBeToldWhatItMissedLags", 4, slowReaderLags},
		{"PublishersAndSubscribersComeAndGo", 4, publishersAndSubscribersComeAndGo},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, newBus(t, test.buffer)) })
	}
}

func everySubscriberGetsTheWholeEvent(t *testing.T, bus Bus) {
	subscriptions := []*events.Subscription{
		subscribe(t, bus, "orders"),
		subscribe(t, bus, "configs", "orders"),
		subscribe(t, bus, "orders", "orders"),
	}
	sent := []events.Event{
		{Topic: "orders", Tenant: 7, Key: "42", Payload: json.RawMessage(`{"status":"<paid>","n":[1,null]}`)},
		{Topic: "orders", Tenant: 9_007_199_254_740_993, Key: `sku "ä" {1}`},
	}
	for _, event := range sent {
		publish(t, bus, event)
	}
	for _, subscription := range subscriptions {
		for _, want := range sent {
			got := receive(t, subscription)
			require.False(t, got.Lagged)
			if want.Payload != nil {
				require.JSONEq(t, string(want.Payload), string(got.Event.Payload))
				got.Event.Payload = want.Payload
			}
			require.Equal(t, want, got.Event)
		}
		require.Empty(t, subscription.Deliveries(), "one event came twice")
	}
}

func otherTopicsAreNotDelivered(t *testing.T, bus Bus) {
	subscription := subscribe(t, bus, "orders", "configs")
	for _, topic := range []string{"order", "orders2", "items", "orders", "configs"} {
		publish(t, bus, events.Event{Topic: topic, Key: topic})
	}
	require.Equal(t, "orders", receive(t, subscription).Event.Key)
	require.Equal(t, "configs", receive(t, subscription).Event.Key)
}

func otherTenantsAreNotDelivered(t *testing.T, bus Bus) {
	all := subscribe(t, bus, "orders")
	one, err := bus.SubscribeTenant(t.Context(), 2, "orders")
	require.NoError(t, err)
	for tenant := range int64(4) {
		publish(t, bus, events.Event{Topic: "orders", Tenant: tenant, Key: "key"})
	}
	publish(t, bus, events.Event{Topic: "orders", Tenant: 2, Key: "last"})
	require.Equal(t, events.Event{Topic: "orders", Tenant: 2, Key: "key"}, receive(t, one).Event)
	require.Equal(t, events.Event{Topic: "orders", Tenant: 2, Key: "last"}, receive(t, one).Event)
	for tenant := range int64(4) {
		require.Equal(t, tenant, receive(t, all).Event.Tenant)
	}
}

func eventsKeepTheirOrder(t *testing.T, bus Bus) {
	subscription := subscribe(t, bus, "orders", "configs")
	topics := []string{"orders", "configs"}
	for i := range 100 {
		publish(t, bus, events.Event{Topic: topics[i%2], Tenant: int64(i)})
	}
	for i := range 100 {
		require.EqualValues(t, i, receive(t, subscription).Event.Tenant)
	}
}

func aSlowSubscriberLags(t *testing.T, bus Bus) {
	slow := subscribe(t, bus, "orders")
	flood(t, bus, 20)
	for i := range 4 {
		require.EqualValues(t, i, receive(t, slow).Event.Tenant, "buffered events must be delivered")
	}
	require.True(t, receive(t, slow).Lagged)
	require.Empty(t, slow.Deliveries(), "one marker covers all missed events")
}

func aLaggedSubscriberGetsLaterEvents(t *testing.T, bus Bus) {
	slow := subscribe(t, bus, "orders")
	for range 3 {
		flood(t, bus, 5)
		for i := range 2 {
			require.EqualValues(t, i, receive(t, slow).Event.Tenant)
		}
		// Two slots are free now; the unread marker retains its position.
		flood(t, bus, 1)
		require.EqualValues(t, 2, receive(t, slow).Event.Tenant)
		require.EqualValues(t, 3, receive(t, slow).Event.Tenant)
		require.True(t, receive(t, slow).Lagged)
		require.EqualValues(t, 0, receive(t, slow).Event.Tenant)
		require.Empty(t, slow.Deliveries())
	}
}

func aSubscriptionEndsWithItsContext(t *testing.T, bus Bus) {
	ctx, cancel := context.WithCancel(t.Context())
	ended, err := bus.Subscribe(ctx, "orders", "configs")
	require.NoError(t, err)
	cancel()
	requireEnds(t, ended)
	flood(t, bus, 1)
	ended.Close()
}

func closingTwiceIsHarmless(t *testing.T, bus Bus) {
	other := subscribe(t, bus, "orders")
	closed := subscribe(t, bus, "orders")
	closed.Close()
	closed.Close()
	requireEnds(t, closed)
	flood(t, bus, 1)
	require.EqualValues(t, 0, receive(t, other).Event.Tenant)
}

func closingTheBusEndsEverySubscription(t *testing.T, bus Bus) {
	first, second := subscribe(t, bus, "orders", "configs"), subscribe(t, bus, "configs")
	bus.Close()
	requireEnds(t, first)
	requireEnds(t, second)
	_, err := bus.Subscribe(t.Context(), "orders")
	require.ErrorIs(t, err, events.ErrClosed)
	require.ErrorIs(t, bus.Publish(t.Context(), events.Event{Topic: "orders"}), events.ErrClosed)
	bus.Close()
}

func programmingErrorsAreRefused(t *testing.T, bus Bus) {
	for name, event := range map[string]events.Event{
		"no topic":         {Key: "1"},
		"broken payload":   {Topic: "orders", Payload: json.RawMessage(`{"a":`)},
		"empty payload":    {Topic: "orders", Payload: json.RawMessage{}},
		"trailing payload": {Topic: "orders", Payload: json.RawMessage(`1 2`)},
	} {
		require.ErrorIs(t, bus.Publish(t.Context(), event), events.ErrInvalid, name)
	}
	for name, topics := range map[string][]string{"none": nil, "empty": {"orders", ""}} {
		_, err := bus.Subscribe(t.Context(), topics...)
		require.ErrorIs(t, err, events.ErrInvalid, name)
		_, err = bus.SubscribeTenant(t.Context(), 1, topics...)
		require.ErrorIs(t, err, events.ErrInvalid, name)
	}
}

func anEndedContextIsRefused(t *testing.T, bus Bus) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, bus.Publish(ctx, events.Event{Topic: "orders"}), context.Canceled)
	_, err := bus.Subscribe(ctx, "orders")
	require.ErrorIs(t, err, context.Canceled)
}

func whoComesBackMissesNothing(t *testing.T, bus Bus) {
	first, err := bus.SubscribeTenant(t.Context(), 1, "orders", "configs")
	require.NoError(t, err)
	for _, id := range []string{"a", "b", "b", "c"} {
		publish(t, bus, events.Event{ID: id, Topic: "orders", Tenant: 1, Key: id})
	}
	publish(t, bus, events.Event{Topic: "configs", Tenant: 1, Key: "no cursor"})
	for _, key := range []string{"a", "b", "b", "c", "no cursor"} {
		require.Equal(t, key, receive(t, first).Event.Key)
	}
	first.Close()
	publish(t, bus, events.Event{ID: "d", Topic: "orders", Tenant: 2, Key: "a stranger's"})
	publish(t, bus, events.Event{ID: "e", Topic: "items", Tenant: 1, Key: "other topic"})
	publish(t, bus, events.Event{ID: "f", Topic: "configs", Tenant: 1, Key: "f", Payload: json.RawMessage(`{"n":1}`)})
	flood(t, bus, 1)
	for after, want := range map[string][]string{"a": {"b", "b", "c", "f"}, "b": {"b", "c", "f"}, "c": {"f"}, "d": {"f"}, "f": {}} {
		back := resume(t, bus, after)
		require.Equal(t, after, back.Cursor())
		publish(t, bus, events.Event{Topic: "orders", Tenant: 1, Key: "the next"})
		for _, key := range append(want, "the next") {
			got := receive(t, back)
			require.False(t, got.Lagged)
			require.Equal(t, key, got.Event.Key, "after %s", after)
		}
		back.Close()
	}
}

func whoComesBackBeforeItsFirstEvent(t *testing.T, bus Bus) {
	empty, err := bus.SubscribeTenant(t.Context(), 1, "orders")
	require.NoError(t, err)
	publish(t, bus, events.Event{ID: "a", Topic: "orders", Tenant: 1, Key: "a"})
	require.Equal(t, "a", receive(t, empty).Event.Key)
	later, err := bus.SubscribeTenant(t.Context(), 1, "orders")
	require.NoError(t, err)
	publish(t, bus, events.Event{ID: "b", Topic: "orders", Tenant: 1, Key: "b"})
	require.Equal(t, "b", receive(t, later).Event.Key)
	for place, want := range map[string][]string{empty.Cursor(): {"a", "b"}, later.Cursor(): {"b"}} {
		back := resume(t, bus, place)
		for _, key := range want {
			require.Equal(t, key, receive(t, back).Event.Key)
		}
		require.Empty(t, back.Deliveries())
	}
}

func slowReaderLags(t *testing.T, bus Bus) {
	subscription := subscribe(t, bus, "orders")
	publish(t, bus, events.Event{ID: "long ago", Topic: "orders", Tenant: 1})
	require.Equal(t, "long ago", receive(t, subscription).Event.ID)
	for _, place := range []string{"", "never", subscription.Cursor() + "x"} {
		back := resume(t, bus, place)
		require.True(t, receive(t, back).Lagged)
		require.Empty(t, back.Deliveries())
	}
	for i := range 6 {
		publish(t, bus, events.Event{ID: strconv.Itoa(i), Topic: "orders", Tenant: 1, Key: strconv.Itoa(i)})
	}
	flood(t, bus, 1)
	back := resume(t, bus, "long ago")
	for i := range 4 {
		require.Equal(t, strconv.Itoa(i), receive(t, back).Event.Key)
	}
	require.True(t, receive(t, back).Lagged, "more was missed than a reader may fall behind")
	const more = 5000
	for i := range more {
		publish(t, bus, events.Event{ID: strconv.Itoa(100 + i), Topic: "items", Tenant: 1})
	}
	flood(t, bus, 1)
	for place, lagged := range map[string]bool{"long ago": true, subscription.Cursor(): true, strconv.Itoa(100 + more - 1): false} {
		back := resume(t, bus, place)
		publish(t, bus, events.Event{Topic: "orders", Tenant: 1})
		require.Equal(t, lagged, receive(t, back).Lagged, place)
		back.Close()
	}
}

func resume(t *testing.T, bus Bus, after string) *events.Subscription {
	t.Helper()
	subscription, err := bus.ResumeTenant(t.Context(), 1, after, "orders", "configs")
	require.NoError(t, err)
	return subscription
}

// publishersAndSubscribersComeAndGo runs subscribers that read a few events and close,
// while a steady subscriber must receive every event or a marker.
func publishersAndSubscribersComeAndGo(t *testing.T, bus Bus) {
	const workers, each = 8, 50
	steady := subscribe(t, bus, "orders", "end")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		requireOrderOrMarker(t, steady)
	}()
	var working sync.WaitGroup
	for worker := range workers {
		working.Go(func() {
			for i := range each {
				publish(t, bus, events.Event{Topic: "orders", Tenant: int64(worker), Key: strconv.Itoa(i)})
			}
		})
		working.Go(func() {
			for range each {
				passing, err := bus.Subscribe(t.Context(), "orders")
				if err != nil {
					t.Errorf("subscribe: %v", err)
					return
				}
				select {
				case <-passing.Deliveries():
				default:
				}
				passing.Close()
			}
		})
	}
	working.Wait()
	// Published again as long as it is among the missed events.
	require.Eventually(t, func() bool {
		publish(t, bus, events.Event{Topic: "end"})
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}, patience, 5*time.Millisecond)
}

// requireOrderOrMarker reads until the topic "end". It does not stop the test, because it
// may run in any goroutine.
func requireOrderOrMarker(t *testing.T, subscription *events.Subscription) {
	next := map[int64]int{}
	lagged := false
	for delivery := range subscription.Deliveries() {
		if delivery.Event.Topic == "end" {
			return
		}
		if delivery.Lagged {
			lagged = true
			continue
		}
		publisher := delivery.Event.Tenant
		number, err := strconv.Atoi(delivery.Event.Key)
		if err != nil || number < next[publisher] {
			t.Errorf("publisher %d: event %q after %d", publisher, delivery.Event.Key, next[publisher]-1)
		}
		if number > next[publisher] && !lagged {
			t.Errorf("publisher %d: event %d is missing without a marker", publisher, next[publisher])
		}
		next[publisher] = number + 1
	}
	t.Error("the subscription ended early")
}

// flood publishes n order events, numbered by tenant, and returns after their delivery.
func flood(t *testing.T, bus Bus, n int) {
	t.Helper()
	served := subscribe(t, bus, "served")
	defer served.Close()
	for i := range n {
		publish(t, bus, events.Event{Topic: "orders", Tenant: int64(i)})
	}
	publish(t, bus, events.Event{Topic: "served"})
	receive(t, served)
}

func subscribe(t *testing.T, bus Bus, topics ...string) *events.Subscription {
	t.Helper()
	subscription, err := bus.Subscribe(t.Context(), topics...)
	require.NoError(t, err)
	return subscription
}

// publish does not stop the test, because it may run in any goroutine.
func publish(t *testing.T, bus Bus, event events.Event) {
	t.Helper()
	if err := bus.Publish(t.Context(), event); err != nil {
		t.Errorf("publish: %v", err)
	}
}

func receive(t *testing.T, subscription *events.Subscription) events.Delivery {
	t.Helper()
	select {
	case delivery, open := <-subscription.Deliveries():
		require.True(t, open, "the subscription has ended")
		return delivery
	case <-time.After(patience):
		require.FailNow(t, "nothing was delivered")
		return events.Delivery{}
	}
}

// requireEnds requires that the stream is closed after its buffered events.
func requireEnds(t *testing.T, subscription *events.Subscription) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, open := <-subscription.Deliveries():
			if !open {
				return
			}
		case <-deadline:
			require.FailNow(t, "the subscription did not end")
		}
	}
}
