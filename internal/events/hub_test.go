package events

import (
	"testing"

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
