package faults_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/racing"
)

// schedule creates a config and asks for another value of it in so long.
func schedule(t *testing.T, c *apptest.Caller, key string, in time.Duration) {
	t.Helper()
	made := must(t, c, "/configs", object{"key": key, "value": 1})
	at := url.QueryEscape(time.Now().UTC().Add(in).Format(time.RFC3339Nano))
	asked := c.Do(t, http.MethodPatch, "/api/v1/configs/"+key+"?effectiveTime="+at, `{"value":2}`, "If-Match", made["etag"].(string))
	require.Equalf(t, http.StatusAccepted, asked.Status, "%s", asked.Body)
}

// areMadeOnce waits until all scheduled changes of a store are made, and requires that each is
// there once.
func areMadeOnce(t *testing.T, store witness, n int64) {
	t.Helper()
	require.Eventually(t, func() bool {
		return store.number(t, "SELECT COUNT(*) FROM approvals WHERE status = 1") == n
	}, patience, 50*time.Millisecond, "what was scheduled is made")
	for query, want := range map[string]int64{
		"SELECT COUNT(*) FROM configs WHERE value = '2' AND version = 2":                               n,
		"SELECT COUNT(*) FROM config_histories WHERE approval_id <> 0":                                 n,
		"SELECT COUNT(*) FROM approval_histories WHERE action = 'apply'":                               n,
		"SELECT COUNT(*) FROM audit_entries WHERE action = 'approval.apply' AND actor_kind = 'system'": n,
		"SELECT COUNT(*) FROM approvals WHERE status <> 1 OR version <> 2":                             0,
	} {
		require.Equal(t, want, store.number(t, query), query)
	}
}

// scheduleWhileKilled kills the program again and again while scheduled changes come due.
func scheduleWhileKilled(t *testing.T, engine string, kills int) {
	random := racing.Seeded(t)
	process, s, c := asProcess(t, engine)
	const each = 12
	for round := range kills {
		for i := range each {
			schedule(t, c, fmt.Sprintf("later-%d-%d", round, i), 1500*time.Millisecond+time.Duration(random.IntN(800))*time.Millisecond)
		}
		pause(t.Context(), time.Second+time.Duration(random.IntN(2000))*time.Millisecond)
		process.kill()
		process = serve(t, s)
	}
	areMadeOnce(t, newWitness(t, s.URL()), int64(each*kills))
}

func TestScheduledChangesAreMadeOnceAlthoughTheProgramIsKilled(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine string) { scheduleWhileKilled(t, engine, racing.Rounds(1, 50)) })
}

// fates are what becomes of a COMMIT, and whether the program is killed with it.
var fates = map[string]struct {
	of    fate
	kills bool
}{
	"the COMMIT is lost": {cutBefore, false}, "the reply is lost": {loseReply, false}, "the COMMIT is late": {lateCommit, false},
	"killed before the COMMIT": {cutBefore, true}, "killed before the reply": {loseReply, true},
}

// isMet waits until a COMMIT, or the reply to it, is lost; of one that is late nobody is told.
func isMet(t *testing.T, of fate, lost <-chan struct{}) {
	t.Helper()
	if of == lateCommit {
		return
	}
	select {
	case <-lost:
	case <-time.After(patience):
		require.Fail(t, "the COMMIT was not met")
	}
}

func TestAScheduledChangeWhoseCommitIsLostIsMadeOnce(t *testing.T) {
	for name, fate := range fates {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			process, s, between, direct, c := asProcessBehindProxy(t)
			lost := make(chan struct{}, 8)
			between.whenLost(func() {
				if fate.kills {
					process.kill()
				}
				lost <- struct{}{}
			})
			between.commitOf("'apply'", 1, fate.of)
			for i := range 3 {
				schedule(t, c, fmt.Sprint("later-", i), 1500*time.Millisecond)
			}
			isMet(t, fate.of, lost)
			if fate.kills {
				serve(t, s)
			}
			areMadeOnce(t, newWitness(t, direct), 3)
		})
	}
}

// Money above a threshold: a last vote that is killed with its COMMIT, and repeated under its key.
func TestALastVoteThatMovesMoneyAndWhoseCommitIsLostMovesItOnce(t *testing.T) {
	for name, fate := range fates {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			process, s, between, direct, c := asProcessBehindProxy(t)
			role := must(t, c, "/roles", object{"name": "deciders", "permissions": []string{"approvals:*", "wallets:*", "refunds:*"}})
			colleague := func(name string) *apptest.Caller {
				user := must(t, c, "/users", object{"username": name, "password": "correct horse battery", "roles": []any{role["name"]}})
				other := *c
				other.Token = must(t, c, "/tokens", object{"name": name, "userId": user["id"]})["token"].(string)
				return &other
			}
			boss, third := colleague("boss"), colleague("third")
			must(t, c, "/items", object{"sku": "MONEY-1", "name": "Refunded", "price": 500})
			must(t, c, "/inventory/MONEY-1/adjustments", object{"delta": 5, "reason": "opening stock", "reference": "opening"})
			must(t, c, "/wallets/li/entries", object{"amount": 1000, "kind": "topup", "reference": "opening"})
			order := int64(must(t, c, "/orders", object{"userId": "li", "items": []object{{"sku": "MONEY-1", "quantity": 1}}})["id"].(float64))
			paid := until(t, c, fmt.Sprintf("/api/v1/orders/%d/pay", order), object{"method": "wallet"}, "pay")
			require.Equalf(t, http.StatusOK, paid.Status, "%s", paid.Body)
			settings := c.Do(t, http.MethodGet, "/api/v1/settings", nil)
			set := c.Do(t, http.MethodPatch, "/api/v1/settings", `{"refundApprovalThreshold":100,"walletApprovalThreshold":100}`, "If-Match", settings.Header.Get("ETag"))
			require.Equalf(t, http.StatusOK, set.Status, "%s", set.Body)

			asked := []apptest.Answer{until(t, boss, "/api/v1/wallets/li/entries", object{"amount": 250, "kind": "topup", "reference": "gift"}, "gift")}
			refund := until(t, c, fmt.Sprintf("/api/v1/orders/%d/refunds", order), object{"amount": 400, "reason": "broken"}, "ask")
			require.Equalf(t, http.StatusCreated, refund.Status, "%s", refund.Body)
			asked = append(asked, until(t, boss, fmt.Sprintf("/api/v1/refunds/%d/approve", int64(refund.JSON(t)["id"].(float64))), nil, "propose"))

			for i, proposed := range asked {
				require.Equalf(t, http.StatusAccepted, proposed.Status, "%s", proposed.Body)
				approval := proposed.JSON(t)
				killed := make(chan struct{}, 8)
				between.whenLost(func() {
					if fate.kills {
						process.kill()
					}
					killed <- struct{}{}
				})
				between.commitOf("'approve'", 1, fate.of)
				voted := make(chan apptest.Answer)
				go func() {
					voted <- until(t, third, fmt.Sprintf("/api/v1/approvals/%d/approve", int64(approval["id"].(float64))), nil, fmt.Sprint("vote-", i), "If-Match", approval["etag"].(string))
				}()
				isMet(t, fate.of, killed)
				if fate.kills {
					process = serve(t, s)
				}
				answer := <-voted
				require.Equalf(t, http.StatusOK, answer.Status, "%s", answer.Body)
				require.Equal(t, "approved", answer.JSON(t)["status"])
			}
			store := newWitness(t, direct)
			for query, want := range map[string]int64{
				"SELECT COUNT(*) FROM wallet_entries WHERE reference = 'gift'":                                 1,
				"SELECT COUNT(*) FROM wallet_entries WHERE kind = 'refund'":                                    1,
				"SELECT COUNT(*) FROM refunds WHERE status = 3 AND amount = 400":                               1,
				"SELECT balance FROM wallets WHERE user_id = 'li'":                                             1000 - 500 + 250 + 400,
				"SELECT SUM(amount) FROM wallet_entries WHERE user_id = 'li'":                                  1000 - 500 + 250 + 400,
				"SELECT COUNT(*) FROM approval_votes":                                                          2,
				"SELECT COUNT(*) FROM audit_entries WHERE action = 'approval.approve'":                         2,
				"SELECT COUNT(*) FROM approvals WHERE status <> 1":                                             0,
				"SELECT COUNT(*) FROM orders WHERE refunded <> 400 OR refund_reserved <> 0 OR refunded > paid": 0,
			} {
				require.Equal(t, want, store.number(t, query), query)
			}
		})
	}
}
