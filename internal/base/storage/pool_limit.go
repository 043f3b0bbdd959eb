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
	// growEvery is how often a pool that had to shrink may open some connections more.
	growEvery = 5 * time.Second
	// connectPatience is how long a pool without any connection waits for one that the server
	// gives it, and connectPause between two questions.
	connectPatience = 3 * time.Second
	connectPause    = 50 * time.Millisecond
	// sparePatience is how long it is waited for the server to answer on the spare connection.
	sparePatience = time.Second
)

// poolLimiter has a pool live with the connections that its server gives it.
//
// A server bounds the connections of all its users together, and the replicas of a service that
// are all busy may want more. The one that is refused another goes on with those that it has: its
// callers wait for one of them, as they would at the pool's own bound, and nobody is told of it.
// Every few seconds it may try some more. What it does not need goes back to the server, so that
// the others have it; and since all connections are closed after some minutes, the server's are
// dealt out anew to those that want them.
//
// The last connection is never given back, but kept as a spare until there is another: units that
// wait for a read of theirs would otherwise hold all the connections that could let it go on. And it
// is what an idle pool takes when it is asked now and then, rather than make another each time.
type poolLimiter struct {
	pool  *sql.DB
	size  int
	every time.Duration

	mu sync.Mutex
	// live is how many connections the pool has, and limit how many it may have.
	live, limit int
	// crowded is set from when the server refused a connection until the pool may have all it wants.
	crowded bool
	spare   *session
	closed  bool
}

func newPoolLimiter(size int) *poolLimiter {
	return &poolLimiter{size: size, limit: size, every: growEvery}
}

// isTooManyConnections reports whether a server refused a connection because there are too many: of all
// users, or of this one.
func isTooManyConnections(err error) bool {
	var refused *gomysql.MySQLError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Number {
	case 1040, 1203, 1226:
		return true
	}
	return false
}

// connect returns the spare, or makes a connection by open. When the server has none left, the error
// is driver.ErrBadConn, by which the caller waits for one of those that the pool has; or, when it has
// none, the server's.
func (c *poolLimiter) connect(ctx context.Context, open func(ctx context.Context) (*session, error)) (*session, error) {
	began := clock.Mark()
	for {
		if spare := c.takeSpare(ctx); spare != nil {
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
		if clock.Since(began) > connectPatience || !clock.Sleep(ctx, connectPause) {
			return nil, err
		}
	}
}

// add counts a connection that was made, which the spare need not stand in for any more.
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

// shrink has the pool make do with the connections that it has, and returns how many they are.
func (c *poolLimiter) shrink(ctx context.Context) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.live
	}
	if !c.crowded {
		c.crowded = true
		slog.WarnContext(ctx, "the database has no connection left to give; this process goes on with those it has", "has", c.live, "wants", c.size)
		time.AfterFunc(c.every, c.grow)
	}
	c.setLimit(max(1, min(c.live, c.limit, c.size-1)))
	return c.live
}

// grow lets the pool open some more connections, until it may have all that it wants.
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

// setLimit bounds the pool. A smaller bound closes connections only as they come back.
func (c *poolLimiter) setLimit(limit int) {
	c.limit = limit
	c.pool.SetMaxOpenConns(limit)
	c.pool.SetMaxIdleConns(limit)
}

// takeSpare returns the spare connection, if there is one that the server still knows and that is not
// due to be closed. It is in no transaction then, whatever it was in.
func (c *poolLimiter) takeSpare(ctx context.Context) *session {
	c.mu.Lock()
	spare := c.spare
	c.spare = nil
	c.mu.Unlock()
	if spare == nil {
		return nil
	}
	// A link that was cut without a word must not hold its caller for the patience of a statement.
	asking, cancel := context.WithTimeout(ctx, sparePatience)
	defer cancel()
	if clock.Since(spare.made) > connMaxLifetime {
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

// close ends a connection, or keeps it as the spare when it is the last and sound.
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
