package engines

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"interlock/internal/base/storage"
)

// sqliteFindings are what the embedded database promises. The settings are those of each
// connection of this program.
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

// mysqlFacts are the server's variables and status, by name in small letters; what it
// does not have is missing.
type mysqlFacts map[string]string

// mysqlVariables and mysqlStatus are read without any privilege. MySQL and MariaDB have
// different names for semi-synchronous replication.
var (
	mysqlVariables = []any{
		"innodb_flush_log_at_trx_commit", "innodb_flush_log_at_timeout", "innodb_doublewrite", "log_bin", "sync_binlog", "read_only",
		"rpl_semi_sync_master_enabled", "rpl_semi_sync_master_timeout", "rpl_semi_sync_master_wait_point",
		"rpl_semi_sync_source_enabled", "rpl_semi_sync_source_timeout", "rpl_semi_sync_source_wait_point",
	}
	mysqlStatus = []any{
		"slaves_connected", "rpl_semi_sync_master_status", "rpl_semi_sync_source_status", "rpl_semi_sync_master_clients", "rpl_semi_sync_source_clients",
	}
)

func readMySQL(ctx context.Context, pool *sql.DB) (mysqlFacts, error) {
	facts := mysqlFacts{}
	for what, names := range map[string][]any{"VARIABLES": mysqlVariables, "STATUS": mysqlStatus} {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
		rows, err := pool.QueryContext(ctx, "SHOW GLOBAL "+what+" WHERE Variable_name IN ("+marks+")", names...)
		if err != nil {
			return nil, fmt.Errorf("read the server's %s: %w", strings.ToLower(what), err)
		}
		defer rows.Close()
		for rows.Next() {
			var name, value string
			if err := rows.Scan(&name, &value); err != nil {
				return nil, err
			}
			facts[strings.ToLower(name)] = value
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

// is reports whether a variable is on, in any of the ways in which the engines say it.
func (f mysqlFacts) is(name string) bool {
	value := strings.ToUpper(f[name])
	return value == "ON" || value == "1" || value == "YES"
}

// semiSync returns the value of a variable of semi-synchronous replication by the end of its
// name, whichever name the server has for it.
func (f mysqlFacts) semiSync(end string) string {
	return cmp.Or(f["rpl_semi_sync_master_"+end], f["rpl_semi_sync_source_"+end])
}

func (f mysqlFacts) findings() []Finding {
	list := []Finding{f.flush(), f.doublewrite()}
	if f.is("log_bin") {
		list = append(list, f.syncBinlog())
	}
	list = append(list, f.replicas(), f.readOnly())
	for i := range list {
		list[i].Engine = Database
	}
	return list
}

// unread is the finding for a variable that the server does not show.
func (mysqlFacts) unread(name string, loss Loss) Finding {
	return Finding{Name: name, Level: Unknown, Loss: loss, Says: "It cannot be read: ask your provider."}
}

func (f mysqlFacts) flush() Finding {
	finding := Finding{Name: "innodb_flush_log_at_trx_commit", Value: f["innodb_flush_log_at_trx_commit"], Want: "1", Level: Risk}
	often := "second"
	if seconds := f["innodb_flush_log_at_timeout"]; seconds != "" && seconds != "1" {
		often = seconds + " seconds"
	}
	switch finding.Value {
	case "":
		return f.unread(finding.Name, Loss{Process: Undisclosed, Machine: Undisclosed})
	case "0":
		finding.Loss = Loss{Process: Second, Machine: Second}
		finding.Says = "It is 0. A crash of the database server, or of its machine, loses the acknowledged writes of about the last " + often + ". Set it to 1."
	case "2":
		finding.Loss = Loss{Process: Nothing, Machine: Second}
		finding.Says = "It is 2. A crash of the machine loses the acknowledged writes of about the last " + often + "; a crash of the database server alone loses nothing. Set it to 1."
	default: // 3 syncs more often than 1
		finding.Want, finding.Level, finding.Loss = "", OK, Loss{Process: Nothing, Machine: Nothing}
		finding.Says = "It is " + finding.Value + ": an acknowledged write is on the disk."
	}
	return finding
}

func (f mysqlFacts) doublewrite() Finding {
	finding := Finding{Name: "innodb_doublewrite", Value: f["innodb_doublewrite"]}
	switch strings.ToUpper(finding.Value) {
	case "":
		return f.unread(finding.Name, Loss{Machine: Undisclosed})
	case "OFF", "0", "DETECT_ONLY":
		finding.Want, finding.Level, finding.Loss = "ON", Risk, Loss{Machine: TornPages}
		finding.Says = fmt.Sprintf("It is %s. A crash of the machine in the middle of a page write can leave the page torn, and nothing to restore it from. "+
			"Set it to ON, unless the storage writes pages whole.", finding.Value)
	default:
		finding.Level, finding.Loss = OK, Loss{Machine: Nothing}
		finding.Says = "It is " + finding.Value + ": a page that was torn by a crash is restored."
	}
	return finding
}

// syncBinlog matters without replicas too: where there is a binary log, it decides at
// recovery whether a prepared transaction was committed.
func (f mysqlFacts) syncBinlog() Finding {
	finding := Finding{Name: "sync_binlog", Value: f["sync_binlog"], Want: "1", Level: Risk, Loss: Loss{Process: Nothing, Machine: HalfMinute}}
	how := "at all by the server, only by the operating system (on Linux within some 30 seconds)"
	switch finding.Value {
	case "":
		return f.unread(finding.Name, Loss{Machine: Undisclosed})
	case "1":
		finding.Want, finding.Level, finding.Loss = "", OK, Loss{Process: Nothing, Machine: Nothing}
		finding.Says = "It is 1: the binary log, which decides at recovery what was committed, is on the disk before a write is acknowledged."
		return finding
	case "0":
	default:
		finding.Loss.Machine = Moments
		how = "before every " + finding.Value + "th group of commits"
	}
	finding.Says = fmt.Sprintf("It is %s: the binary log is not synced %s. It decides at recovery what was committed, so that a crash of the machine "+
		"loses acknowledged writes that it does not have, whatever innodb_flush_log_at_trx_commit says, and replicas may have others than the server. Set it to 1.", finding.Value, how)
	return finding
}

func (f mysqlFacts) replicas() Finding {
	const name = "replicas"
	if !f.is("log_bin") {
		return Finding{Name: name, Value: "0", Level: OK, Says: "There is no binary log and so none, so that no failover can lose anything; nor is there anything to fail over to."}
	}
	connected := cmp.Or(f["slaves_connected"], f.semiSync("clients"))
	n, err := strconv.ParseInt(connected, 10, 64)
	switch {
	case err != nil:
		return Finding{Name: name, Level: Unknown, Loss: Loss{Failover: Undisclosed},
			Says: "Whether there are any cannot be read: ask your provider. Unless replication is semi-synchronous, a failover loses the acknowledged writes that the new server has not received."}
	case n == 0:
		return Finding{Name: name, Value: "0", Level: OK, Says: "None is connected, so that no failover can lose anything; nor is there anything to fail over to."}
	}
	finding := Finding{Name: name, Value: connected, Level: Risk, Loss: Loss{Failover: Moments}}
	switch {
	case !strings.EqualFold(f.semiSync("enabled"), "ON"):
		finding.Says = counted(n) + " asynchronously. A failover loses the acknowledged writes that the new server has not received: usually less than a second of them, " +
			"and everything since then where the old one was cut off and went on. Enable semi-synchronous replication, with the wait point AFTER_SYNC."
	case !strings.EqualFold(f.semiSync("status"), "ON"):
		finding.Says = counted(n) + " asynchronously: semi-synchronous replication is enabled, but no replica has acknowledged within its time-out. " +
			"A failover loses the acknowledged writes that the new server has not received. See why the replicas are late."
	case strings.EqualFold(f.semiSync("wait_point"), "AFTER_COMMIT"):
		finding.Says = counted(n) + " semi-synchronously, and commits are seen before a replica has them (AFTER_COMMIT). A failover can lose a write that others have read and acted on, " +
			"though not one that was acknowledged to its author. Set the wait point to AFTER_SYNC."
	default:
		finding.Level, finding.Loss.Failover = OK, Nothing
		finding.Says = fmt.Sprintf("%s semi-synchronously: an acknowledged write is on one of them too. When none answers for %s ms this ends by itself, and this finding says so.", counted(n), f.semiSync("timeout"))
	}
	return finding
}

func (f mysqlFacts) readOnly() Finding {
	finding := Finding{Name: "read_only", Value: f["read_only"], Level: OK, Says: "The server takes writes."}
	if value := strings.ToUpper(finding.Value); value != "" && value != "OFF" && value != "0" {
		finding.Want, finding.Level = "OFF", Broken
		finding.Says = fmt.Sprintf("It is %s: the server takes no writes. It is a replica, or in maintenance.", finding.Value)
	}
	return finding
}

// databaseFindings asks the database what it promises.
func databaseFindings(ctx context.Context, db *storage.DB) ([]Finding, error) {
	pool := db.Pools()["read"]
	if db.Dialect == storage.SQLite {
		list, err := sqliteFindings(ctx, pool)
		for i := range list {
			list[i].Engine = Database
		}
		return list, err
	}
	facts, err := readMySQL(ctx, pool)
	if err != nil {
		return nil, err
	}
	return facts.findings(), nil
}
