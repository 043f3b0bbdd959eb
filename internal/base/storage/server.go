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
)

// server is what a server that speaks MySQL's protocol says of itself to one connection.
type server struct {
	// skipsLocked says that it knows SKIP LOCKED.
	skipsLocked bool
	// id tells servers apart, "" when the server does not say who it is.
	id string
	// galera is set for a server of a Galera cluster; cluster is then the id of the history that
	// all servers of the cluster share.
	galera  bool
	cluster string
	// shared says that others write beside it: those of Galera, or of Group Replication.
	shared bool
	// isolation is the level of the connection's transactions, "" when it is not shown.
	isolation string
}

// aboutServer asks for all of it but the cluster's id, which is no variable. wsrep_on is ON on
// a server of a Galera cluster; that of Group Replication has a name. MariaDB has no server_uuid.
const (
	aboutServer = "SHOW VARIABLES WHERE Variable_name IN ('version', 'server_uuid', 'server_uid', 'server_id', 'hostname', 'port', " +
		"'tx_isolation', 'transaction_isolation', 'wsrep_on', 'group_replication_group_name')"
	aboutCluster = "SHOW STATUS LIKE 'wsrep_cluster_state_uuid'"
	// noCluster is the id that a server has while it is in no cluster, the same at all of them.
	noCluster = "00000000-0000-0000-0000-000000000000"
)

// identify asks a server who it is.
func identify(ctx context.Context, over link) (server, error) {
	is, err := valuesOf(ctx, over, aboutServer)
	if err != nil {
		return server{}, fmt.Errorf("ask the server who it is: %w", err)
	}
	at := server{
		skipsLocked: Version(is["version"]).skipsLocked(), id: serverID(is), galera: is["wsrep_on"] == "ON",
		isolation: cmp.Or(is["transaction_isolation"], is["tx_isolation"]),
	}
	at.shared = at.galera || is["group_replication_group_name"] != ""
	if at.galera {
		status, err := valuesOf(ctx, over, aboutCluster)
		if err != nil {
			return server{}, fmt.Errorf("ask the server for its cluster: %w", err)
		}
		at.cluster = status["wsrep_cluster_state_uuid"]
	}
	return at, nil
}

// serverID is MySQL's server_uuid. MariaDB has none; there server_id differs between servers
// that replicate, host and port between others, and server_uid, which is newer, between machines.
func serverID(is map[string]string) string {
	if uuid := is["server_uuid"]; uuid != "" {
		return uuid
	}
	if is["hostname"] == "" && is["server_uid"] == "" {
		return ""
	}
	return strings.Join([]string{is["server_uid"], is["server_id"], is["hostname"], is["port"]}, " ")
}

// valuesOf returns the rows (name, value) of a statement.
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

// textOf is a value of a row as text, which drivers may have as bytes.
func textOf(value driver.Value) string {
	if bytes, ok := value.([]byte); ok {
		return string(bytes)
	}
	return fmt.Sprint(value)
}

// servers counts the open connections by the server that they lead to.
type servers struct {
	mu   sync.Mutex
	open map[string]int
	// newest is the server of the connection that was opened last.
	newest server
	// refusing are the servers that refused SKIP LOCKED, whatever their version says.
	refusing map[string]bool
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

// Servers returns to how many servers the open connections lead: more than one behind a proxy
// that spreads them, or just after a failover.
func (db *DB) Servers() int {
	db.servers.mu.Lock()
	defer db.servers.mu.Unlock()
	return len(db.servers.open)
}

// RefusesSkipLocked notes that the server has refused SKIP LOCKED, so that it is not sent it again.
func (db *DB) RefusesSkipLocked() {
	db.servers.mu.Lock()
	defer db.servers.mu.Unlock()
	if db.servers.refusing == nil {
		db.servers.refusing = make(map[string]bool)
	}
	db.servers.refusing[db.servers.newest.id] = true
}

// Capabilities are the ways of the service that depend on its engine. Migrations, queues and
// logs go by them, and the engines' report shows them.
type Capabilities struct {
	// Packets says that the statements of a unit go to the server several at once.
	Packets bool
	// MigrationLease says that processes which migrate exclude one another by a row with a
	// lease. An embedded database has one process.
	MigrationLease bool
	// SkipLocked says that consumers of a queue in SQL pass over messages that others are
	// taking. Nothing rests on it: the state of the row and the count of rows decide.
	SkipLocked bool
	// NumberedLogs says that rows which others follow get their places after the commit. With
	// one writer, whose rollback takes its ids back, the ids are the places.
	NumberedLogs bool
}

// Capabilities returns those of the engine. Where connections lead to several servers they are
// those of the one that was met last.
func (db *DB) Capabilities() Capabilities {
	if db.Dialect == SQLite {
		return Capabilities{}
	}
	db.servers.mu.Lock()
	defer db.servers.mu.Unlock()
	at := db.servers.newest
	return Capabilities{
		Packets: db.packets && !at.shared, MigrationLease: true, SkipLocked: at.skipsLocked && !db.servers.refusing[at.id], NumberedLogs: true,
	}
}
