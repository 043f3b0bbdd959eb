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
	"interlock/test/tier"
)

// schedule creates a config and schedules another value of it after a time.
func schedule(t *testing.T, c *apptest.Caller, key string, in time.Duration) {
	t.Helper()
	made := must(t, c, "/configs", object{"key": key, "value": 1})
	at := url.QueryEscape(time.Now().UTC().Add(in).Format(time.RFC3339Nano))
	proposal := c.Do(t, http.MethodPatch, "/api/v1/configs/"+key+"?effectiveTime="+at, `{"value":2}`, "If-Match", made["etag"].(string))
	require.Equalf(t, http.StatusAccepted, proposal.Status, "%s", proposal.Body)
}

// areMadeOnce waits until all scheduled changes of a store are made, and requires that each
// exists once.
func areMadeOnce(t *testing.T, store witness, n int64) {
	t.Helper()
	require.Eventually(t, func() bool {
		return store.number(t, "SELECT COUNT(*) FROM approvals WHERE status = 1") == n
	}, patience, 50*time.Millisecond, "the scheduled change is applied")
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

// scheduleWhileKilled kills the program repeatedly while scheduled changes come due.
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

// Proves G8.23.
func TestScheduledChangesOfAKilledProgramAreAppliedOnce(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { scheduleWhileKilled(t, engine, 50) })
}

// fates are the fates of a COMMIT, and whether the program is killed with it.
var fates = map[string]struct {
	of    fate
	kills bool
}{
	"the COMMIT is lost": {cutBefore, false}, "the reply is lost": {loseReply, false}, "the COMMIT is late": {lateCommit, false},
	"killed before the COMMIT": {cutBefore, true}, "killed before the reply": {loseReply, true},
}

// isMet waits until a COMMIT or its response is lost; a late COMMIT is not reported.
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

// Proves G8.23.
func TestLostCommitOfAScheduledChangeAppliesOnce(t *testing.T) {
	tier.Nightly(t)
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

// Two scheduled changes of an open sale add units and remove units. The gate withholds the removed
// units before the transaction starts.
// Proves G8.23.
func TestLostCommitOfAScheduledSaleChangeAppliesOnce(t *testing.T) {
	tier.Nightly(t)
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
			quantities := []int{8, 15}
			var sales []string
			for i, quantity := range quantities {
				sku := fmt.Sprint("LATER-", i)
				must(t, c, "/items", object{"sku": sku, "name": "Later", "price": 900})
				must(t, c, "/inventory/"+sku+"/adjustments", object{"delta": 100, "reason": "opening stock", "reference": "opening"})
				sale := must(t, c, "/flash-sales", object{
					"name": "Later", "sku": sku, "price": 500, "quantity": 10, "perUserLimit": 1,
					"startsTime": time.Now().Add(-time.Minute).UTC(), "endsTime": time.Now().Add(time.Hour).UTC(),
				})
				path := fmt.Sprint("/api/v1/flash-sales/", int64(sale["id"].(float64)))
				opened := until(t, c, path+"/open", nil, "open-"+sku)
				require.Equalf(t, http.StatusOK, opened.Status, "%s", opened.Body)
				at := url.QueryEscape(time.Now().UTC().Add(2 * time.Second).Format(time.RFC3339Nano))
				proposal := c.Do(t, http.MethodPatch, path+"?effectiveTime="+at, object{"quantity": quantity}, "If-Match", opened.Header.Get("ETag"))
				require.Equalf(t, http.StatusAccepted, proposal.Status, "%s", proposal.Body)
				sales = append(sales, path)
			}
			isMet(t, fate.of, lost)
			if fate.kills {
				serve(t, s)
			}
			store := newWitness(t, direct)
			require.Eventually(t, func() bool {
				return store.number(t, "SELECT COUNT(*) FROM approvals WHERE status = 1") == int64(len(sales))
			}, patience, 50*time.Millisecond, "the scheduled change is applied")
			for i, path := range sales {
				quantity := int64(quantities[i])
				require.Eventually(t, func() bool {
					answer, err := c.Try(t.Context(), http.MethodGet, path+"/stats", nil)
					if err != nil || answer.Status != http.StatusOK {
						return false
					}
					stats := answer.JSON(t)
					return stats["balanced"] == true && stats["allotted"] == float64(quantity) && stats["remaining"] == float64(quantity)
				}, patience, 50*time.Millisecond, "nothing stays withheld of %s", path)
				sku := fmt.Sprint("LATER-", i)
				require.Equal(t, quantity, store.number(t, "SELECT reserved FROM inventories WHERE sku = ?", sku))
				require.Equal(t, quantity, store.number(t, "SELECT quantity FROM flash_sales WHERE sku = ?", sku))
				require.EqualValues(t, 3, store.number(t, "SELECT version FROM flash_sales WHERE sku = ?", sku), "created, opened and changed once")
			}
			require.EqualValues(t, 2, store.number(t, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND action = 'flash_sale.update'"))
			s.DatabaseURL = direct
			checkPromises(t, s)
		})
	}
}
