package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"

	gomysql "github.com/go-sql-driver/mysql"
)

// Link and Runnable are link and runnable.
type (
	Link     = link
	Runnable = runnable
)

// Preparing creates connections that cache at most most prepared statements.
func Preparing(connector driver.Connector, most int) driver.Connector {
	return preparing{connector, most}
}

// Waiting returns the number of transactions that wait for SQLite's writer.
func (db *DB) Waiting() int {
	db.groups.queue.mu.Lock()
	defer db.groups.queue.mu.Unlock()
	return len(db.groups.queue.waiting)
}

// SetMaxGroupAge sets how long a group accepts transactions. It must be called before the first
// one.
func (db *DB) SetMaxGroupAge(age time.Duration) { db.groups.maxAge = age }

// SetWriterTimeout bounds the wait of a batch for SQLite's writer.
func (db *DB) SetWriterTimeout(timeout time.Duration) { db.groups.writerTimeout = timeout }

// StopsPackets is Version.stopsPackets.
func StopsPackets(version string) bool { return Version(version).stopsPackets() }

// SkipsLocked is Version.skipsLocked.
func SkipsLocked(version string) bool { return Version(version).skipsLocked() }

// GrowEvery sets the interval at which a reduced pool may open more connections. It must be
// called before the reduction.
func (db *DB) GrowEvery(every time.Duration) {
	for _, c := range db.limiters {
		c.every = every
	}
}

// ConnectCrowded opens a connection in a pool of one, until ctx ends, to a server without a free
// connection.
func ConnectCrowded(ctx context.Context) error {
	connector, err := gomysql.NewConnector(gomysql.NewConfig())
	if err != nil {
		return err
	}
	c := newPoolLimiter(1)
	c.pool = sql.OpenDB(connector)
	defer c.pool.Close()
	_, err = c.connect(ctx, func(context.Context) (*session, error) { return nil, &gomysql.MySQLError{Number: 1203} })
	return errors.Join(err, c.end())
}

// SeenBy reports whether commits at one server are certainly visible at another, by their variables
// and cluster ids.
func SeenBy(there, here map[string]string) bool {
	of := func(is map[string]string) server {
		return server{id: serverID(is), galera: is["wsrep_on"] == "ON", cluster: is["wsrep_cluster_state_uuid"]}
	}
	return of(here).knowsOf(of(there))
}

// CheckSplitting is that of a database, over a pool.
var CheckSplitting = checkSplitting
