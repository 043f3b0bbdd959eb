package events

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/require"
)

func TestEndedSubscriptionsTakeNoMemory(t *testing.T) {
	bus := NewInProcess(1)
	first, err := bus.Subscribe(t.Context(), "orders", "configs")
	require.NoError(t, err)
	second, err := bus.SubscribeTenant(t.Context(), 1, "orders")
	require.NoError(t, err)
	require.Len(t, bus.topics, 2)
	first.Close()
	require.Len(t, bus.topics, 1)
	second.Close()
	require.Empty(t, bus.topics)
}

func TestContextDoesNotRetainClosedSubscription(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	bus := NewInProcess(1)
	subscription, err := bus.Subscribe(ctx, "orders")
	require.NoError(t, err)
	reference := weak.Make(subscription)
	subscription.Close()
	runtime.GC()
	require.Nil(t, reference.Value(), "a long-lived context would collect closed subscriptions")
	require.NoError(t, ctx.Err())
}

func TestReceiveReportsTheEndOfItsSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := NewInProcess(8)
		var keys []string
		ended := make(chan error, 1)
		go func() {
			ended <- Receive(t.Context(), bus, func(d Delivery) { keys = append(keys, d.Event.Key) }, "configs")
		}()
		synctest.Wait()
		require.NoError(t, bus.Publish(t.Context(), Event{Topic: "configs", Tenant: 1, Key: "a"}))
		synctest.Wait()
		require.Equal(t, []string{"a"}, keys)
		bus.Close()
		require.Error(t, <-ended)
	})
}
