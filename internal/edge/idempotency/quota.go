package idempotency

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

const (
	// countedFor is how long a count of a tenant's keys is used at least, and countedForMost at most. In
	// between it is used until fastest keys a second could fill what is left of the quota: a count reads
	// each key, and a database records fewer.
	countedFor     = 30 * time.Second
	countedForMost = time.Hour
	fastest        = 10_000
	// almostFull is the part of the quota from which a process warns.
	almostFull = 0.8
	// fullFor is how long a tenant that is at its quota is refused without counting
	// again.
	fullFor = time.Second
)

// quota bounds how many keys the users of each tenant have, and how many its customers,
// so that a crowd in a sale cannot use up what the back office needs. It counts in the
// database now and then and adds what this process recorded since, so several processes
// together can pass the limit by what the others recorded within countedFor.
type quota struct {
	limit int64
	store store
	clock clock.Clock

	mu      sync.Mutex
	tallies map[holder]*tally
}

// holder is whose keys are counted together: of one tenant its users, or its customers.
type holder struct {
	tenant int64
	// kind begins the scopes of their keys.
	kind string
}

// holderOf tells to whose keys a principal adds. Who acts for a customer is a user.
func holderOf(p principal.Principal) holder {
	if p.Kind == principal.Customer {
		return holder{p.TenantID, customer}
	}
	return holder{p.TenantID, user}
}

type tally struct {
	keys    int64
	counted time.Time
}

// lasts returns how long the count may be used.
func (t *tally) lasts(limit int64) time.Duration {
	filled := time.Duration(max(0, limit-t.keys)/fastest) * time.Second
	return min(max(countedFor, filled), countedForMost)
}

// used returns the part of the quota that the fullest tenant has used, by the kind of the holders.
func (q *quota) used() map[string]float64 {
	parts := map[string]float64{user: 0, customer: 0}
	if q.limit <= 0 {
		return parts
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for of, tally := range q.tallies {
		parts[of.kind] = max(parts[of.kind], float64(tally.keys)/float64(q.limit))
	}
	return parts
}

// admits reports whether there may be one more key.
func (q *quota) admits(ctx context.Context, of holder) (bool, error) {
	if q.limit <= 0 {
		return true, nil
	}
	now := q.clock.Now()
	q.mu.Lock()
	known := q.tallies[of]
	if known != nil {
		age, full := now.Sub(known.counted), known.keys >= q.limit
		if age < fullFor || !full && age < known.lasts(q.limit) {
			q.mu.Unlock()
			return !full, nil
		}
	}
	q.mu.Unlock()
	keys, err := q.store.count(ctx, of.kind, now)
	if err != nil {
		return false, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tallies == nil {
		q.tallies = make(map[holder]*tally)
	}
	q.tallies[of] = &tally{keys: keys, counted: now}
	if float64(keys) >= almostFull*float64(q.limit) {
		slog.WarnContext(ctx, "idempotency: a tenant has used most of its quota of keys; raise INTERLOCK_IDEMPOTENCY_QUOTA", "tenant", of.tenant, "holders", of.kind, "keys", keys, "quota", q.limit)
	}
	return keys < q.limit, nil
}

// added notes a recorded key.
func (q *quota) added(of holder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if known := q.tallies[of]; known != nil {
		known.keys++
	}
}

// count returns how many keys of one kind of holder the context's tenant has that have not
// expired. Their scopes begin with the kind and a colon, which ; follows in ASCII.
func (s store) count(ctx context.Context, kind string, now time.Time) (int64, error) {
	var keys int64
	query := s.db.Read(ctx).Model(&Record{}).Where("scope >= ? AND scope < ? AND expires_time > ?", kind+":", kind+";", now)
	if err := query.Count(&keys).Error; err != nil {
		return 0, fmt.Errorf("count the idempotency keys: %w", err)
	}
	return keys, nil
}

// Sweep deletes expired records of all tenants. One that is not swept yet is not found
// either, so nothing depends on when it runs.
func (k *Keeper) Sweep(ctx context.Context, batch int) error {
	return k.store.db.Sweep(ctx, storage.Sweep{Table: "idempotency_keys", Column: "expires_time", Until: k.clock.Now()}, batch)
}
