package engines

import (
	"fmt"
	"strconv"
	"strings"

	"interlock/internal/base/storage"
)

// Findings about a Galera cluster. A write is on all servers before it is acknowledged, in
// one order, so no failover loses it; a part without a majority rejects requests. Other
// clusters were not tested.

// smallestQuorum is the number of members with which a cluster has a majority after one
// failure.
const smallestQuorum = 3

func (f serverFacts) clusterFindings() []Finding {
	if group := f.is["group_replication_group_name"]; group != "" {
		return []Finding{{Name: "group_replication_group_name", Value: group, Level: Risk, Loss: Loss{Failover: Undisclosed},
			Says: "The server is one of Group Replication, which the service was never tried on: reads at another server may be of a moment before, " +
				"and after a failover the outcome of a COMMIT whose reply was lost is called unknown. Have all replicas write to one server."}}
	}
	if !f.on("wsrep_on") {
		return []Finding{f.scattered()}
	}
	status := f.clusterStatus()
	if status.Level != OK {
		return append([]Finding{status, f.syncWait()}, f.quorumOptions()...)
	}
	return append([]Finding{status, f.clusterSize(), f.writers(), f.syncWait()}, f.quorumOptions()...)
}

// scattered reports connections to several servers that are not a cluster.
func (f serverFacts) scattered() Finding {
	if f.servers < 2 {
		return Finding{}
	}
	return Finding{Name: "servers", Value: strconv.Itoa(f.servers), Want: "1", Level: Risk, Loss: Loss{Failover: Moments},
		Says: fmt.Sprintf("The connections of this process lead to %d servers that are no cluster: what is written at one need not be at the others, or not yet. "+
			"After a failover this ends by itself within some minutes. Otherwise lead all connections to one server.", f.servers)}
}

// clusterStatus reports whether the server accepts requests at all.
func (f serverFacts) clusterStatus() Finding {
	finding := Finding{Name: "wsrep_cluster_status", Value: f.is["wsrep_cluster_status"], Level: OK}
	state := f.is["wsrep_local_state_comment"]
	switch {
	case finding.Value == "":
		return f.unread(finding.Name, Loss{})
	case !strings.EqualFold(finding.Value, "Primary"):
		finding.Want, finding.Level = "Primary", Broken
		finding.Says = fmt.Sprintf("It is %s: this server's part of the cluster has no majority, and serves neither reads nor writes until it has. Requests are answered with 503 as long as "+
			"no connection leads elsewhere. Bring the others back; if they are gone for good, bootstrap the one part that has most.", finding.Value)
	case !f.on("wsrep_ready"):
		finding.Level = Broken
		finding.Says = fmt.Sprintf("The cluster has a majority, and this server is not ready (%s): it serves nobody until it has joined.", state)
	default:
		finding.Says = "The server is in the part of its cluster that has the majority."
		const donor = "2"
		if f.is["wsrep_local_state"] == donor {
			finding.Says += fmt.Sprintf(" It is %s: statements wait until it has caught up with the others.", state)
		}
	}
	return finding
}

// clusterSize reports the consequences of a server's failure. An arbitrator (garbd) is a
// member.
func (f serverFacts) clusterSize() Finding {
	finding := Finding{Name: "wsrep_cluster_size", Value: f.is["wsrep_cluster_size"], Level: OK, Loss: Loss{Failover: Nothing}}
	n, err := strconv.Atoi(finding.Value)
	switch {
	case err != nil:
		return f.unread(finding.Name, Loss{})
	case n == 1:
		finding.Want, finding.Level, finding.Loss = strconv.Itoa(smallestQuorum), Risk, Loss{}
		finding.Says = "The server is alone in its cluster: there is nothing to fail over to. Bring the others back, or add some."
	case n < smallestQuorum:
		finding.Want, finding.Level = strconv.Itoa(smallestQuorum), Risk
		finding.Says = "There are two members. When one of them or the link between them fails, the other one has no majority: requests are answered with 503 until somebody bootstraps it. " +
			"What was acknowledged is at both, and is not lost. Add a third server, or an arbitrator (garbd)."
	default:
		finding.Says = fmt.Sprintf("There are %d members, of which %d have the data. An acknowledged write was sent to all of them, so that no failover loses it.", n, f.copies())
		if n%2 == 0 {
			finding.Says += " A cut into halves leaves no half a majority: an odd number is better."
		}
	}
	return finding
}

// copies returns the number of servers of the cluster with the data; 0 outside a cluster
// with a majority. An arbitrator has neither data nor a client address.
func (f serverFacts) copies() int {
	if !f.on("wsrep_on") || !strings.EqualFold(f.is["wsrep_cluster_status"], "Primary") {
		return 0
	}
	copies := 0
	for address := range strings.SplitSeq(f.is["wsrep_incoming_addresses"], ",") {
		if strings.TrimSpace(address) != "" {
			copies++
		}
	}
	return copies
}

// writers reports concurrent writes on several servers, which break no guarantee.
func (f serverFacts) writers() Finding {
	finding := Finding{Name: "writers", Value: strconv.Itoa(f.servers), Level: OK}
	const price = "No promise suffers from several writers. But transactions that meet at different servers find out only when they commit: one is given up and run again, " +
		"and answered with 503 when it loses each time"
	since := fmt.Sprintf("Since this server started it gave up %s for those of others.", transactions(f.count("wsrep_local_cert_failures")+f.count("wsrep_local_bf_aborts")))
	if f.servers > 1 {
		finding.Want, finding.Level = "1", Risk
		finding.Says = fmt.Sprintf("The connections of this process lead to %d servers of the cluster, which all take its writes. %s. %s "+
			"Lead the connections of all replicas to one server, and to the next while that one is away.", f.servers, price, since)
		return finding
	}
	finding.Says = fmt.Sprintf("The connections of this process lead to one server of the cluster; whether those of other replicas lead to the same cannot be seen from here. %s. %s", price, since)
	return finding
}

func (f serverFacts) count(name string) int64 { return atoi(f.is[name]) }

func transactions(n int64) string {
	if n == 1 {
		return "1 transaction"
	}
	return fmt.Sprintf("%d transactions", n)
}

// syncWait reports reads on a server that may not have applied commits of another.
func (f serverFacts) syncWait() Finding {
	finding := Finding{Name: "wsrep_sync_wait", Value: f.is["wsrep_sync_wait"], Level: OK}
	switch {
	case finding.Value == "":
		return f.unread(finding.Name, Loss{})
	case !storage.IsCausal(finding.Value):
		finding.Want, finding.Level, finding.Fatal = strconv.Itoa(storage.CausalMask), Broken, true
		finding.Says = fmt.Sprintf("Sessions of the service have it at %s although it sets them to %d: what was committed at another server can be missed, "+
			"and a COMMIT whose reply was lost be taken for undone. Connect to the server itself, or have the proxy before it leave the settings of sessions as they are.", finding.Value, storage.CausalMask)
	default:
		finding.Says = fmt.Sprintf("Sessions of the service have it at %s, as it sets them: each statement waits until its server has applied what was committed before it anywhere.", finding.Value)
	}
	return finding
}

// quorumOptions reports options by which a part without a majority accepts requests.
func (f serverFacts) quorumOptions() []Finding {
	const name = "pc.ignore_sb"
	text := f.is["wsrep_provider_options"]
	if text == "" {
		return []Finding{f.unread(name, Loss{Failover: Undisclosed})}
	}
	options := map[string]string{}
	for option := range strings.SplitSeq(text, ";") {
		key, value, _ := strings.Cut(option, "=")
		options[strings.TrimSpace(key)] = strings.ToLower(strings.TrimSpace(value))
	}
	var list []Finding
	for _, option := range []string{name, "pc.ignore_quorum", "pc.bootstrap"} {
		if !isOn(options[option]) {
			continue
		}
		list = append(list, Finding{Name: option, Value: options[option], Want: "false", Level: Broken, Fatal: true, Loss: Loss{Failover: Moments},
			Says: fmt.Sprintf("It is %s: parts of the cluster that have lost sight of each other both go on to take writes, and what was acknowledged in one of them since then is lost "+
				"when they are one again. Set it to false in wsrep_provider_options.", options[option])})
	}
	if len(list) == 0 {
		list = append(list, Finding{Name: name, Value: "false", Level: OK, Loss: Loss{Failover: Nothing}, Says: "A part of the cluster that has no majority serves nobody, so that there are never two that take writes."})
	}
	return list
}
