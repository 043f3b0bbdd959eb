package engines

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"interlock/internal/base/storage"
)

// sqliteFindings reports the guarantees of the embedded database. The settings are those of
// each connection of this program.
func sqliteFindings(ctx context.Context, pool *sql.DB) ([]Finding, error) {
	var journal string
	var synchronous int
	if err := pool.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal); err != nil {
		return nil, fmt.Errorf("read journal_mode: %w", err)
	}
	if err := pool.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&synchronous); err != nil {
		return nil, fmt.Errorf("read synchronous: %w", err)
	}
	return []Finding{journalMode(journal), synchronousMode(synchronous)}, nil
}

func journalMode(mode string) Finding {
	finding := Finding{Name: "journal_mode", Value: mode, Want: "wal", Level: Risk, Loss: Loss{Process: Nothing}}
	switch mode {
	case "wal":
		finding.Want, finding.Level = "", OK
		finding.Says = "It is wal: readers do not wait for writers."
	case "off", "memory":
		finding.Loss = Loss{Process: TornPages, Machine: TornPages}
		finding.Says = fmt.Sprintf("It is %s: a crash in the middle of a transaction can damage the database. Put the data on a file system that supports WAL.", mode)
	default:
		finding.Says = fmt.Sprintf("It is %s: readers wait for writers. The file system may not support WAL; put the data on one that does.", mode)
	}
	return finding
}

func synchronousMode(mode int) Finding {
	finding := Finding{Name: "synchronous", Value: strconv.Itoa(mode), Want: "2", Level: Risk, Loss: Loss{Process: Nothing}}
	switch mode {
	case 0:
		finding.Loss.Machine = TornPages
		finding.Says = "It is 0 (OFF): a crash of the machine can damage the database. It must be 2 (FULL)."
	case 1:
		finding.Loss.Machine = Moments
		finding.Says = "It is 1 (NORMAL): a crash of the machine can lose the last acknowledged writes. It must be 2 (FULL)."
	default:
		finding.Want, finding.Level, finding.Loss.Machine = "", OK, Nothing
		finding.Says = fmt.Sprintf("It is %d: an acknowledged write is on the disk.", mode)
	}
	return finding
}

// serverFacts are the variables of a MySQL-compatible server, and facts about the
// connections to it.
type serverFacts struct {
	// is contains the variables of one session of the program, and the status, by name in
	// lower case. Variables that the server does not have are missing.
	is map[string]string
	// servers is the number of servers of this process's connections.
	servers      int
	capabilities storage.Capabilities
	// otherEngines are the storage engines of tables that are not in InnoDB; tablesErr is
	// the error of reading them.
	otherEngines []string
	tablesErr    error
}

// serverVariables and serverStatus can be read without privileges. MySQL and MariaDB have
// different names for some of them.
var (
	serverVariables = []any{
		"version", "version_comment", "tx_isolation", "transaction_isolation", "check_constraint_checks", "auto_increment_increment", "gtid_mode",
		"innodb_flush_log_at_trx_commit", "innodb_flush_log_at_timeout", "innodb_doublewrite", "idle_transaction_timeout", "wait_timeout", "log_bin", "sync_binlog", "read_only",
		"rpl_semi_sync_master_enabled", "rpl_semi_sync_master_timeout", "rpl_semi_sync_master_wait_point",
		"rpl_semi_sync_source_enabled", "rpl_semi_sync_source_timeout", "rpl_semi_sync_source_wait_point",
		"group_replication_group_name", "wsrep_on", "wsrep_sync_wait", "wsrep_provider_options",
	}
	serverStatus = []any{
		"slaves_connected", "rpl_semi_sync_master_status", "rpl_semi_sync_source_status", "rpl_semi_sync_master_clients", "rpl_semi_sync_source_clients",
		"wsrep_cluster_size", "wsrep_cluster_status", "wsrep_local_state", "wsrep_local_state_comment", "wsrep_ready", "wsrep_incoming_addresses",
		"wsrep_local_cert_failures", "wsrep_local_bf_aborts",
	}
)

// readServer queries one server, on one connection, because the next connection may lead to
// another.
func readServer(ctx context.Context, db *storage.DB) (serverFacts, error) {
	f := serverFacts{is: map[string]string{}, servers: db.Servers(), capabilities: db.Capabilities()}
	conn, err := db.Pools()["read"].Conn(ctx)
	if err != nil {
		return f, err
	}
	defer conn.Close()
	for what, names := range map[string][]any{"VARIABLES": serverVariables, "GLOBAL STATUS": serverStatus} {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
		rows, err := conn.QueryContext(ctx, "SHOW "+what+" WHERE Variable_name IN ("+marks+")", names...)
		if err != nil {
			return f, fmt.Errorf("read the server's %s: %w", strings.ToLower(what), err)
		}
		err = eachRow(rows, func(name, value string) { f.is[strings.ToLower(name)] = value })
		if err != nil {
			return f, fmt.Errorf("read the server's %s: %w", strings.ToLower(what), err)
		}
	}
	f.otherEngines, f.tablesErr = otherEngines(ctx, conn)
	return f, nil
}

// otherEngines returns the storage engines of the database's tables except InnoDB.
func otherEngines(ctx context.Context, conn *sql.Conn) ([]string, error) {
	const query = `SELECT DISTINCT engine, '' FROM information_schema.tables
		WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' AND engine <> 'InnoDB' ORDER BY engine`
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	var others []string
	return others, eachRow(rows, func(name, _ string) { others = append(others, name) })
}

// eachRow reads all rows of a name and a value.
func eachRow(rows *sql.Rows, read func(name, value string)) error {
	defer rows.Close()
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return err
		}
		read(name, value)
	}
	return rows.Err()
}

// on reports whether a variable is on.
func (f serverFacts) on(name string) bool { return isOn(f.is[name]) }

// isOn reports whether a value means on, in any spelling of the engines.
func isOn(value string) bool {
	switch strings.ToUpper(value) {
	case "ON", "1", "YES", "TRUE":
		return true
	}
	return false
}

// findings returns the findings that follow from the facts.
func (f serverFacts) findings() []Finding {
	list := []Finding{f.version(), f.storageEngine(), f.isolation(), f.checks(), f.ids(), ways(f.capabilities), f.flush(), f.doublewrite()}
	if f.on("log_bin") {
		list = append(list, f.syncBinlog())
	}
	list = append(list, f.clusterFindings()...)
	list = append(list, f.replicas(), f.readOnly(), f.idleTransactions())
	list = slices.DeleteFunc(list, func(finding Finding) bool { return finding.Name == "" })
	for i := range list {
		list[i].Engine = Database
	}
	return list
}

// databaseFindings queries the guarantees of the database.
func databaseFindings(ctx context.Context, db *storage.DB) ([]Finding, error) {
	pool := db.Pools()["read"]
	if db.Dialect == storage.SQLite {
		list, err := sqliteFindings(ctx, pool)
		if err != nil {
			return nil, err
		}
		list = append(list, ways(db.Capabilities()))
		for i := range list {
			list[i].Engine = Database
		}
		return list, nil
	}
	facts, err := readServer(ctx, db)
	if err != nil {
		return nil, err
	}
	return facts.findings(), nil
}
