package engines

import (
	"fmt"
	"strconv"
	"strings"

	"interlock/internal/base/storage"
)

// Findings about a Galera cluster. A write reaches all servers, in one order, before it is
// acknowledged, so no failover loses it. A part of the cluster without a majority rejects requests.
// Other kinds of clusters were not tested.

// smallestQuorum is the minimum number of members with which a cluster still has a majority after
// one failure.
const smallestQuorum = 3

func (f serverFacts) clusterFindings() []Finding {
	if group := f.is["group_replication_group_name"]; group != "" {
		return []Finding{{Name: "group_replication_group_name", Value: group, Level: Risk, Loss: Loss{Failover: Undisclosed},
			Says: "The server uses Group Replication, which is untested: reads at another server may be stale, " +
				"and after a failover a COMMIT without a reply is reported as unknown. Connect all replicas to one server."}}
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
		Says: fmt.Sprintf("The connections of this process lead to %d servers that are no cluster: the others may lack the writes of one, or receive them late. "+
			"After a failover this ends within some minutes. Otherwise connect to one server only.", f.servers)}
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
		finding.Says = fmt.Sprintf("It is %s: this server's part of the cluster has no majority, and serves neither reads nor writes until it has. Requests receive 503 unless "+
			"their connections lead to another server. Restart the others; if they are lost, bootstrap the part with the most data.", finding.Value)
	case !f.on("wsrep_ready"):
		finding.Level = Broken
		finding.Says = fmt.Sprintf("The cluster has a majority, and this server is not ready (%s): it rejects statements until it has joined.", state)
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
		finding.Says = "The server is alone in its cluster: there is nothing to fail over to. Restart the others, or add some."
	case n < smallestQuorum:
		finding.Want, finding.Level = strconv.Itoa(smallestQuorum), Risk
		finding.Says = "There are two members. If one of them or their connection fails, the other one has no majority: requests receive 503 until an operator bootstraps it. " +
			"Both have the acknowledged writes, so none is lost. Add a third server, or an arbitrator (garbd)."
	default:
		finding.Says = fmt.Sprintf("There are %d members, of which %d have the data. An acknowledged write was sent to all of them, so that no failover loses it.", n, f.copies())
		if n%2 == 0 {
			finding.Says += " A split into halves leaves no majority: an odd number is better."
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
	const price = "Several writers violate no promise. But transactions that conflict on different servers fail only at COMMIT: one is rolled back and run again, " +
		"and receives 503 if it loses each time"
	since := fmt.Sprintf("Since its start this server rolled back %s for those of others.", transactions(f.count("wsrep_local_cert_failures")+f.count("wsrep_local_bf_aborts")))
	if f.servers > 1 {
		finding.Want, finding.Level = "1", Risk
		finding.Says = fmt.Sprintf("The connections of this process lead to %d servers of the cluster, which all receive its writes. %s. %s "+
			"Connect all replicas to one server, and to the next only while that one is down.", f.servers, price, since)
		return finding
	}
	finding.Says = fmt.Sprintf("The connections of this process lead to one server of the cluster; the servers of other replicas are unknown. %s. %s", price, since)
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
		finding.Says = fmt.Sprintf("Sessions of the service have it at %s although it sets them to %d: reads can miss commits of another server, "+
			"and a COMMIT without a reply can be reported as rolled back. Connect to the server directly, or configure the proxy not to change session settings.", finding.Value, storage.CausalMask)
	default:
		finding.Says = fmt.Sprintf("Sessions of the service have it at %s, as it sets them: each statement waits until its server has applied all earlier commits of the cluster.", finding.Value)
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
			Says: fmt.Sprintf("It is %s: disconnected parts of the cluster both continue to accept writes, and the acknowledged writes of one of them are lost "+
				"when they are connected again. Set it to false in wsrep_provider_options.", options[option])})
	}
	if len(list) == 0 {
		list = append(list, Finding{Name: name, Value: "false", Level: OK, Loss: Loss{Failover: Nothing}, Says: "A part of the cluster without a majority rejects statements, so two parts never both accept writes."})
	}
	return list
}
