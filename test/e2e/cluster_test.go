package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/core/uow"
	"interlock/test/apptest"
	"interlock/test/burst"
	"interlock/test/tier"
)

// TestProgramRunsOnARedisCluster runs two replicas on a Redis Cluster of three
// masters. Their keys are in different slots, and no command may need two slots.
// Proves G4.33.
func TestProgramRunsOnARedisCluster(t *testing.T) {
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL, s.RedisURL = newDatabase(t), redistest.NewCluster(t).URL()
	here, there := apptest.Start(t, s), apptest.Start(t, s)
	ada := here.Admin(t)
	li := colleague(t, ada, "li", "Li")
	li.Program = there

	t.Run("an edit is announced by the other replica", func(t *testing.T) {
		live := open(t, li, livePath)
		live.next(t, "ready")
		for i := range 5 {
			row := newConfig(t, ada, fmt.Sprintf("shared-%d", i), 1, "number")
			data := live.next(t, "configs").Data
			require.Equal(t, []any{fmt.Sprintf("shared-%d", i), row["etag"]}, []any{data["key"], data["etag"]})
		}
		beat(t, ada, object{"resource": "configs/shared-0"})
		require.Equal(t, "configs/shared-0", live.next(t, "presence").Data["resource"])
	})
	t.Run("a wallet has one writer at a time, through both", func(t *testing.T) { raceForAWallet(t, ada, li) })
	t.Run("the other replica replays the reply", func(t *testing.T) {
		first, again := keyed(t, ada, "k-1", "TEA-1"), keyed(t, &apptest.Caller{Program: there, Token: ada.Token, HTTP: ada.HTTP}, "k-1", "TEA-1")
		require.Equal(t, http.StatusCreated, first.Status)
		require.True(t, isReplay(again))
		require.Equal(t, string(first.Body), string(again.Body))
		require.EqualValues(t, 1, rows(t, ada, "items", "sku = ?", "TEA-1"))
	})
	t.Run("locks and queues of both are shown by each", func(t *testing.T) { showLocks(t, ada, li) })
	t.Run("a flash sale runs to its end", func(t *testing.T) {
		sale := burst.Open(t, 20, 50, ada, li)
		sale.Rush(t)
		queues := read(t, li, "/api/v1/queues")["queues"].([]any)
		require.NotEmpty(t, queues)
		sale.Verify(t)
		require.Equal(t, "closed", read(t, ada, "/api/v1"+sale.Path)["status"])
	})
}

// An idle worker checks for sales only every five seconds.
func TestIdleWorkerStartsWithASaleOfAnotherProcess(t *testing.T) {
	tier.Nightly(t)
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL, s.RedisURL = newDatabase(t), redistest.NewServer(t).URL()
	api, worker := s, s
	api.Role, worker.Role = "api", "worker"
	c := apptest.Start(t, api).Admin(t)
	apptest.Start(t, worker)
	started := clock.Mark()
	sale := burst.Open(t, 1, 1, c)
	sale.Rush(t)
	require.Eventually(t, func() bool { return len(read(t, c, "/api/v1/orders")["items"].([]any)) == 1 }, patience, 5*time.Millisecond)
	require.Less(t, clock.Since(started), 4*time.Second)
}

// raceForAWallet makes both replicas debit one wallet by more than its balance in total.
func raceForAWallet(t *testing.T, ada, li *apptest.Caller) {
	t.Helper()
	const path = "/api/v1/wallets/12/entries"
	create(t, ada, path, object{"amount": 10, "kind": "topup", "reference": "opening"})
	answers := race(t, 24, func(ctx context.Context, i int) (apptest.Answer, error) {
		c := []*apptest.Caller{ada, li}[i%2]
		return retried(func() (apptest.Answer, error) {
			return c.Try(ctx, http.MethodPost, path+"?wait=10000", object{"amount": -1, "kind": "test", "reference": fmt.Sprint("debit-", i)})
		})
	})
	made, refused := split(answers, http.StatusCreated)
	require.Len(t, made, 10)
	for _, a := range refused {
		require.Equal(t, "insufficient_balance", a.Code())
	}
	require.EqualValues(t, 0, read(t, li, "/api/v1/wallets/12")["balance"])
}

// showLocks acquires a lock in one replica and reads it through both.
func showLocks(t *testing.T, ada, li *apptest.Caller) {
	t.Helper()
	tenant := number(t, ada.Program.Services().DB, "SELECT id FROM tenants WHERE name = ?", ada.Tenant)
	key := fmt.Sprintf("wallet:%d:77", tenant)
	err := ada.Program.Services().Runner.Do(t.Context(), func(ctx context.Context, u *uow.Unit) error {
		if _, err := u.Lock(ctx, 0, key); err != nil {
			return err
		}
		for _, c := range []*apptest.Caller{ada, li} {
			require.Eventually(t, func() bool {
				locks := read(t, c, "/api/v1/queues")["locks"].([]any)
				return len(locks) == 1
			}, patience, patience/500, "the lock is not shown")
		}
		locked := li.Do(t, http.MethodPost, "/api/v1/wallets/77/entries?wait=0", object{"amount": 1, "kind": "topup", "reference": "r"})
		requireProblem(t, locked, http.StatusLocked, "resource_locked")
		return nil
	})
	require.NoError(t, err)
}
