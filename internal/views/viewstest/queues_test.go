package viewstest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/views/ops"
)

// Proves G5.41.
func TestCallerSeesOnlyQueuesAndLocksOfTheirTenant(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		other := p.TenantID + 1
		broker := mq.NewSQL(db, clock.System{}, mq.Options{})
		mine, theirs := fmt.Sprint("owned:", p.TenantID), fmt.Sprint("owned:", other)
		for _, name := range []string{mine, theirs, fmt.Sprint("stray:", p.TenantID)} {
			old := clock.System{}.Now().Add(-time.Minute)
			require.NoError(t, broker.Queue(name).Enqueue(ctx, mq.Message{ID: "a", EnqueuedTime: old}, mq.Message{ID: "b"}))
		}
		b, err := broker.Queue(mine).Claim(ctx, 1, time.Hour)
		require.NoError(t, err)
		require.NoError(t, broker.Queue(mine).Settle(ctx, b, []mq.Outcome{mq.Dead(errors.New("broken"))}))

		locks := lock.NewInProcess(lock.Observer{})
		held, err := locks.Acquire(lock.WithOwner(ctx, "request 1"), 0,
			fmt.Sprintf("wallet:%d:7", p.TenantID), fmt.Sprintf("wallet:%d:7", other), "wallet", fmt.Sprint(p.TenantID))
		require.NoError(t, err)
		defer func() { require.NoError(t, held.Release(ctx)) }()

		s := ops.New(ops.Deps{Broker: broker, Locks: locks, Owned: []ops.Owned{
			func(context.Context) (map[string]bool, error) { return map[string]bool{mine: true}, nil },
		}})
		list, err := s.Queues(ctx)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, mine, list[0].Name)
		require.EqualValues(t, 1, list[0].Pending)
		require.EqualValues(t, 1, list[0].Stats.Dead)

		holdings, err := s.Locks(ctx)
		require.NoError(t, err)
		require.Len(t, holdings, 1)
		require.Equal(t, fmt.Sprintf("wallet:%d:7", p.TenantID), holdings[0].Key)
		require.Equal(t, "request 1", holdings[0].Owner)

		_, err = s.Locks(t.Context())
		require.ErrorIs(t, err, ops.ErrNoPrincipal)
		require.NoError(t, db.Close())
		_, err = s.Queues(ctx)
		require.True(t, apperr.Has(err, apperr.Unavailable), "%v", err)
	})
}

func TestUnusedQueueIsListedUntilEmpty(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		broker := mq.NewSQL(db, clock.System{}, mq.Options{})
		used, ended := fmt.Sprint("used:", p.TenantID), fmt.Sprint("ended:", p.TenantID)
		s := ops.New(ops.Deps{Broker: broker, Owned: []ops.Owned{
			func(context.Context) (map[string]bool, error) { return map[string]bool{used: true}, nil },
			func(context.Context) (map[string]bool, error) { return map[string]bool{ended: false}, nil },
		}})
		shown := func() []string {
			list, err := s.Queues(ctx)
			require.NoError(t, err)
			names := []string{}
			for _, queue := range list {
				names = append(names, queue.Name)
			}
			return names
		}
		settle := func(name string, outcome mq.Outcome) {
			batch, err := broker.Queue(name).Claim(ctx, 1, time.Hour)
			require.NoError(t, err)
			require.NoError(t, broker.Queue(name).Settle(ctx, batch, []mq.Outcome{outcome}))
		}
		for _, name := range []string{used, ended} {
			require.NoError(t, broker.Queue(name).Enqueue(ctx, mq.Message{ID: "a"}))
		}
		require.Equal(t, []string{ended, used}, shown())
		settle(used, mq.Done())
		settle(ended, mq.Dead(errors.New("broken")))
		require.Equal(t, []string{ended, used}, shown(), "a dead letter waits for a decision")
		require.NoError(t, broker.DiscardDeadTx(db.Write(ctx), ended, "a"))
		require.Equal(t, []string{used}, shown())
	})
}
