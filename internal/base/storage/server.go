package storage

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
)

// server describes a MySQL-compatible server, as reported on one connection.
type server struct {
	// skipsLocked is set if it supports SKIP LOCKED.
	skipsLocked bool
	// id identifies the server, "" if it reports no identity.
	id string
	// galera is set for a server of a Galera cluster; cluster is then the id of the history
	// that all servers of the cluster share.
	galera  bool
	cluster string
	// shared is set if other servers accept writes too: Galera, or Group Replication.
	shared bool
	// isolation is the level of the connection's transactions, "" if unknown.
	isolation string
}

// aboutServer queries everything but the cluster's id, which is not a variable. wsrep_on is
// ON on a server of a Galera cluster; Group Replication has a group name. MariaDB has no
// server_uuid.
const (
	aboutServer = "SHOW VARIABLES WHERE Variable_name IN ('version', 'server_uuid', 'server_uid', 'server_id', 'hostname', 'port', " +
		"'tx_isolation', 'transaction_isolation', 'wsrep_on', 'group_replication_group_name')"
	aboutCluster = "SHOW STATUS LIKE 'wsrep_cluster_state_uuid'"
	// noCluster is the cluster id of every server without a cluster.
	noCluster = "00000000-0000-0000-0000-000000000000"
)

// identify queries the identity of a server.
func identify(ctx context.Context, over link) (server, error) {
	is, err := valuesOf(ctx, over, aboutServer)
	if err != nil {
		return server{}, fmt.Errorf("query the identity of the server: %w", err)
	}
	at := server{
		skipsLocked: Version(is["version"]).skipsLocked(), id: serverID(is), galera: is["wsrep_on"] == "ON",
		isolation: cmp.Or(is["transaction_isolation"], is["tx_isolation"]),
	}
	at.shared = at.galera || is["group_replication_group_name"] != ""
	if at.galera {
		status, err := valuesOf(ctx, over, aboutCluster)
		if err != nil {
			return server{}, fmt.Errorf("query the cluster of the server: %w", err)
		}
		at.cluster = status["wsrep_cluster_state_uuid"]
	}
	return at, nil
}

// serverID returns MySQL's server_uuid. MariaDB has none; serverID then combines variables that
// differ between servers: server_id between servers that replicate each other, host and port
// between others, and server_uid, which only newer versions have, between machines.
func serverID(is map[string]string) string {
	if uuid := is["server_uuid"]; uuid != "" {
		return uuid
	}
	if is["hostname"] == "" && is["server_uid"] == "" {
		return ""
	}
	return strings.Join([]string{is["server_uid"], is["server_id"], is["hostname"], is["port"]}, " ")
}

// valuesOf returns the (name, value) rows of a statement as a map.
func valuesOf(ctx context.Context, over link, statement string) (map[string]string, error) {
	rows, err := over.QueryContext(ctx, statement, nil)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	values := map[string]string{}
	row := make([]driver.Value, 2)
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return values, nil
		case err != nil:
			return nil, err
		}
		values[textOf(row[0])] = textOf(row[1])
	}
}

// textOf returns a value as text; drivers may return bytes.
func textOf(value driver.Value) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	return fmt.Sprint(value)
}

// servers counts the open connections by server.
type servers struct {
	mu   sync.Mutex
	open map[string]int
	// newest is the server of the most recent connection.
	newest server
	// refusing are servers that rejected SKIP LOCKED, regardless of their version.
	refusing map[string]bool
	// generation counts the renewals of all connections: those of an earlier generation are closed
	// instead of being reused. renewed is the time of the last renewal.
	generation atomic.Uint64
	renewed    time.Time
	// rejection is the error of the last attempt to connect; nil after a success.
	rejection error
}

// renewEvery is the minimum interval between renewals.
const renewEvery = time.Second

// renew replaces all open connections, because their server no longer accepts writes or the network lost
// them. A connection in use is closed when its user returns it. New ones resolve the server's name again.
func (s *servers) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renewed.IsZero() || clock.Since(s.renewed) > renewEvery {
		s.renewed = clock.Mark()
		s.generation.Add(1)
	}
}

// tried notes the outcome of an attempt to connect.
func (s *servers) tried(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rejection = err
}

func (s *servers) add(at server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = make(map[string]int)
	}
	s.open[at.id]++
	s.newest = at
}

func (s *servers) remove(at server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[at.id]--; s.open[at.id] <= 0 {
		delete(s.open, at.id)
	}
}

// Servers returns the number of servers of the open connections: more than one behind a
// load-balancing proxy, or just after a failover.
func (db *DB) Servers() int {
	db.servers.mu.Lock()
	defer db.servers.mu.Unlock()
	return len(db.servers.open)
}

// RefusesSkipLocked records that the server has rejected SKIP LOCKED, so that it is not
// sent again.
func (db *DB) RefusesSkipLocked() {
	db.servers.mu.Lock()
	defer db.servers.mu.Unlock()
	if db.servers.refusing == nil {
		db.servers.refusing = make(map[string]bool)
	}
	db.servers.refusing[db.servers.newest.id] = true
}

// Capabilities are the behaviours that depend on the engine. Migrations, queues and logs
// use them, and the engine report shows them.
type Capabilities struct {
	// Packets is set if several statements of a unit are sent in one message.
	Packets bool
	// MigrationLease is set if migrating processes exclude each other by a row with a
	// lease. An embedded database has one process.
	MigrationLease bool
	// SkipLocked is set if consumers of a queue in SQL skip messages that others are
	// claiming. Correctness does not depend on it: the state and the count of the rows
	// decide.
	SkipLocked bool
	// SequencedLogs is set if followed logs are numbered after the commit. With one writer
	// and ids that a rollback releases, the ids are the numbers.
	SequencedLogs bool
}

// Capabilities returns the capabilities of the engine. If the connections lead to several servers,
// it returns the capabilities of the server of the most recent connection.
func (db *DB) Capabilities() Capabilities {
	if db.Dialect == SQLite {
		return Capabilities{}
	}
	db.servers.mu.Lock()
	defer db.servers.mu.Unlock()
	at := db.servers.newest
	return Capabilities{
		Packets: db.packets && !at.shared, MigrationLease: true, SkipLocked: at.skipsLocked && !db.servers.refusing[at.id], SequencedLogs: true,
	}
}
