package engines

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// unread returns the finding for a variable that the server does not show.
func (serverFacts) unread(name string, loss Loss) Finding {
	return Finding{Name: name, Level: Unknown, Loss: loss, Says: "It cannot be read: ask your provider."}
}

func (f serverFacts) flush() Finding {
	finding := Finding{Name: "innodb_flush_log_at_trx_commit", Value: f.is["innodb_flush_log_at_trx_commit"], Want: "1", Level: Risk}
	often := "second"
	if seconds := f.is["innodb_flush_log_at_timeout"]; seconds != "" && seconds != "1" {
		often = seconds + " seconds"
	}
	switch finding.Value {
	case "":
		return f.unread(finding.Name, Loss{Process: Undisclosed, Machine: Undisclosed})
	case "0", "2":
		if n := f.copies(); n >= safeCopies {
			return elsewhereToo(finding, n, often)
		}
	}
	switch finding.Value {
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

// safeCopies is the number of servers of a Galera cluster that must have the data to
// compensate for a missing sync: two are left when one fails.
const safeCopies = 3

// elsewhereToo returns the finding for a server of a Galera cluster that does not sync every write.
// Each write was sent to the other servers before it was acknowledged.
func elsewhereToo(finding Finding, copies int, often string) Finding {
	finding.Want, finding.Level, finding.Loss = "", OK, Loss{Process: Nothing, Machine: Nothing}
	finding.Says = fmt.Sprintf("It is %s, in a cluster of which %d servers have the data. An acknowledged write was sent to all of them, so that it is lost only "+
		"when all their machines fail together: then the writes of about the last %s are lost. Set it to 1 where they share a power supply.", finding.Value, copies, often)
	return finding
}

func (f serverFacts) doublewrite() Finding {
	finding := Finding{Name: "innodb_doublewrite", Value: f.is["innodb_doublewrite"]}
	switch strings.ToUpper(finding.Value) {
	case "":
		return f.unread(finding.Name, Loss{Machine: Undisclosed})
	case "OFF", "0", "DETECT_ONLY":
		finding.Want, finding.Level, finding.Loss = "ON", Risk, Loss{Machine: TornPages}
		finding.Says = fmt.Sprintf("It is %s. A crash of the machine in the middle of a page write can leave the page torn and unrecoverable. "+
			"Set it to ON, unless the storage writes pages atomically.", finding.Value)
	default:
		finding.Level, finding.Loss = OK, Loss{Machine: Nothing}
		finding.Says = "It is " + finding.Value + ": a page torn by a crash is restored."
	}
	return finding
}

// syncBinlog matters without replicas too: with a binary log, it decides at recovery
// whether a prepared transaction was committed.
func (f serverFacts) syncBinlog() Finding {
	finding := Finding{Name: "sync_binlog", Value: f.is["sync_binlog"], Want: "1", Level: Risk, Loss: Loss{Process: Nothing, Machine: HalfMinute}}
	how, often := "at all by the server, only by the operating system (on Linux within some 30 seconds)", "30 seconds"
	switch finding.Value {
	case "":
		return f.unread(finding.Name, Loss{Machine: Undisclosed})
	case "1":
		finding.Want, finding.Level, finding.Loss = "", OK, Loss{Process: Nothing, Machine: Nothing}
		finding.Says = "It is 1: the binary log, which defines the committed transactions at recovery, is on disk before a write is acknowledged."
		return finding
	case "0": // how and often have the values for it
	default:
		finding.Loss.Machine, often = Moments, "moments"
		how = "before every " + finding.Value + "th group of commits"
	}
	if n := f.copies(); n >= safeCopies {
		return elsewhereToo(finding, n, often)
	}
	finding.Says = fmt.Sprintf("It is %s: the binary log is not synced %s. It defines the committed transactions at recovery, so a crash of the machine "+
		"loses acknowledged writes that it does not have, whatever innodb_flush_log_at_trx_commit is, and replicas may have other writes than the server. Set it to 1.", finding.Value, how)
	return finding
}

// semiSync returns the value of a variable of semi-synchronous replication by the suffix of
// its name, under either of the engines' names.
func (f serverFacts) semiSync(end string) string {
	return cmp.Or(f.is["rpl_semi_sync_master_"+end], f.is["rpl_semi_sync_source_"+end])
}

// replicas reports binary log replicas. The servers of a Galera cluster do not use it, so a
// cluster server without replicas has no finding here; see clusterFindings.
func (f serverFacts) replicas() Finding {
	const name = "replicas"
	logged, connected := f.on("log_bin"), cmp.Or(f.is["slaves_connected"], f.semiSync("clients"))
	switch {
	case f.on("wsrep_on") && (!logged || connected == "0"):
		return Finding{}
	case !logged:
		return Finding{Name: name, Value: "0", Level: OK, Says: "There is no binary log and no replica, so there is nothing to fail over to."}
	}
	n, err := strconv.ParseInt(connected, 10, 64)
	switch {
	case err != nil:
		return Finding{Name: name, Level: Unknown, Loss: Loss{Failover: Undisclosed},
			Says: "Their number cannot be read: ask your provider. Unless replication is semi-synchronous, a failover loses the acknowledged writes that the new server has not received."}
	case n == 0:
		return Finding{Name: name, Value: "0", Level: OK, Says: "No replica is connected, so there is nothing to fail over to."}
	}
	finding := Finding{Name: name, Value: connected, Level: Risk, Loss: Loss{Failover: Moments}}
	switch {
	case !strings.EqualFold(f.semiSync("enabled"), "ON"):
		finding.Says = counted(n) + " asynchronously. A failover loses the acknowledged writes that the new server has not received: usually less than a second of them, " +
			"and if the old server was disconnected and continued, everything since then. Enable semi-synchronous replication, with the wait point AFTER_SYNC."
	case !strings.EqualFold(f.semiSync("status"), "ON"):
		finding.Says = counted(n) + " asynchronously: semi-synchronous replication is enabled, but no replica has acknowledged within its time-out. " +
			"A failover loses the acknowledged writes that the new server has not received. Find the reason for the delay."
	case strings.EqualFold(f.semiSync("wait_point"), "AFTER_COMMIT"):
		finding.Says = counted(n) + " semi-synchronously, and commits are seen before a replica has them (AFTER_COMMIT). A failover can lose a write that others have read and acted on, " +
			"though not one that was acknowledged to its author. Set the wait point to AFTER_SYNC."
	default:
		finding.Level, finding.Loss.Failover = OK, Nothing
		finding.Says = fmt.Sprintf("%s semi-synchronously: one of them has each acknowledged write. If none responds for %s ms, replication becomes asynchronous, and this finding reports it.", counted(n), f.semiSync("timeout"))
	}
	if mode := f.is["gtid_mode"]; mode != "" && !strings.EqualFold(mode, "ON") {
		finding.Says += fmt.Sprintf(" gtid_mode is %s: at a failover an operator must find the most recent replica. Set it to ON.", mode)
	}
	return finding
}

func (f serverFacts) readOnly() Finding {
	finding := Finding{Name: "read_only", Value: f.is["read_only"], Level: OK, Says: "The server accepts writes."}
	if value := strings.ToUpper(finding.Value); value != "" && value != "OFF" && value != "0" {
		finding.Want, finding.Level, finding.Fatal = "OFF", Broken, true
		finding.Says = fmt.Sprintf("It is %s: the server rejects writes. It is a replica, or in maintenance.", finding.Value)
	}
	return finding
}

// maxIdle is the recommended limit of an idle transaction, in seconds; it has its row locks
// until then.
const maxIdle = 60

// idleTransactions reports the limit of idle transactions. If a process vanishes without closing
// its connections, its row locks remain until the server ends its sessions.
func (f serverFacts) idleTransactions() Finding {
	finding := Finding{Name: "idle_transaction_timeout", Level: OK}
	// MySQL has no bound for transactions only.
	if finding.Value = f.is[finding.Name]; finding.Value == "" {
		finding.Name = "wait_timeout"
		finding.Value = f.is[finding.Name]
	}
	seconds, err := strconv.Atoi(finding.Value)
	switch {
	case err != nil:
		return f.unread(finding.Name, Loss{})
	case seconds == 0 || seconds > maxIdle:
		finding.Level, finding.Want = Risk, strconv.Itoa(maxIdle)
		finding.Says = fmt.Sprintf("It is %s seconds although the service sets less for its sessions. A process that vanishes without closing its connections, "+
			"as after a power loss, has its row locks until then. Connect to the server directly, or configure the proxy not to change session settings.", finding.Value)
	default:
		finding.Says = "It is " + finding.Value + " seconds: the row locks of a vanished process are released after that."
	}
	return finding
}
