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

// asked is what a client asked: to read the approval or the config, or to act on the approval
// at the version that it has read.
type asked struct {
	what    string
	version float64
	value   float64
}

// told is what it was told.
type toldState struct {
	landed  bool
	version float64
	status  string
	value   float64
}

// oneChange is an approval with its config as one thread would see them: a vote lands on the
// version that was read and makes just what that version proposed.
type oneChange struct {
	version  float64
	status   string
	proposed float64
	config   float64
}

var model = racing.Model[asked, toldState, oneChange]{
	Initial: oneChange{version: 1, status: "pending", proposed: 2, config: 1},
	Step: func(now oneChange, in asked, out toldState) (bool, oneChange) {
		possible := now.status == "pending" && in.version == now.version
		switch {
		case in.what == "config":
			return out.value == now.config, now
		case in.what == "read":
			return out.version == now.version && out.status == now.status && out.value == now.proposed, now
		case !out.landed:
			return !possible, now
		}
		next := now
		next.version++
		switch in.what {
		case "edit":
			next.proposed = in.value
		case "approve":
			next.status, next.config = "approved", now.proposed
		case "withdraw":
			next.status = "withdrawn"
		}
		return possible && out.version == next.version, next
	},
}

func TestVotesEditsAndWithdrawalsAreLinearizable(t *testing.T) {
	t.Parallel()
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, steps, changes = 6, 8, 6
		o := open(t, ctx, db)
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		for n := range changes {
			key := fmt.Sprintf("tax-%d", n)
			first := li.propose(key, li.protect(key, 1), `{"value":2}`)
			var history racing.History[asked, toldState]
			racing.Together(clients, func(client int) {
				seen := first
				for step := range steps {
					history.Record(client, asked{what: "read"}, func() (toldState, error) {
						seen = li.read(first)
						return toldState{
							version: seen.body["version"].(float64), status: seen.body["status"].(string), value: seen.body["patch"].(object)["value"].(float64),
						}, nil
					})
					in := asked{what: []string{"edit", "edit", "config", "approve", "edit", "withdraw"}[client], version: seen.body["version"].(float64), value: float64(10 + 100*client + step)}
					if (in.what == "approve" || in.what == "withdraw") && step < steps/2 && rand.IntN(3) > 0 {
						in.what = "config"
					}
					history.Record(client, in, func() (toldState, error) {
						var answer httpapitest.Answer
						switch in.what {
						case "config":
							return toldState{value: li.config(key)["value"].(float64)}, nil
						case "edit":
							answer = li.Send(t, "PATCH", first.path, object{"patch": object{"value": in.value}}, "If-Match", seen.etag)
						case "approve":
							answer = wu.try(seen, "approve")
						case "withdraw":
							answer = li.try(seen, "withdraw")
						}
						if answer.Status == http.StatusOK {
							return toldState{landed: true, version: answer.Body["version"].(float64)}, nil
						}
						require.Contains(t, []int{http.StatusPreconditionFailed, http.StatusConflict}, answer.Status, answer.Text)
						return toldState{}, nil
					})
				}
			})
			require.True(t, racing.Linearizable(t, &history, model))
		}
	})
}
