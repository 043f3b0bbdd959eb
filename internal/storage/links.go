package storage

import (
	"context"
	"database/sql/driver"
)

// LinkChanges counts what could have put another server, or an earlier state of this one,
// behind the pools: each connection that was opened, and each that was lost or found its
// server read-only. While it does not grow, the connections that are there are those that
// were there.
func (db *DB) LinkChanges() uint64 { return db.links.Load() }

// countedConnector counts the connections that it opens.
type countedConnector struct {
	driver.Connector
	db *DB
}

// Connect implements driver.Connector.
func (c countedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err == nil {
		c.db.links.Add(1)
	}
	return conn, err
}
