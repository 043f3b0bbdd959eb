// Package lostcommit runs a unit of work whose server ends at its COMMIT, so that the unit
// must find the outcome at that server or at the one that has taken over.
package lostcommit

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
)

// patience is how long the unit looks for the outcome of its COMMIT.
const patience = 3 * time.Second

// Add adds a thing in a unit of a service that connects through a tap. atCommit is called
// when the first COMMIT passes the tap, and the server then executes it or not. Add returns
// the number of runs of the unit, and its error.
func Add(t *testing.T, ctx context.Context, tap *storagetest.Tap, through, name string, executed bool, atCommit func()) (runs int, err error) {
	t.Helper()
	// One connection for units, so that the next one connects to the tap's current target.
	db, err := storage.Open(t.Context(), storage.Options{URL: through, MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}, CommitResolveTimeout: patience})
	var once atomic.Bool
	tap.Refuse(func(statement string) *storagetest.Refusal {
		if statement != "COMMIT" || !once.CompareAndSwap(false, true) {
			return nil
		}
		atCommit()
		return &storagetest.Refusal{Number: 1053, Message: "Server shutdown in progress", Executed: executed}
	})
	defer tap.Refuse(nil)
	err = runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		runs++
		u.Audit(uow.Entry{Action: "thing.create", Resource: "things/" + name})
		return guard.Insert(ctx, u, &storagetest.Thing{Name: name})
	})
	require.True(t, once.Load(), "no COMMIT came by")
	return runs, err
}
