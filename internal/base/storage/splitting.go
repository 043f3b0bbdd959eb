package storage

import (
	"context"
	"database/sql"
	"fmt"
)

// splittingTries is how often CheckSplitting reads outside of a transaction: a proxy may send some of these
// reads to the primary too.
const splittingTries = 8

// CheckSplitting fails if a proxy sends reads and writes of one connection to different servers. A replica
// may not have applied the latest commits, so that rows would be missing. The schema must exist.
// Errors: ErrUnfit.
func (db *DB) CheckSplitting(ctx context.Context) error {
	if db.Dialect == SQLite {
		return nil
	}
	return db.classify(checkSplitting(ctx, db.write.ConnPool.(*sql.DB)))
}

func checkSplitting(ctx context.Context, pool *sql.DB) error {
	// The statement reads a table, because a proxy may reply to a query without a table instead of
	// the server.
	const who = "SELECT CONCAT_WS(' ', @@hostname, @@port, @@server_id) FROM installation WHERE id = 1"
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	var primary, reader string
	if _, err := tx.ExecContext(ctx, "UPDATE installation SET id = id WHERE id = 1"); err != nil {
		return fmt.Errorf("detect a proxy that splits reads from writes: %w", err)
	}
	if err := tx.QueryRowContext(ctx, who).Scan(&primary); err != nil {
		return fmt.Errorf("detect a proxy that splits reads from writes: %w", err)
	}
	if err := tx.Rollback(); err != nil {
		return err
	}
	for range splittingTries {
		if err := conn.QueryRowContext(ctx, who).Scan(&reader); err != nil {
			return fmt.Errorf("detect a proxy that splits reads from writes: %w", err)
		}
		if reader != primary {
			return unfit("a proxy before it sends reads to another server (%s) than writes (%s), so that rows that were just written would seem to be missing: "+
				"connect to the primary itself, or have the proxy send all statements of this user to the primary "+
				"(ProxySQL: no rule with another destination_hostgroup for SELECT; MaxScale: the router readconnroute with router_options=master)", reader, primary)
		}
	}
	return nil
}
