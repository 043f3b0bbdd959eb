package httpapi

import (
	"container/list"
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
	// sharePart is the part of all connections that one network may have: a quarter.
	sharePart = 4
	// idleGrace is how long a connection may be idle before it is closed for another one.
	idleGrace = time.Second
	// acceptPause is the pause after an error of the listener.
	acceptPause = 50 * time.Millisecond
)

// connections bounds the connections that a server has open, of all networks and of each. A
// connection beyond that waits until one ends, or until one has been idle for idleGrace: the longest
// idle is closed first. A network at its share makes room by its own connections alone, so that
// it takes no place of the others. A trusted proxy has no share, because it brings many callers.
//
// It is the listener of http.Server, whose ConnState reports to note.
type connections struct {
	net.Listener
	most, share int
	// trusts reports whether an address is of a trusted proxy.
	trusts func(remote string) bool

	mu   sync.Mutex
	open int
	// openOf and waitingOf count the connections of each network.
	openOf, waitingOf map[string]int
	// idle has the open connections that serve nothing, the longest idle first, waiting those that
	// are not served yet, and ready those that Accept returns next.
	idle, waiting list.List
	ready         []accepted
	arrived       *sync.Cond
	// retry is set while a timer is to call admit.
	retry, closed bool
}

type accepted struct {
	conn net.Conn
	err  error
}

// connection is one of the connections.
type connection struct {
	net.Conn
	of      *connections
	network string
	// place is where it is in idle or waiting; nil in neither.
	place *list.Element
	since time.Time
	once  sync.Once
}

// listen bounds the connections of a listener.
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
			c.arrive(conn)
			continue
		}
		c.mu.Lock()
		c.ready = append(c.ready, accepted{err: err})
		c.arrived.Signal()
		c.mu.Unlock()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		time.Sleep(acceptPause)
	}
}

// arrive has a connection wait for its turn. One of a network of which a share waits already is
// closed.
func (c *connections) arrive(conn net.Conn) {
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

// admit makes ready those that wait and for which there is room. The caller has the mutex.
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
		c.rest(one)
		c.ready = append(c.ready, accepted{conn: one})
		c.arrived.Signal()
	}
}

// makeRoom reports whether a network may open a connection, if necessary in place of an idle one.
func (c *connections) makeRoom(network string) bool {
	if network != "" && c.openOf[network] >= c.share {
		return c.closeIdle(func(one *connection) bool { return one.network == network })
	}
	return c.open < c.most || c.closeIdle(func(*connection) bool { return true })
}

// closeIdle closes the longest idle of the connections that match, if it has been idle for
// idleGrace; otherwise admit runs again when it has.
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
		c.leave(one)
		// Not by its own Close, which takes the mutex.
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

// rest puts an open connection behind the idle ones.
func (c *connections) rest(one *connection) {
	one.since = clock.Mark()
	one.place = c.idle.PushBack(one)
}

// work takes an open connection from the idle ones.
func (c *connections) work(one *connection) {
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

// leave counts an open connection as closed, at its first call.
func (c *connections) leave(one *connection) {
	one.once.Do(func() {
		c.work(one)
		c.open--
		decrement(c.openOf, one.network)
	})
}

func decrement(counts map[string]int, network string) {
	if counts[network]--; counts[network] == 0 {
		delete(counts, network)
	}
}

// note is told of the state of a connection by http.Server.
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
		c.work(one)
	case http.StateIdle:
		c.work(one)
		c.rest(one)
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

// Close implements net.Listener: those that wait are closed too.
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
	c.leave(one)
	c.admit()
	c.mu.Unlock()
	return one.Conn.Close()
}
