// Package freeport finds loopback ports for servers that tests start.
//
// A port that the kernel assigns for port 0 comes from the range that it also uses for
// outgoing connections. Before a server binds it, or binds it again after a restart, a
// connection of another test may have taken it. The ports of this package are below that
// range, so only another server could take one.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"syscall"
)

// The range from first up to end is below the ports of outgoing connections on Linux
// (net.ipv4.ip_local_port_range, 32768 to 60999 by default) and on other systems.
const (
	first    = 12000
	end      = 32000
	attempts = 100
)

var (
	mu    sync.Mutex
	given = map[int]bool{}
)

// At returns the same port for the same place, unless a process listens on it or this
// process already returned it. In that case it returns another free port.
func At(place uint32) (int, error) {
	mu.Lock()
	port := first + int(place%(end-first))
	isFree, err := take(port)
	mu.Unlock()
	if err != nil || isFree {
		return port, err
	}
	return Take()
}

// Take returns a loopback port on which no process listens. It returns each port once in
// the life of the process.
func Take() (int, error) {
	mu.Lock()
	defer mu.Unlock()
	for range attempts {
		port := first + rand.IntN(end-first)
		if isFree, err := take(port); err != nil || isFree {
			return port, err
		}
	}
	return 0, fmt.Errorf("find a free port: %d of those from %d to %d were in use", attempts, first, end)
}

// take reserves a port, unless it was reserved before or a process listens on it. The
// caller holds mu.
func take(port int) (bool, error) {
	if given[port] {
		return false, nil
	}
	listener, err := net.Listen("tcp4", Address(port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find a free port: %w", err)
	}
	given[port] = true
	return true, listener.Close()
}

// Address returns the loopback address of a port, HOST:PORT.
func Address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
