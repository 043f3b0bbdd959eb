package locktest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/lock"
)

// Around is a Locker that watches when locks are taken and released: before the unit's
// transaction has begun, and after it has ended. A lock that is taken later has a
// transaction wait with a connection and rows in its hands; one that is released earlier
// lets the next holder read what is not committed yet. It is for units that run one after
// the other.
type Around struct {
	lock.Locker
	db *storage.DB

	mu    sync.Mutex
	taken []string
	wrong []string
}

// NewAround returns an Around of locks for units on a database.
func NewAround(locks lock.Locker, db *storage.DB) *Around { return &Around{Locker: locks, db: db} }

// Acquire implements lock.Locker.
func (a *Around) Acquire(ctx context.Context, wait time.Duration, keys ...string) (lock.Lease, error) {
	a.watch("taken", keys)
	lease, err := a.Locker.Acquire(ctx, wait, keys...)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken = append(a.taken, slices.Sorted(slices.Values(keys))...)
	return watched{lease, a, keys}, nil
}

type watched struct {
	lock.Lease
	around *Around
	keys   []string
}

// Release implements lock.Lease.
func (w watched) Release(ctx context.Context) error {
	w.around.watch("released", w.keys)
	return w.Lease.Release(ctx)
}

// watch notes what happens to locks while a transaction is open.
func (a *Around) watch(what string, keys []string) {
	if open := a.db.Pools()["write"].Stats().InUse; open > 0 {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.wrong = append(a.wrong, fmt.Sprintf("%s was %s inside of a transaction", keys, what))
	}
}

// Taken returns the keys of the locks that were taken since the last call, those of one
// Acquire sorted, and checks that none was taken or released inside of a transaction.
func (a *Around) Taken(t *testing.T) []string {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	require.Empty(t, a.wrong)
	taken := a.taken
	a.taken = nil
	return taken
}
