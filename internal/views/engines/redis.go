package engines

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/redisconn"
)

// Data that is only in Redis until it is in SQL, and the consequence of its loss.
const (
	purchases = "accepted purchases without an order"
	lostThere = purchases + ", which are then reported as rejected, and held locks"
)

// redisFacts are facts reported by one Redis server.
type redisFacts struct {
	node string
	// info and settings are nil if they cannot be read.
	info     map[string]string
	settings map[string]string
	// refused is the error of CONFIG, nil if it succeeded.
	refused error
}

// redisSettings are queried one by one: only Redis 7 and later accept several names.
var redisSettings = []string{
	"appendonly", "appendfsync", "no-appendfsync-on-rewrite", "save", "maxmemory-policy", "min-replicas-to-write", "min-replicas-max-lag",
}

// redisNode is a server with data.
type redisNode struct {
	address string
	client  *redis.Client
}

// redisNodes returns the masters, by address: the single server, the one named by the
// Sentinels, or all of a cluster.
func redisNodes(ctx context.Context, client redis.UniversalClient) ([]redisNode, error) {
	switch c := client.(type) {
	case *redis.Client:
		return []redisNode{{client: c}}, nil
	case *redis.ClusterClient:
		var mu sync.Mutex
		var nodes []redisNode
		err := c.ForEachMaster(ctx, func(_ context.Context, node *redis.Client) error {
			mu.Lock()
			defer mu.Unlock()
			nodes = append(nodes, redisNode{node.Options().Addr, node})
			return nil
		})
		slices.SortFunc(nodes, func(a, b redisNode) int { return cmp.Compare(a.address, b.address) })
		return nodes, err
	}
	return nil, fmt.Errorf("a Redis client of type %T is not known", client)
}

// facts queries one server, in one round trip. An error means that it does not reply; a
// rejected command is a fact.
func (n redisNode) facts(ctx context.Context) (redisFacts, error) {
	pipe := n.client.Pipeline()
	info := pipe.Info(ctx)
	requested := make([]*redis.MapStringStringCmd, len(redisSettings))
	for i, name := range redisSettings {
		requested[i] = pipe.ConfigGet(ctx, name)
	}
	// The error of each command is in its result.
	_, _ = pipe.Exec(ctx)

	f := redisFacts{node: n.address}
	switch err := info.Err(); {
	case err == nil:
		f.info = parseInfo(info.Val())
	case !redisconn.Refused(err):
		return f, err
	}
	settings := make(map[string]string, len(redisSettings))
	for _, found := range requested {
		if err := found.Err(); redisconn.Refused(err) {
			f.refused = err
			return f, nil
		} else if err != nil {
			return f, err
		}
		maps.Copy(settings, found.Val())
	}
	f.settings = settings
	return f, nil
}

// parseInfo parses the lines "name:value" of INFO.
func parseInfo(text string) map[string]string {
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), ":"); found && !strings.HasPrefix(name, "#") {
			info[name] = value
		}
	}
	return info
}

func (f redisFacts) number(name string) int64 { return atoi(f.info[name]) }

// atoi parses a number of the server, 0 if it is invalid.
func atoi(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// memory returns the memory values of INFO, and false without them.
func (f redisFacts) memory() (Memory, bool) {
	if f.info["used_memory"] == "" {
		return Memory{}, false
	}
	return Memory{
		Node: f.node, Used: f.number("used_memory"), Limit: f.number("maxmemory"),
		Policy: f.policy(), Evicted: f.number("evicted_keys"),
	}, true
}

// INFO contains policy and appendOnly too, and can be read where CONFIG cannot.
func (f redisFacts) policy() string {
	return cmp.Or(f.settings["maxmemory-policy"], f.info["maxmemory_policy"])
}

func (f redisFacts) appendOnly() string {
	return cmp.Or(f.settings["appendonly"], map[string]string{"0": "no", "1": "yes"}[f.info["aof_enabled"]])
}

// findings returns the findings that follow from the facts.
func (f redisFacts) findings() []Finding {
	list := []Finding{f.appendonly()}
	if f.appendOnly() != "no" {
		list = append(list, f.appendfsync(), f.onRewrite())
		if f.info["aof_last_write_status"] == "err" {
			list = append(list, Finding{
				Name: "aof_last_write_status", Value: "err", Want: "ok", Level: Risk, Loss: Loss{Machine: Moments},
				Says: "Redis could not write its append-only file the last time it tried, for example because the disk is full: it rejects writes until it can, " +
					"so purchases fail as unavailable. Free disk space.",
			})
		}
	}
	list = append(list, f.maxmemoryPolicy(), f.memoryLeft(), f.replicas())
	list = slices.DeleteFunc(list, func(finding Finding) bool { return finding.Name == "" })
	for i := range list {
		list[i].Engine, list[i].Node = Redis, f.node
	}
	return list
}

// unread returns the finding for an unreadable setting. worst is the sentence about the worst case,
// which must be assumed.
func (f redisFacts) unread(name string, loss Loss, worst string) Finding {
	why := "neither INFO nor CONFIG has it"
	if f.refused != nil {
		why = "the server rejects CONFIG"
	}
	return Finding{Name: name, Level: Unknown, Loss: loss, Err: f.refused, Says: fmt.Sprintf("It cannot be read (%s): ask your provider. %s", why, worst)}
}

func (f redisFacts) appendonly() Finding {
	finding := Finding{Name: "appendonly", Value: f.appendOnly()}
	switch finding.Value {
	case "yes":
		finding.Level, finding.Says = OK, "It is yes: a restart of Redis restores its append-only file."
		return finding
	case "":
		return f.unread(finding.Name, Loss{Process: Undisclosed, Machine: Undisclosed},
			"If it is no, a crash of Redis or of its machine loses everything since the last snapshot: "+lostThere+".")
	}
	finding.Want, finding.Level = "yes", Risk
	save, known := f.settings["save"]
	switch {
	case known && save == "":
		finding.Loss = Loss{Process: Everything, Machine: Everything}
		finding.Says = "It is no, and there are no snapshots (save is empty). A crash of Redis or of its machine loses everything in it: " + lostThere + ". Set appendonly to yes."
	case known:
		finding.Loss = Loss{Process: SinceSnapshot, Machine: SinceSnapshot}
		finding.Says = fmt.Sprintf("It is no; there are only snapshots (save %s). A crash of Redis or of its machine loses everything since the last one: %s. Set appendonly to yes.", save, lostThere)
	default:
		finding.Loss = Loss{Process: Everything, Machine: Everything}
		finding.Says = "It is no. A crash of Redis or of its machine loses everything since the last snapshot, and everything if none is made: " + lostThere + ". Ask your provider for an append-only file."
	}
	return finding
}

func (f redisFacts) appendfsync() Finding {
	finding := Finding{Name: "appendfsync", Value: f.settings["appendfsync"], Want: "always", Level: Risk}
	switch finding.Value {
	case "always":
		finding.Want, finding.Level, finding.Loss = "", OK, Loss{Process: Nothing, Machine: Nothing}
		finding.Says = "It is always: a purchase is on disk before its reply."
	case "everysec":
		finding.Loss = Loss{Process: Nothing, Machine: Second}
		finding.Says = "It is everysec. A crash of the machine loses about the last second, and up to two while its disk is busy: " + lostThere +
			". A crash of Redis alone loses nothing while the disk is fast enough. Set appendfsync to always; each write then waits for the disk."
	case "no":
		finding.Loss = Loss{Process: Nothing, Machine: HalfMinute}
		finding.Says = "It is no. A crash of the machine loses the writes that the operating system has not put on disk, on Linux up to some 30 seconds: " + lostThere +
			". A crash of Redis alone loses nothing. Set appendfsync to always, or at least to everysec."
	default:
		return f.unread(finding.Name, Loss{Process: Nothing, Machine: Undisclosed},
			"Most providers set everysec, with which a crash of the machine loses about the last second: "+lostThere+".")
	}
	return finding
}

// onRewrite reports no-appendfsync-on-rewrite, which is a risk only if the file is synced at other
// times.
func (f redisFacts) onRewrite() Finding {
	if f.settings["no-appendfsync-on-rewrite"] != "yes" || f.settings["appendfsync"] == "no" {
		return Finding{}
	}
	return Finding{
		Name: "no-appendfsync-on-rewrite", Value: "yes", Want: "no", Level: Risk, Loss: Loss{Process: Nothing, Machine: HalfMinute},
		Says: "It is yes: while the append-only file is rewritten nothing is synced, whatever appendfsync is. " +
			"A crash of the machine then loses up to some 30 seconds: " + lostThere + ". Set no-appendfsync-on-rewrite to no.",
	}
}

func (f redisFacts) maxmemoryPolicy() Finding {
	finding := Finding{Name: "maxmemory-policy", Value: f.policy(), Want: "noeviction", Level: Risk, Loss: Loss{Memory: EvictedKeys}}
	effect := "any key may be dropped: queues and gates of flash sales, with " + purchases
	switch {
	case finding.Value == "noeviction":
		finding.Want, finding.Level, finding.Loss = "", OK, Loss{Memory: Nothing}
		finding.Says = "It is noeviction: when its memory is full, Redis rejects writes and drops nothing."
		return finding
	case finding.Value == "":
		return f.unread(finding.Name, Loss{Memory: Undisclosed}, "Unless it is noeviction, Redis may drop keys when its memory is full: "+purchases+".")
	case strings.HasPrefix(finding.Value, "volatile-"):
		finding.Loss = Loss{Memory: HeldLocks}
		effect = "keys that expire may be dropped: held locks (the guards in SQL then decide), and stored replies (SQL has them too)"
	}
	when := "When its memory is full,"
	if f.info["maxmemory"] == "0" {
		when = "Nothing is dropped while maxmemory is 0; with a limit, when that is reached,"
	}
	finding.Says = fmt.Sprintf("It is %s. %s %s. %d keys have been dropped since Redis started. Set maxmemory-policy to noeviction.",
		finding.Value, when, effect, f.number("evicted_keys"))
	return finding
}

// nearlyFull is the percentage of its memory limit at which Redis counts as nearly full.
const nearlyFull = 90

func (f redisFacts) memoryLeft() Finding {
	m, known := f.memory()
	if !known {
		return Finding{Name: "memory", Level: Unknown, Loss: Loss{Memory: Undisclosed},
			Says: "Its use cannot be read (INFO was rejected): monitor it with your provider. A full Redis rejects purchases, or drops keys."}
	}
	used := megabytes(m.Used)
	if m.Limit == 0 {
		return Finding{Name: "memory", Value: used, Level: OK,
			Says: used + " are used and there is no limit (maxmemory is 0): when the machine runs out of memory, the kernel kills Redis."}
	}
	percent := m.Used * 100 / m.Limit
	value := fmt.Sprintf("%s of %s", used, megabytes(m.Limit))
	if percent < nearlyFull {
		return Finding{Name: "memory", Value: value, Level: OK, Says: fmt.Sprintf("%s are used, %d %%.", value, percent)}
	}
	effect := "rejects writes: purchases fail as unavailable, and no accepted purchase is lost"
	if m.Policy != "noeviction" {
		effect = "drops keys by maxmemory-policy"
	}
	return Finding{Name: "memory", Value: value, Level: Risk, Says: fmt.Sprintf("%s are used, %d %%. A full Redis %s. Raise maxmemory.", value, percent, effect)}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func (f redisFacts) replicas() Finding {
	const name = "replicas"
	if f.info["connected_slaves"] == "" {
		return Finding{Name: name, Level: Unknown, Loss: Loss{Failover: Undisclosed},
			Says: "Their number cannot be read (INFO was rejected): ask your provider. Replicas are asynchronous, and a failover loses the data that they have not received: " + lostThere + "."}
	}
	n := f.number("connected_slaves")
	least, known := f.settings["min-replicas-to-write"]
	if good, reported := f.info["min_slaves_good_slaves"]; reported && f.number("min_slaves_good_slaves") < atoi(least) {
		return Finding{Name: name, Value: good, Want: least, Level: Broken, Says: fmt.Sprintf("%s of the replicas that follow are up to date, and min-replicas-to-write is %s: "+
			"Redis rejects every write (NOREPLICAS). Purchases, and requests that need a lock, receive 503; no accepted purchase is lost. Restart the replicas.", good, least)}
	}
	if n == 0 {
		return Finding{Name: name, Value: "0", Level: OK, Says: "There are none, so there is nothing to fail over to. A flash sale that requires replicas accepts no purchase."}
	}
	finding := Finding{Name: name, Value: strconv.FormatInt(n, 10), Level: Risk, Loss: Loss{Failover: Moments}}
	finding.Says = fmt.Sprintf("%s asynchronously. A failover loses the data that the new master has not received: %s. That is usually less than a second", counted(n), lostThere)
	switch {
	case !known:
		finding.Says += ", and if the old master was disconnected and continued, everything since then. Ask your provider for min-replicas-to-write, which limits the loss; Redis cannot prevent it."
	case least == "0":
		finding.Says += ", and if the old master was disconnected and continued, everything since then. " +
			"Set min-replicas-to-write to 1 and min-replicas-max-lag to a few seconds, which limits the loss; Redis cannot prevent it."
	default:
		finding.Says += fmt.Sprintf(", and at most min-replicas-max-lag allows (%s s), because min-replicas-to-write is %s. Redis cannot prevent it.", f.settings["min-replicas-max-lag"], least)
	}
	finding.Says += " A flash sale that requires replicas accepts a purchase only when that many have it."
	return finding
}

func counted(replicas int64) string {
	if replicas == 1 {
		return "1 replica follows"
	}
	return fmt.Sprintf("%d replicas follow", replicas)
}
