package freeport_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/freeport"
)

func TestAPortIsGivenOnceAndCanBeListenedOn(t *testing.T) {
	seen := map[int]bool{}
	for range 200 {
		port, err := freeport.Take()
		require.NoError(t, err)
		require.False(t, seen[port], "%d was given before", port)
		seen[port] = true
		require.Less(t, port, 32768, "links that go out may be given it")
		listener, err := net.Listen("tcp4", freeport.Address(port))
		require.NoError(t, err)
		require.NoError(t, listener.Close())
	}
}
