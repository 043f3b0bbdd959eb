package approvals_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/racing"
)

// request is an operation of a client: to read the approval or the config, to act on the approval
// at the version that the client read, or to change the config directly at the version that it
// read.
type request struct {
	action  string
	version float64
	value   float64
}

// reply is the response to a request.
type reply struct {
	landed  bool
	version float64
	status  string
	value   float64
}

// oneChange is the sequential model of an approval and its config: a vote is accepted at the
// version that was read and applies the content of that version, and a direct change of the config
// makes the approval stale.
type oneChange struct {
	version        float64
	status         string
	proposed       float64
	config, newest float64
}

var model = racing.Model[request, reply, oneChange]{
	Initial: oneChange{version: 1, status: "pending", proposed: 2, config: 1, newest: 1},
	Step: func(now oneChange, in request, out reply) (bool, oneChange) {
		possible := now.status == "pending" && in.version == now.version
		switch in.action {
		case "config":
			return out.value == now.config && out.version == now.newest, now
		case "read":
			return out.version == now.version && out.status == now.status && out.value == now.proposed, now
		case "withdraw":
			possible = (now.status == "pending" || now.status == "stale") && in.version == now.version
		case "change":
			possible = in.version == now.newest
		}
		if !out.landed {
			return !possible, now
		}
		next := now
		next.version++
		switch in.action {
		case "edit":
			next.proposed = in.value
		case "approve":
			next.status, next.config, next.newest = "approved", now.proposed, now.newest+1
		case "withdraw":
			next.status = "withdrawn"
		case "change":
			if next.config, next.newest = in.value, now.newest+1; now.status == "pending" {
				next.status = "stale"
			} else {
				next.version = now.version
			}
			return possible && out.version == next.newest, next
		}
		return possible && out.version == next.version, next
	},
}

// Proves G8.7.
func TestVotesEditsAndWithdrawalsAreLinearizable(t *testing.T) {
	t.Parallel()
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const steps, changes = 8, 9
		deeds := []string{"edit", "edit", "config", "approve", "approve", "edit", "withdraw", "change"}
		// Acts that end an approval come late, so that edits race with it; only one kind other than
		// votes ends each approval.
		ends := func(deed string, change, step int) bool {
			switch deed {
			case "approve":
				return step >= 2 && rand.IntN(2) == 0
			case "withdraw":
				return change%3 == 1 && step >= 4
			case "change":
				return change%3 == 2 && step >= 4
			}
			return true
		}
		o := open(t, ctx, db)
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		for n := range changes {
			key := fmt.Sprintf("tax-%d", n)
			first := li.propose(key, li.protect(key, 1), `{"value":2}`)
			var history racing.History[request, reply]
			// Rounds start together, so that readers do not overtake writers.
			begin := make([]func(), steps)
			for step := range steps {
				begin[step] = racing.Meet(len(deeds))
			}
			racing.Together(len(deeds), func(client int) {
				voter := []*desk{wu, mo}[client%2]
				seen, before, config := first, first, object{}
				readConfig := func() (reply, error) {
					config = li.config(key)
					return reply{value: config["value"].(float64), version: config["version"].(float64)}, nil
				}
				for step := range steps {
					begin[step]()
					if deeds[client] == "change" {
						history.Record(client, request{action: "config"}, readConfig)
					} else {
						history.Record(client, request{action: "read"}, func() (reply, error) {
							before, seen = seen, li.read(first)
							return reply{
								version: seen.body["version"].(float64), status: seen.body["status"].(string), value: seen.body["patch"].(object)["value"].(float64),
							}, nil
						})
					}
					on := seen
					if deeds[client] == "approve" && rand.IntN(2) == 0 {
						// Usually another client has edited it since.
						on = before
					}
					in := request{action: deeds[client], version: on.body["version"].(float64), value: float64(10 + 100*client + step)}
					if !ends(in.action, n, step) {
						in.action = "config"
					}
					if in.action == "change" {
						in.version = config["version"].(float64)
					}
					history.Record(client, in, func() (reply, error) {
						var answer httpapitest.Answer
						switch in.action {
						case "config":
							return readConfig()
						case "edit":
							answer = li.Send(t, "PATCH", first.path, object{"patch": object{"value": in.value}}, "If-Match", seen.etag)
						case "approve":
							answer = voter.try(on, "approve")
						case "withdraw":
							answer = li.try(seen, "withdraw")
						case "change":
							answer = mo.Send(t, "PATCH", "/configs/"+key+"?bypass=race", object{"value": in.value}, "If-Match", config["etag"].(string))
						}
						if answer.Status == http.StatusOK {
							return reply{landed: true, version: answer.Body["version"].(float64)}, nil
						}
						if answer.Status != http.StatusPreconditionFailed && answer.Status != http.StatusConflict {
							return reply{}, fmt.Errorf("the reply to %s was %d: %s", in.action, answer.Status, answer.Text)
						}
						return reply{}, nil
					})
				}
			})
			require.True(t, racing.Linearizable(t, &history, model))
		}
	})
}
