package engines

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// unread is the finding for a variable that the server does not show.
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

// elsewhereToo is the finding for a server of a Galera cluster that does not sync every
// write. Each write was sent to the other servers before it was acknowledged.
func elsewhereToo(finding Finding, copies int, often string) Finding {
	finding.Want, finding.Level, finding.Loss = "", OK, Loss{Process: Nothing, Machine: Nothing}
	finding.Says = fmt.Sprintf("It is %s, in a cluster of which %d servers have the data. An acknowledged write was sent to all of them, so that it is lost only "+
		"when all their machines fail together: then the writes of about the last %s are gone. Set it to 1 where they share a power supply.", finding.Value, copies, often)
	return finding
}

func (f serverFacts) doublewrite() Finding {
	finding := Finding{Name: "innodb_doublewrite", Value: f.is["innodb_doublewrite"]}
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
		finding.Says = "It is 1: the binary log, which decides at recovery what was committed, is on the disk before a write is acknowledged."
		return finding
	case "0": // how and often have the values for it
	default:
		finding.Loss.Machine, often = Moments, "moments"
		how = "before every " + finding.Value + "th group of commits"
	}
	if n := f.copies(); n >= safeCopies {
		return elsewhereToo(finding, n, often)
	}
	finding.Says = fmt.Sprintf("It is %s: the binary log is not synced %s. It decides at recovery what was committed, so that a crash of the machine "+
		"loses acknowledged writes that it does not have, whatever innodb_flush_log_at_trx_commit says, and replicas may have others than the server. Set it to 1.", finding.Value, how)
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
		return Finding{Name: name, Value: "0", Level: OK, Says: "There is no binary log and so none, so that no failover can lose anything; nor is there anything to fail over to."}
	}
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
	if mode := f.is["gtid_mode"]; mode != "" && !strings.EqualFold(mode, "ON") {
		finding.Says += fmt.Sprintf(" gtid_mode is %s: which replica has most must be found by hand at a failover. Set it to ON.", mode)
	}
	return finding
}

func (f serverFacts) readOnly() Finding {
	finding := Finding{Name: "read_only", Value: f.is["read_only"], Level: OK, Says: "The server takes writes."}
	if value := strings.ToUpper(finding.Value); value != "" && value != "OFF" && value != "0" {
		finding.Want, finding.Level, finding.Fatal = "OFF", Broken, true
		finding.Says = fmt.Sprintf("It is %s: the server takes no writes. It is a replica, or in maintenance.", finding.Value)
	}
	return finding
}

// longestIdle is in seconds: how long an idle transaction may keep its row locks.
const longestIdle = 60

// idleTransactions is about a process that vanishes without closing its connections: the server keeps the
// locks of its transactions until it ends the sessions.
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
	case seconds == 0 || seconds > longestIdle:
		finding.Level, finding.Want = Risk, strconv.Itoa(longestIdle)
		finding.Says = fmt.Sprintf("It is %s seconds although the service sets less for its sessions. A process that vanishes without closing its connections, "+
			"as after a power loss, keeps its row locks for so long. Connect to the server itself, or have the proxy leave the settings of sessions unchanged.", finding.Value)
	default:
		finding.Says = "It is " + finding.Value + " seconds: so long a process that vanishes keeps its row locks."
	}
	return finding
}
