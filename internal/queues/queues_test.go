package queues_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/apperr"
	"interlock/internal/clock"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/principal"
	"interlock/internal/queues"
	"interlock/internal/storage"
	"interlock/internal/storage/storagetest"
)

func TestACallerSeesTheOwnTenantsQueuesAndLocksOnly(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		other := p.TenantID + 1
		broker := mq.NewSQL(db, clock.System{}, mq.Options{})
		mine, theirs := fmt.Sprint("owned:", p.TenantID), fmt.Sprint("owned:", other)
		for _, name := range []string{mine, theirs, fmt.Sprint("stray:", p.TenantID)} {
			old := clock.System{}.Now().Add(-time.Minute)
			require.NoError(t, broker.Queue(name).Enqueue(ctx, 0, mq.Message{ID: "a", EnqueuedTime: old}, mq.Message{ID: "b"}))
		}
		b, err := broker.Queue(mine).Claim(ctx, 1, time.Hour)
		require.NoError(t, err)
		require.NoError(t, broker.Queue(mine).Settle(ctx, b, []mq.Outcome{mq.Dead(errors.New("broken"))}))

		locks := lock.NewInProcess(clock.System{}, lock.Observer{})
		held, err := locks.Acquire(lock.WithOwner(ctx, "request 1"), 0,
			fmt.Sprintf("wallet:%d:7", p.TenantID), fmt.Sprintf("wallet:%d:7", other), "wallet", fmt.Sprint(p.TenantID))
		require.NoError(t, err)
		defer func() { require.NoError(t, held.Release(ctx)) }()

		s := queues.New(queues.Deps{Broker: broker, Locks: locks, Belongs: map[string]queues.Belongs{
			"owned": func(_ context.Context, name string) (bool, error) { return name == mine, nil },
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
		require.ErrorIs(t, err, queues.ErrNoPrincipal)
		require.NoError(t, db.Close())
		_, err = s.Queues(ctx)
		require.True(t, apperr.Has(err, apperr.Unavailable), "%v", err)
	})
}
