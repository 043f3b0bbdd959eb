package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"sync"
	"time"

	gomysql "github.com/go-sql-driver/mysql"

	"interlock/internal/base/clock"
)

const (
	// growEvery is the interval at which a reduced pool may open more connections.
	growEvery = 5 * time.Second
	// connectTimeout bounds the wait of a pool without connections for one from the
	// server, and connectPause is the interval of attempts.
	connectTimeout = 3 * time.Second
	connectPause   = 50 * time.Millisecond
	// spareTimeout bounds the wait for a reply on the spare connection.
	spareTimeout = time.Second
)

// poolLimiter adapts a pool to the connections that its server grants.
//
// A server bounds the total number of connections, and the replicas of a busy service
// together may want more. A pool with a rejected connection attempt continues with its
// connections: its callers wait for one of them, as at the pool's own bound,
// and get no error. Every few seconds it may try to open more. Unused connections are
// closed, so that other replicas can have them; and since all connections are closed after
// some minutes, they are redistributed among the replicas.
//
// The last connection is never closed but retained as a spare until there is another one:
// otherwise units that wait for a read could own all connections that the read needs. A
// pool with rare requests also reuses it instead of opening a new one each time.
type poolLimiter struct {
	pool  *sql.DB
	size  int
	every time.Duration

	mu sync.Mutex
	// live is the number of connections of the pool, and limit the maximum.
	live, limit int
	// crowded is set from the server's rejection of a connection until the pool may open all its connections.
	crowded bool
	spare   *session
	closed  bool
}

func newPoolLimiter(size int) *poolLimiter {
	return &poolLimiter{size: size, limit: size, every: growEvery}
}

// isTooManyConnections reports whether a server rejected a connection because it has too many
// connections, of all users or of this user.
func isTooManyConnections(err error) bool {
	var rejection *gomysql.MySQLError
	if !errors.As(err, &rejection) {
		return false
	}
	switch rejection.Number {
	case 1040, 1203, 1226:
		return true
	}
	return false
}

// connect returns the spare, or a connection created by open. If the server has none left,
// the error is driver.ErrBadConn, after which the caller waits for one of the pool's
// connections; if the pool has none, it is the server's error.
func (c *poolLimiter) connect(ctx context.Context, open func(ctx context.Context) (*session, error)) (*session, error) {
	start := clock.Mark()
	for {
		if spare := c.acquireSpare(ctx); spare != nil {
			return spare, nil
		}
		made, err := open(ctx)
		if err == nil {
			c.add()
			return made, nil
		}
		if !isTooManyConnections(err) {
			return nil, err
		}
		if c.shrink(ctx) > 0 {
			return nil, driver.ErrBadConn
		}
		if clock.Since(start) > connectTimeout || !clock.Sleep(ctx, connectPause) {
			return nil, err
		}
	}
}

// add counts a new connection, which makes the spare unnecessary.
func (c *poolLimiter) add() {
	c.mu.Lock()
	spare := c.spare
	c.spare = nil
	c.live++
	c.mu.Unlock()
	if spare != nil {
		_ = spare.link.Close()
	}
}

// shrink limits the pool to its current connections, and returns their number.
func (c *poolLimiter) shrink(ctx context.Context) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.live
	}
	if !c.crowded {
		c.crowded = true
		slog.WarnContext(ctx, "database: no further connection granted; continuing with the open ones", "has", c.live, "wants", c.size)
		time.AfterFunc(c.every, c.grow)
	}
	c.setLimit(max(1, min(c.live, c.limit, c.size-1)))
	return c.live
}

// grow raises the limit step by step, up to the configured size.
func (c *poolLimiter) grow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.setLimit(min(c.size, c.limit+max(1, c.size/8)))
	if c.crowded = c.limit < c.size; c.crowded {
		time.AfterFunc(c.every, c.grow)
	}
}

// setLimit bounds the pool. A lower bound closes connections only when they are released.
func (c *poolLimiter) setLimit(limit int) {
	c.limit = limit
	c.pool.SetMaxOpenConns(limit)
	c.pool.SetMaxIdleConns(limit)
}

// acquireSpare returns the spare connection, if there is one that the server still accepts and
// that is not too old. It is in no transaction afterwards.
func (c *poolLimiter) acquireSpare(ctx context.Context) *session {
	c.mu.Lock()
	spare := c.spare
	c.spare = nil
	c.mu.Unlock()
	if spare == nil {
		return nil
	}
	// A silently broken connection must not block its caller for the time-out of a
	// statement.
	asking, cancel := context.WithTimeout(ctx, spareTimeout)
	defer cancel()
	if clock.Since(spare.made) > connMaxLifetime || !spare.isCurrent() {
		_ = spare.link.Close()
		return nil
	}
	if _, err := spare.link.ExecContext(asking, "ROLLBACK", nil); err != nil {
		_ = spare.link.Close()
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live++
	return spare
}

// close closes a connection, or retains it as the spare if it is the last and valid.
func (c *poolLimiter) close(s *session, sound bool) error {
	c.mu.Lock()
	c.live--
	keep := sound && !c.closed && c.live == 0
	if keep {
		c.spare = s
	}
	c.mu.Unlock()
	if keep {
		return nil
	}
	return s.link.Close()
}

// end closes the spare when the pool is closed.
func (c *poolLimiter) end() error {
	c.mu.Lock()
	spare := c.spare
	c.spare, c.closed = nil, true
	c.mu.Unlock()
	if spare == nil {
		return nil
	}
	return spare.link.Close()
}
