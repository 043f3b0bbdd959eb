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

// asked is what a client asked: to read the approval or the config, to act on the approval at the
// version that it has read, or to change the config itself at the version that it has read.
type asked struct {
	what    string
	version float64
	value   float64
}

// toldState is what it was told.
type toldState struct {
	landed  bool
	version float64
	status  string
	value   float64
}

// oneChange is an approval with its config as one thread would see them: a vote lands on the
// version that was read and makes just what that version proposed, and whoever changes the
// config itself makes the approval stale with it.
type oneChange struct {
	version        float64
	status         string
	proposed       float64
	config, newest float64
}

var model = racing.Model[asked, toldState, oneChange]{
	Initial: oneChange{version: 1, status: "pending", proposed: 2, config: 1, newest: 1},
	Step: func(now oneChange, in asked, out toldState) (bool, oneChange) {
		possible := now.status == "pending" && in.version == now.version
		switch in.what {
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
		switch in.what {
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

func TestVotesEditsAndWithdrawalsAreLinearizable(t *testing.T) {
	t.Parallel()
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const steps, changes = 8, 9
		deeds := []string{"edit", "edit", "config", "approve", "approve", "edit", "withdraw", "change"}
		// What ends an approval comes late, or nothing would race with edits of it; of those beside
		// the votes one at a time.
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
			var history racing.History[asked, toldState]
			// Whoever only reads would be far ahead of those who write.
			begin := make([]func(), steps)
			for step := range steps {
				begin[step] = racing.Meet(len(deeds))
			}
			racing.Together(len(deeds), func(client int) {
				voter := []*desk{wu, mo}[client%2]
				seen, before, config := first, first, object{}
				readConfig := func() (toldState, error) {
					config = li.config(key)
					return toldState{value: config["value"].(float64), version: config["version"].(float64)}, nil
				}
				for step := range steps {
					begin[step]()
					if deeds[client] == "change" {
						history.Record(client, asked{what: "config"}, readConfig)
					} else {
						history.Record(client, asked{what: "read"}, func() (toldState, error) {
							before, seen = seen, li.read(first)
							return toldState{
								version: seen.body["version"].(float64), status: seen.body["status"].(string), value: seen.body["patch"].(object)["value"].(float64),
							}, nil
						})
					}
					on := seen
					if deeds[client] == "approve" && rand.IntN(2) == 0 {
						// Others have edited it since, most of the time.
						on = before
					}
					in := asked{what: deeds[client], version: on.body["version"].(float64), value: float64(10 + 100*client + step)}
					if !ends(in.what, n, step) {
						in.what = "config"
					}
					if in.what == "change" {
						in.version = config["version"].(float64)
					}
					history.Record(client, in, func() (toldState, error) {
						var answer httpapitest.Answer
						switch in.what {
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
							return toldState{landed: true, version: answer.Body["version"].(float64)}, nil
						}
						if answer.Status != http.StatusPreconditionFailed && answer.Status != http.StatusConflict {
							return toldState{}, fmt.Errorf("%s was answered %d: %s", in.what, answer.Status, answer.Text)
						}
						return toldState{}, nil
					})
				}
			})
			require.True(t, racing.Linearizable(t, &history, model))
		}
	})
}
