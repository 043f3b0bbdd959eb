package faults_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/racing"
	"interlock/test/tier"
)

// batchRows is the number of units that a batch commits.
const batchRows = 5

// batch is a request that commits several units.
type batch struct {
	deed
	// requireDone compares a response with that of an uninterrupted batch.
	requireDone func(t *testing.T, answer apptest.Answer)
	// parts is the number of rows for its parts that remain after the response.
	parts int64
}

// newPayments returns a batch that pays several orders.
func newPayments(t *testing.T, c *apptest.Caller, name string) batch {
	t.Helper()
	newItem(t, c, name)
	must(t, c, "/inventory/"+name+"/adjustments", object{"delta": batchRows, "reason": "opening stock", "reference": "opening"})
	must(t, c, "/wallets/7/entries", object{"amount": 1_000_000, "kind": "topup", "reference": name})
	ids := make([]any, batchRows)
	for i := range ids {
		ids[i] = must(t, c, "/orders", object{"userId": 7, "items": []any{object{"sku": name, "quantity": 1}}})["id"]
	}
	return batch{
		deed: deed{
			name: name, key: "key-of-" + name, method: http.MethodPost, path: "/order-batches", status: http.StatusOK,
			body:   object{"action": "pay", "method": "wallet", "ids": ids},
			effect: "SELECT COUNT(*) FROM order_histories h JOIN order_lines l ON l.order_id = h.order_id WHERE l.sku = ? AND h.to_status = 1",
			about:  []any{name},
		},
		requireDone: func(t *testing.T, answer apptest.Answer) {
			require.Len(t, answer.JSON(t)["items"], batchRows)
			for _, verdict := range answer.JSON(t)["items"].([]any) {
				require.Equalf(t, "done", verdict.(object)["verdict"], "%s", answer.Body)
				require.Equal(t, "paid", verdict.(object)["status"])
			}
		},
	}
}

// newDocument returns a GraphQL document that likes several items. Its mutations toggle, so
// that a second execution would withdraw the actions.
func newDocument(t *testing.T, c *apptest.Caller, name string) batch {
	t.Helper()
	query, liked := "mutation {", object{}
	for i := range batchRows {
		sku := fmt.Sprintf("%s-%d", name, i)
		newItem(t, c, sku)
		query += fmt.Sprintf(" of%d: toggleLikeItem(itemId: %q, actionId: 1) { isLiked }", i, sku)
		liked[fmt.Sprintf("of%d", i)] = object{"isLiked": true}
	}
	return batch{
		deed: deed{
			name: name, key: "key-of-" + name, method: http.MethodPost, path: "/graphql", status: http.StatusOK,
			body: object{"query": query + " }"},
			effect: `SELECT COUNT(*) FROM actions WHERE state = 'like' AND entity_type = 'item' AND entity_id IN
				(SELECT id FROM items WHERE sku LIKE ?)`,
			about: []any{name + "-%"},
		},
		requireDone: func(t *testing.T, answer apptest.Answer) {
			require.Equalf(t, object{"data": liked}, answer.JSON(t), "%s", answer.Body)
		},
		parts: batchRows,
	}
}

// batchRound is one batch in flight.
type batchRound struct {
	round
	batch batch
}

// nextBatch prepares a batch as the next round, alternating between the kinds.
func (rs *rounds) nextBatch(t *testing.T, c *apptest.Caller) batchRound {
	t.Helper()
	rs.n++
	kinds := []func(*testing.T, *apptest.Caller, string) batch{newPayments, newDocument}
	b := kinds[rs.n%len(kinds)](t, c, fmt.Sprintf("batch-%d", rs.n))
	return batchRound{
		round: round{deed: b.deed, what: fmt.Sprintf("round %d, %s", rs.n, b.path), store: rs.store, before: rs.store.audited(t)},
		batch: b,
	}
}

// settle repeats an interrupted batch. Each unit is committed once, by either attempt, and
// the response is that of an uninterrupted batch.
func (r batchRound) settle(t *testing.T, c *apptest.Caller) {
	t.Helper()
	answer := r.again(t, c)
	r.batch.requireDone(t, answer)
	r.requireEffects(t, batchRows)
	replay := r.again(t, c)
	require.True(t, isReplay(replay), r.what)
	r.requireSame(t, answer, replay)
	r.requireEffects(t, batchRows)
	scope := r.store.text(t, "SELECT scope FROM idempotency_keys WHERE idempotency_key = ?", r.key)
	parts := r.store.number(t, "SELECT COUNT(*) FROM idempotency_keys WHERE scope = ?", scopeOfParts(scope, r.key))
	require.Equal(t, r.batch.parts, parts, "%s: the stored parts", r.what)
}

// scopeOfParts is the scope of the rows for the parts of a request.
func scopeOfParts(scope, key string) string {
	digest := sha256.Sum256([]byte(scope + "\x00" + key))
	return "parts:" + base64.RawURLEncoding.EncodeToString(digest[:])
}

// Proves G3.8, G3.10.
func TestRepeatFinishesABatchAfterACrash(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	random := racing.Seeded(t)
	p, s, between, direct, c := asProcessBehindProxy(t)
	rs := newRounds(t, random, direct)
	for range 100 {
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
		r.settle(t, c)
	}
}

// Proves G3.8, G3.10.
func TestRepeatFinishesABatchAfterADisconnect(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) {
		random := racing.Seeded(t)
		ts, c, rs := trapped(t, random, engine)
		for hungUp := 0; hungUp < 100; {
			r := rs.nextBatch(t, c)
			ctx, hangUp := context.WithCancel(t.Context())
			ts.at(r.key, 1+random.IntN(batchRows*maxStatements), hangUp)
			if _, err := r.send(ctx, c); err != nil {
				require.ErrorIs(t, err, context.Canceled, r.what)
				hungUp++
			}
			hangUp()
			r.settle(t, c)
		}
	})
}
