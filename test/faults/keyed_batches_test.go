package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// batchRows is how many orders are paid in one batch.
const batchRows = 5

// newBatch returns a deed that pays several orders, each in a unit of its own.
func newBatch(t *testing.T, c *apptest.Caller, name string) deed {
	t.Helper()
	newItem(t, c, name)
	must(t, c, "/inventory/"+name+"/adjustments", object{"delta": batchRows, "reason": "opening stock", "reference": "opening"})
	ids := make([]any, batchRows)
	for i := range ids {
		ids[i] = must(t, c, "/orders", object{"userId": 7, "items": []any{object{"sku": name, "quantity": 1}}})["id"]
	}
	return deed{
		name: name, key: "key-of-" + name, method: http.MethodPost, path: "/order-batches", status: http.StatusOK,
		body:   object{"action": "pay", "method": "external", "ids": ids},
		effect: "SELECT COUNT(*) FROM order_histories h JOIN order_lines l ON l.order_id = h.order_id WHERE l.sku = ? AND h.to_status = 1",
		about:  []any{name},
	}
}

// nextBatch prepares a batch as the next round.
func (rs *rounds) nextBatch(t *testing.T, c *apptest.Caller) round {
	t.Helper()
	rs.n++
	d := newBatch(t, c, fmt.Sprintf("batch-%d", rs.n))
	return round{deed: d, what: fmt.Sprintf("round %d", rs.n), store: rs.store, before: rs.store.audited(t)}
}

// settleBatch sends a batch that was cut off again: each order is moved once, whoever did
// it, and the answer is that of a batch that was not cut off.
func (r round) settleBatch(t *testing.T, c *apptest.Caller) {
	t.Helper()
	answer := r.again(t, c)
	for _, verdict := range answer.JSON(t)["items"].([]any) {
		require.Equalf(t, "done", verdict.(object)["verdict"], "%s: %s", r.what, answer.Body)
		require.Equal(t, "paid", verdict.(object)["status"], r.what)
	}
	require.Len(t, answer.JSON(t)["items"], batchRows, r.what)
	r.requireEffects(t, batchRows)
	replay := r.again(t, c)
	require.True(t, isReplay(replay), r.what)
	r.requireSame(t, answer, replay)
	r.requireEffects(t, batchRows)
	require.Zero(t, r.store.number(t, "SELECT COUNT(*) FROM idempotency_keys WHERE scope LIKE 'parts:%'"), "%s: what was kept of the rows is gone", r.what)
}

func TestABatchWhoseProgramDiedInTheMiddleIsFinishedByItsRepeat(t *testing.T) {
	t.Parallel()
	random := seeded(t)
	p, s, between, direct, c := asProcessBehindProxy(t)
	rs := newRounds(t, random, direct)
	for range batchRounds {
		r := rs.nextBatch(t, c)
		row, point, landed := 1+random.IntN(batchRows), cutBefore, int64(0)
		if random.IntN(2) == 0 {
			point, landed = loseReply, 1
		}
		between.whenLost(p.kill)
		between.commitOf(r.key, row, point)
		_, err := r.send(t.Context(), c)
		require.Error(t, err, r.what)
		r.requireEffects(t, int64(row-1)+landed)

		p = serve(t, s)
		c.HTTP.CloseIdleConnections()
		r.settleBatch(t, c)
	}
}

func TestABatchWhoseCallerHungUpIsFinishedByItsRepeat(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine string) {
		random := seeded(t)
		ts, c, rs := trapped(t, random, engine)
		for hungUp := 0; hungUp < batchRounds; {
			r := rs.nextBatch(t, c)
			ctx, hangUp := context.WithCancel(t.Context())
			ts.at(r.key, 1+random.IntN(batchRows*mostStatements), hangUp)
			if _, err := r.send(ctx, c); err != nil {
				require.ErrorIs(t, err, context.Canceled, r.what)
				hungUp++
			}
			hangUp()
			r.settleBatch(t, c)
		}
	})
}
