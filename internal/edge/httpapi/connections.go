package httpapi

import (
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/ratelimit"
)

const (
	// sharePart limits one network to a quarter of the connections.
	sharePart = 4
	// idleGrace is the minimum idle time before a connection is closed in favor of another one.
	idleGrace = time.Second
	// acceptPause is the pause after an error of the listener.
	acceptPause = 50 * time.Millisecond
)

// connections is a listener that limits the open connections of a server, in total and per network.
// A connection beyond a limit waits until another one ends, or until the longest idle one has been
// idle for idleGrace and is closed. A network at its limit only closes its own idle connections, so
// that it does not displace other networks. Trusted proxies have no limit per network, because they
// carry many callers.
//
// http.Server reports the states of the connections to note.
type connections struct {
	net.Listener
	most, share int
	// trusts reports whether an address belongs to a trusted proxy.
	trusts func(remote string) bool

	mu   sync.Mutex
	open int
	// openOf and waitingOf count the connections of each network.
	openOf, waitingOf map[string]int
	// idle contains the open connections without a request, the longest idle first; waiting those
	// that are not open yet; ready those that Accept returns next.
	idle, waiting list.List
	ready         []accepted
	arrived       *sync.Cond
	// retry is set while a timer is going to call admit.
	retry, closed bool
}

type accepted struct {
	conn net.Conn
	err  error
}

// connection is an accepted connection, waiting or open.
type connection struct {
	net.Conn
	of      *connections
	network string
	// place is its element in idle or waiting; nil if it is in neither.
	place *list.Element
	since time.Time
	once  sync.Once
}

// listen returns a listener that limits another one to most open connections, and each network to a
// quarter of them.
func listen(listener net.Listener, most int, trusts func(remote string) bool) *connections {
	c := &connections{
		Listener: listener, most: most, share: (most + sharePart - 1) / sharePart, trusts: trusts,
		openOf: map[string]int{}, waitingOf: map[string]int{},
	}
	c.arrived = sync.NewCond(&c.mu)
	go c.acceptAll()
	return c
}

func (c *connections) acceptAll() {
	for {
		conn, err := c.Listener.Accept()
		if err == nil {
			c.enqueue(conn)
			continue
		}
		c.mu.Lock()
		c.ready = append(c.ready, accepted{err: err})
		c.arrived.Signal()
		c.mu.Unlock()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		clock.Sleep(context.Background(), acceptPause)
	}
}

// enqueue appends a connection to waiting. It closes the connection if the waiting ones of its
// network have reached the limit.
func (c *connections) enqueue(conn net.Conn) {
	remote := conn.RemoteAddr().String()
	host, _, _ := net.SplitHostPort(remote)
	network := ratelimit.Network(host)
	if c.trusts(remote) {
		network = ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.waiting.Len() >= c.most || network != "" && c.waitingOf[network] >= c.share {
		_ = conn.Close()
		return
	}
	one := &connection{Conn: conn, of: c, network: network}
	one.place = c.waiting.PushBack(one)
	c.waitingOf[network]++
	c.admit()
}

// admit moves the waiting connections for which there is room to ready. It requires the mutex.
func (c *connections) admit() {
	for next := c.waiting.Front(); next != nil && !c.closed; {
		one := next.Value.(*connection)
		next = next.Next()
		if !c.makeRoom(one.network) {
			if c.open >= c.most {
				return
			}
			continue
		}
		c.stopWaiting(one)
		c.open++
		c.openOf[one.network]++
		c.setIdle(one)
		c.ready = append(c.ready, accepted{conn: one})
		c.arrived.Signal()
	}
}

// makeRoom reports whether a network may open a connection, after closing an idle one if necessary.
func (c *connections) makeRoom(network string) bool {
	if network != "" && c.openOf[network] >= c.share {
		return c.closeIdle(func(one *connection) bool { return one.network == network })
	}
	return c.open < c.most || c.closeIdle(func(*connection) bool { return true })
}

// closeIdle closes the matching connection that has been idle longest and returns true. If that
// connection has been idle for less than idleGrace, closeIdle leaves it open, schedules a call of
// admit, and returns false.
func (c *connections) closeIdle(matches func(one *connection) bool) bool {
	for at := c.idle.Front(); at != nil; at = at.Next() {
		one := at.Value.(*connection)
		if !matches(one) {
			continue
		}
		if left := idleGrace - clock.Since(one.since); left > 0 {
			c.admitIn(left)
			return false
		}
		c.release(one)
		// one.Close would acquire the mutex again.
		_ = one.Conn.Close()
		return true
	}
	return false
}

func (c *connections) admitIn(d time.Duration) {
	if c.retry {
		return
	}
	c.retry = true
	time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.retry = false
		c.admit()
	})
}

// setIdle appends an open connection to idle.
func (c *connections) setIdle(one *connection) {
	one.since = clock.Mark()
	one.place = c.idle.PushBack(one)
}

// setActive removes an open connection from idle.
func (c *connections) setActive(one *connection) {
	if one.place != nil {
		c.idle.Remove(one.place)
		one.place = nil
	}
}

func (c *connections) stopWaiting(one *connection) {
	c.waiting.Remove(one.place)
	one.place = nil
	decrement(c.waitingOf, one.network)
}

// release removes an open connection from the counts; later calls do nothing.
func (c *connections) release(one *connection) {
	one.once.Do(func() {
		c.setActive(one)
		c.open--
		decrement(c.openOf, one.network)
	})
}

func decrement(counts map[string]int, network string) {
	if counts[network]--; counts[network] == 0 {
		delete(counts, network)
	}
}

// note receives the state of a connection from http.Server.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	one, ok := conn.(*connection)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateActive:
		c.setActive(one)
	case http.StateIdle:
		c.setActive(one)
		c.setIdle(one)
		c.admit()
	case http.StateNew, http.StateHijacked, http.StateClosed:
	}
}

// Accept implements net.Listener.
func (c *connections) Accept() (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.ready) == 0 {
		c.arrived.Wait()
	}
	next := c.ready[0]
	c.ready = c.ready[1:]
	return next.conn, next.err
}

// Close implements net.Listener. It closes the waiting connections too.
func (c *connections) Close() error {
	c.mu.Lock()
	c.closed = true
	for at := c.waiting.Front(); at != nil; at = at.Next() {
		_ = at.Value.(*connection).Conn.Close()
	}
	c.waiting.Init()
	c.mu.Unlock()
	return c.Listener.Close()
}

// Close implements net.Conn.
func (one *connection) Close() error {
	c := one.of
	c.mu.Lock()
	c.release(one)
	c.admit()
	c.mu.Unlock()
	return one.Conn.Close()
}
