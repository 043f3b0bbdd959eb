package walk_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/walk"
	"interlock/internal/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// total is the number of rows of each walk.
const total = 1000

// count walks over the numbers 1 to total, once, and records the steps.
type count struct {
	visited map[string][]int64
	order   []string
	// failing is the name of the walk with failing steps.
	failing string
}

func (c *count) Due(st *walk.State) bool { return st.StartedTime == nil }

func (c *count) Begin(*walk.State) {}

func (c *count) Step(_ context.Context, st *walk.State, after []any, rows int) ([]any, error) {
	c.order = append(c.order, st.Name)
	if st.Name == c.failing {
		return nil, errors.New("statement timed out")
	}
	at := int64(0)
	if after != nil {
		at = after[0].(int64)
	}
	for range rows {
		if at == total {
			return nil, nil
		}
		at++
		c.visited[st.Name] = append(c.visited[st.Name], at)
		st.Checked++
	}
	return []any{at}, nil
}

func (c *count) Complete(context.Context, *walk.State) error { return nil }

func (c *count) Finish(context.Context) error { return nil }

func newCount() *count { return &count{visited: map[string][]int64{}} }

func newWalker(db *storage.DB, clk clock.Clock) *walk.Walker {
	w := walk.New(walk.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clk, Kind: "test", Owner: "the test", Names: []string{"a", "b"}, Share: 1})
	w.Pause = func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil }
	return w
}

func TestInterruptedWalkResumesAtTheSavedPosition(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		clk, task := clock.NewFake(noon), newCount()
		first := newWalker(db, clk)
		stopped, stop := context.WithCancel(ctx)
		defer stop()
		first.Pause = func(context.Context, time.Duration) bool {
			clk.Advance(time.Minute) // each step saves its position
			if len(task.order) == 4 {
				stop()
			}
			return stopped.Err() == nil
		}
		require.NoError(t, first.Turn(stopped, task, false))
		states, err := first.States(ctx)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(task.visited["b"][len(task.visited["b"])-1:]), states["b"].Position)
		require.True(t, states["b"].Running())

		require.NoError(t, newWalker(db, clk).Turn(ctx, task, false))
		for _, name := range []string{"a", "b"} {
			require.Len(t, task.visited[name], total, "each row once")
			require.EqualValues(t, total, task.visited[name][total-1])
		}
		states, err = first.States(ctx)
		require.NoError(t, err)
		require.False(t, states["b"].Running())
		require.EqualValues(t, total, states["b"].Last.Checked)
		require.EqualValues(t, 1, states["b"].Passes)
	})
}

func TestWalksTakeTurns(t *testing.T) {
	task := newCount()
	require.NoError(t, newWalker(storagetest.SQLite(t), clock.NewFake(noon)).Turn(storagetest.Tenant(t), task, false))
	require.Equal(t, []string{"a", "b", "a", "b"}, task.order[:4])
}

func TestFailingWalkIsRetriedAfterAMinute(t *testing.T) {
	clk, task, ctx := clock.NewFake(noon), newCount(), storagetest.Tenant(t)
	w := newWalker(storagetest.SQLite(t), clk)
	task.failing = "a"
	require.NoError(t, w.Turn(ctx, task, false))
	require.Equal(t, []string{"a", "b", "b"}, task.order[:3])
	require.NotContains(t, task.order[1:], "a")
	require.Len(t, task.visited["b"], total)
	task.failing = ""
	require.NoError(t, w.Turn(ctx, task, false))
	require.Empty(t, task.visited["a"])
	clk.Advance(time.Minute)
	require.NoError(t, w.Turn(ctx, task, false))
	require.Len(t, task.visited["a"], total)
}

func TestStaleStateIsNotSaved(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		write := func() *walk.State { return &walk.State{Kind: "test", Name: "a"} }
		require.NoError(t, write().Save(db.Write(storage.AcrossTenants(ctx))))
		require.ErrorIs(t, write().Save(db.Write(storage.AcrossTenants(ctx))), walk.ErrOvertaken)
		states, err := walk.States(ctx, db, "test")
		require.NoError(t, err)
		require.NoError(t, states["a"].Save(db.Write(storage.AcrossTenants(ctx))))
		require.ErrorIs(t, states["a"].Save(db.Write(storage.AcrossTenants(ctx))), walk.ErrOvertaken)
	})
}
