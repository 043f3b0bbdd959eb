// Package freeport finds loopback ports for servers that tests start.
//
// A port that the kernel hands out for port 0 comes from the range it also takes for
// outgoing links: by the time a server binds it, or binds it again after a restart, a
// link of any other test may have got it. The ports from here are below that range, so
// only another server could take one.
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

// The ports from first up to end are below the range of outgoing links on Linux
// (net.ipv4.ip_local_port_range, 32768 to 60999 unless set otherwise) and of other systems.
const (
	first    = 12000
	end      = 32000
	attempts = 100
)

var (
	mu    sync.Mutex
	given = map[int]bool{}
)

// Take returns a loopback port on which nobody listens. It gives a port once in the
// life of a process.
func Take() (int, error) {
	mu.Lock()
	defer mu.Unlock()
	var listening error
	for range attempts {
		port := first + rand.IntN(end-first)
		if given[port] {
			continue
		}
		listener, err := net.Listen("tcp4", Address(port))
		if errors.Is(err, syscall.EADDRINUSE) {
			listening = err
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("find a free port: %w", err)
		}
		given[port] = true
		return port, listener.Close()
	}
	return 0, fmt.Errorf("find a free port in %d attempts: %w", attempts, listening)
}

// Address returns the loopback address of a port, HOST:PORT.
func Address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
