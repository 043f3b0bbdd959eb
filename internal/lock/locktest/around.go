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

// Around is a Locker that checks that locks are acquired before the unit's transaction
// begins and released after it ends. A later Acquire would wait while the transaction owns
// a connection and row locks; an earlier Release would let the next holder read uncommitted
// state. Around supports sequential units only.
type Around struct {
	lock.Locker
	db *storage.DB

	mu    sync.Mutex
	taken []string
	wrong []string
}

// NewAround returns an Around that wraps locks, for units on db.
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

// watch records locks that are acquired or released while a transaction is open.
func (a *Around) watch(what string, keys []string) {
	if open := a.db.Pools()["write"].Stats().InUse; open > 0 {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.wrong = append(a.wrong, fmt.Sprintf("%s was %s inside of a transaction", keys, what))
	}
}

// Taken returns the keys acquired since the last call, sorted per Acquire. It fails the
// test if any was acquired or released inside a transaction.
func (a *Around) Taken(t *testing.T) []string {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	require.Empty(t, a.wrong)
	taken := a.taken
	a.taken = nil
	return taken
}
