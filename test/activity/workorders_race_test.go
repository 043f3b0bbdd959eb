package activity

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/lock"
	"interlock/internal/lock/locktest"
	"interlock/test/racing"
	"interlock/test/tier"
	"interlock/test/world"
)

// Proves G2.7.
func TestOneOfAHundredClaimsWinsAndOthersReadTheHolder(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o := openOffice(ctx, t, db)
		order := o.open(t, object{})
		const agents = 100
		answers := make([]object, agents)
		statuses := make([]int, agents)
		racing.Together(agents, func(i int) {
			step, body := "claim", any(nil)
			if i%10 == 9 {
				step, body = "comments", object{"text": "I am at it."}
			}
			a := o.As(int64(100+i), fmt.Sprintf("Agent %d", i), "work-orders:read", "work-orders:write").Send(t, http.MethodPost, workOrderPath(order)+"/"+step, body)
			statuses[i], answers[i] = a.Status, a.Body
		})
		final := o.li.Get(t, workOrderPath(order)).Body
		holder := final["holder"].(object)
		won := 0
		for i, status := range statuses {
			switch {
			case status == http.StatusOK:
				won++
				require.Equal(t, float64(100+i), holder["id"], "the winner is the holder")
			case status == http.StatusConflict:
				require.Equal(t, holder, answers[i]["holder"], answers[i])
			default:
				require.True(t, i%10 == 9 && status == http.StatusCreated, "agent %d: %d %v", i, status, answers[i])
			}
		}
		require.LessOrEqual(t, won, 1)
		o.requireHistories(t)
	})
}

// claimAll lets agents claim work orders until none is left, and returns the agent of each.
func (o *office) claimAll(t *testing.T, agents int) map[float64]int {
	t.Helper()
	var mu sync.Mutex
	holders := map[float64]int{}
	racing.Together(agents, func(i int) {
		agent := o.As(int64(100+i), fmt.Sprintf("Agent %d", i), "work-orders:write")
		for {
			a := agent.Send(t, http.MethodPost, "/work-orders/claim-next", nil)
			switch a.Status {
			case http.StatusOK:
				mu.Lock()
				if other, taken := holders[a.Body["id"].(float64)]; taken {
					t.Errorf("work order %v has two holders: %d and %d", a.Body["id"], other, i)
				}
				holders[a.Body["id"].(float64)] = i
				mu.Unlock()
			case http.StatusLocked, http.StatusServiceUnavailable:
			case http.StatusNotFound:
				return
			default:
				t.Errorf("agent %d has status %d %v", i, a.Status, a.Body)
				return
			}
		}
	})
	return holders
}

// Proves G2.8.
func TestFiftyClaimsOfTheNextAreDistinctAndSkipNone(t *testing.T) {
	locks := map[string]func() lock.Locker{
		"a lock":              func() lock.Locker { return lock.NewInProcess(lock.Observer{}) },
		"a lock without hold": func() lock.Locker { return &locktest.Unreliable{} },
	}
	for name, locker := range locks {
		t.Run(name, func(t *testing.T) {
			storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
				agents, orders := 50, tier.Rounds(300, 1000)
				if name != "a lock" {
					agents, orders = 8, 40
				}
				o := openOfficeWith(ctx, t, db, world.Options{Locks: locker()})
				for i := range orders {
					o.open(t, object{"title": fmt.Sprintf("Task %d", i), "priority": []string{"low", "normal", "high", "urgent"}[i%4]})
				}
				require.Len(t, o.claimAll(t, agents), orders)
				require.Empty(t, o.li.Get(t, "/work-orders?status=open").Items())
				o.requireHistories(t)
			})
		})
	}
}
