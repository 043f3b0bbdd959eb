package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"interlock/internal/base/clock"
)

// watchEvery is the pause between two looks of Watch.
const watchEvery = 2 * time.Second

// Watch pings an idle connection of each pool to a server every two seconds until ctx ends. When one does
// not answer within a second, it gives up all connections, so that a network that lost them without
// closing them costs seconds. Pools without an idle connection are busy, and Options.Patience bounds
// their statements.
func (db *DB) Watch(ctx context.Context) {
	for db.Dialect == MySQL && clock.Sleep(ctx, watchEvery) {
		for _, pool := range db.Pools() {
			if pool.Stats().Idle == 0 {
				continue
			}
			asking, cancel := context.WithTimeout(ctx, sparePatience)
			if err := pool.PingContext(asking); err != nil && ctx.Err() == nil {
				db.servers.renew()
			}
			cancel()
		}
	}
}

// CheckWrites returns why the database takes no writes, or no new connections, at the moment; nil if it
// does. It rolls its write back. An embedded database is not asked: its only writer is this process. A
// database that is only slow is no error.
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

// connectAgain makes a connection if the last attempt to make one failed, and closes it.
func (db *DB) connectAgain(ctx context.Context) error {
	db.servers.mu.Lock()
	refusal := db.servers.refusal
	db.servers.mu.Unlock()
	if refusal == nil {
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
