package freeport_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/freeport"
)

func TestEachSlotHasAFixedPortUnlessInUse(t *testing.T) {
	var place uint32
	for port := 0; port != 12000+int(place); place++ {
		require.Less(t, place, uint32(100), "some of a hundred ports are free")
		var err error
		port, err = freeport.At(place + 1)
		require.NoError(t, err)
	}
	port := 12000 + int(place)
	other, err := freeport.At(place)
	require.NoError(t, err)
	require.NotEqual(t, port, other, "it was returned before")

	listener, err := net.Listen("tcp4", freeport.Address(port+1))
	if err == nil { // else another process listens on it, which is as good
		defer listener.Close()
	}
	other, err = freeport.At(place + 1)
	require.NoError(t, err)
	require.NotEqual(t, port+1, other, "another process listens on it")
}

func TestPortIsReturnedOnceAndIsFree(t *testing.T) {
	seen := map[int]bool{}
	for range 200 {
		port, err := freeport.Take()
		require.NoError(t, err)
		require.False(t, seen[port], "%d was returned before", port)
		seen[port] = true
		require.Less(t, port, 32768, "outgoing connections may use it")
		listener, err := net.Listen("tcp4", freeport.Address(port))
		require.NoError(t, err)
		require.NoError(t, listener.Close())
	}
}
