package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"interlock/internal/base/background"
)

// watchEvery is the interval of Background.
const watchEvery = 2 * time.Second

// Background returns the service that pings an idle connection of each pool to a server every two
// seconds. If one does not respond within a second, it renews all connections, so that a network
// that lost them without closing them costs seconds. Pools without an idle connection are busy, and
// Options.StatementTimeout bounds their statements.
func (db *DB) Background() background.Service {
	return background.Service{Name: "ping database connections", Every: watchEvery, Delay: watchEvery, Run: db.ping}
}

func (db *DB) ping(ctx context.Context) error {
	if db.Dialect == SQLite {
		return nil
	}
	for _, pool := range db.Pools() {
		if pool.Stats().Idle == 0 {
			continue
		}
		asking, cancel := context.WithTimeout(ctx, spareTimeout)
		if err := pool.PingContext(asking); err != nil && ctx.Err() == nil {
			db.servers.renew()
		}
		cancel()
	}
	return nil
}

// CheckWrites returns the reason why the database currently accepts no writes, or no new
// connections; nil if it accepts both. It rolls its write back. It does not check an embedded
// database, which only this process writes. Slowness is not an error.
func (db *DB) CheckWrites(ctx context.Context) error {
	if db.Dialect == SQLite {
		return nil
	}
	if err := db.connectAgain(ctx); err != nil {
		return db.classify(err)
	}
	err := func() error {
		tx, err := db.write.ConnPool.(*sql.DB).BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE installation SET id = id WHERE id = 1")
		return errors.Join(err, tx.Rollback())
	}()
	if ctx.Err() != nil {
		return nil
	}
	return db.classify(err)
}

// connectAgain opens and closes a connection if the last attempt to connect failed.
func (db *DB) connectAgain(ctx context.Context) error {
	db.servers.mu.Lock()
	rejection := db.servers.rejection
	db.servers.mu.Unlock()
	if rejection == nil {
		return nil
	}
	made, err := db.open(ctx)
	if isTooManyConnections(err) {
		err = nil
	}
	db.servers.tried(err)
	if made != nil {
		_ = made.link.Close()
	}
	return err
}
