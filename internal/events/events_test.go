package events_test

import (
	"testing"

	"go.uber.org/goleak"

	"interlock/internal/events"
	"interlock/internal/events/eventstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestInProcessFulfillsTheContract(t *testing.T) {
	eventstest.Contract(t, func(t *testing.T, buffer int) eventstest.Bus {
		bus := events.NewInProcess(buffer)
		t.Cleanup(bus.Close)
		return bus
	})
}

func BenchmarkInProcessPublishTo100Readers(b *testing.B) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	for range 100 {
		subscription, err := bus.Subscribe(b.Context(), "orders")
		if err != nil {
			b.Fatal(err)
		}
		go func() {
			for range subscription.Deliveries() {
			}
		}()
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := bus.Publish(b.Context(), events.Event{Topic: "orders", Tenant: 1, Key: "1"}); err != nil {
			b.Fatal(err)
		}
	}
}
