package events

import (
	"context"
	"runtime"
	"testing"
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
