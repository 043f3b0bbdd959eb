package idempotency

import (
	"context"
	"fmt"
	"sync"
	"time"

	"interlock/internal/clock"
	"interlock/internal/storage"
)

const (
	// countedFor is how long a count of a tenant's keys is gone by.
	countedFor = 30 * time.Second
	// fullFor is how long a tenant that is at its quota is refused without counting
	// again.
	fullFor = time.Second
)

// quota bounds how many keys each tenant has. It counts in the database now and
// then and adds what this process recorded since, so several processes together can
// pass the limit by what the others recorded within countedFor.
type quota struct {
	limit int64
	store store
	clock clock.Clock

	mu      sync.Mutex
	tallies map[int64]*tally
}

type tally struct {
	keys    int64
	counted time.Time
}

// admits reports whether a tenant may have one more key.
func (q *quota) admits(ctx context.Context, tenant int64) (bool, error) {
	if q.limit <= 0 {
		return true, nil
	}
	now := q.clock.Now()
	q.mu.Lock()
	known := q.tallies[tenant]
	if known != nil {
		age, full := now.Sub(known.counted), known.keys >= q.limit
		if age < fullFor || !full && age < countedFor {
			q.mu.Unlock()
			return !full, nil
		}
	}
	q.mu.Unlock()
	keys, err := q.store.count(ctx, now)
	if err != nil {
		return false, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tallies == nil {
		q.tallies = make(map[int64]*tally)
	}
	q.tallies[tenant] = &tally{keys: keys, counted: now}
	return keys < q.limit, nil
}

// added notes a recorded key.
func (q *quota) added(tenant int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if known := q.tallies[tenant]; known != nil {
		known.keys++
	}
}

// count returns how many keys the context's tenant has that have not expired.
func (s store) count(ctx context.Context, now time.Time) (int64, error) {
	var keys int64
	if err := s.db.Read(ctx).Model(&Record{}).Where("expires_time > ? AND "+withoutParts, now).Count(&keys).Error; err != nil {
		return 0, fmt.Errorf("count the idempotency keys: %w", err)
	}
	return keys, nil
}

// Sweep deletes expired records of all tenants. One that is not swept yet is not found
// either, so nothing depends on when it runs.
func (k *Keeper) Sweep(ctx context.Context, batch int) error {
	return k.store.db.Sweep(ctx, storage.Sweep{Table: "idempotency_keys", Column: "expires_time", Until: k.clock.Now()}, batch)
}
