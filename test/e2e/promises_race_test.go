package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// writeWhileChecking runs writers of every table that a promise sums while it checks all
// promises.
func writeWhileChecking(t *testing.T, admin *apptest.Caller) {
	ctx, stop := context.WithTimeout(t.Context(), patience)
	var writing sync.WaitGroup
	defer writing.Wait()
	defer stop()
	var written atomic.Int64
	for n := range 6 {
		writing.Go(func() {
			for ctx.Err() == nil {
				written.Add(write(ctx, admin, n))
			}
		})
	}
	for looks := 0; looks < 5 || written.Load() < 200; looks++ {
		require.NoError(t, ctx.Err(), "%d checks during %d writes", looks, written.Load())
		require.Empty(t, check(t, admin.Program.Services()))
	}
	stop()
	writing.Wait()
	require.Empty(t, check(t, admin.Program.Services()))
}

// write makes one of the racing writes, and returns how many writes succeeded.
func write(ctx context.Context, admin *apptest.Caller, n int) int64 {
	done := int64(0)
	do := func(method, path string, body any, headers ...string) apptest.Answer {
		answer, err := admin.Try(ctx, method, "/api/v1"+path, body, headers...)
		if err == nil && answer.Status < 300 && method != http.MethodGet {
			done++
		}
		return answer
	}
	switch n {
	case 0:
		do(http.MethodPost, "/wallet-transfers", object{"fromUserId": "903", "toUserId": "901", "amount": 1, "reference": fmt.Sprint("race-", rand.Uint64())})
	case 1:
		read := do(http.MethodGet, "/configs/batched.a", nil)
		do(http.MethodPatch, "/configs/batched.a", object{"value": rand.Int64()}, "If-Match", read.Header.Get("ETag"))
	case 2, 3:
		made := do(http.MethodPost, "/orders", object{"userId": "903", "items": []any{object{"sku": "TEA", "quantity": 1}}})
		var id int64
		if _, err := fmt.Sscanf(made.Header.Get("Location"), "/api/v1/orders/%d", &id); err != nil {
			return done
		}
		path := fmt.Sprint("/orders/", id)
		do(http.MethodPost, path+"/pay", object{"method": "wallet"})
		do(http.MethodPost, path+"/cancel", object{"reason": "a race"})
	case 4:
		do(http.MethodPost, "/actions", object{"actionId": time.Now().UnixMilli(), "action": []string{"like", "dislike"}[rand.N(2)], "entityType": "item", "entityId": "TEA"},
			"X-On-Behalf-Of", fmt.Sprint(rand.N(5)+1))
	case 5:
		do(http.MethodPost, "/inventory/TEA/adjustments", object{"delta": 1, "reason": "a race", "reference": fmt.Sprint("race-", rand.Uint64())})
	}
	return done
}
