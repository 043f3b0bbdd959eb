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
	// A count of a tenant's keys is expensive, because it reads each key. Its result is therefore
	// used for the time in which maxKeysPerSecond new keys per second would fill the rest of the
	// quota, bounded by minCountAge and maxCountAge. A database records fewer keys per second than
	// that.
	minCountAge      = 30 * time.Second
	maxCountAge      = time.Hour
	maxKeysPerSecond = 10_000
	// almostFull is the used part of the quota at which a process warns.
	almostFull = 0.8
	// fullFor is how long a full quota rejects keys before the next count.
	fullFor = time.Second
)

// quota limits the keys of each tenant's users, and separately of its customers, so that a rush of
// customers cannot use up the keys of the back office. It counts in the database from time to time
// and adds the keys that this process recorded since. Several processes together can therefore
// exceed the limit by the keys that the others recorded within minCountAge.
type quota struct {
	limit int64
	store store
	clock clock.Clock

	mu      sync.Mutex
	tallies map[holder]*tally
}

// holder is a group with one quota: the users or the customers of a tenant.
type holder struct {
	tenant int64
	// kind is the prefix of the scopes of the group: user or customer.
	kind string
}

// holderOf returns the holder of a principal's keys. A user acting for a customer is a user.
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

// lasts returns how long the count remains usable.
func (t *tally) lasts(limit int64) time.Duration {
	filled := time.Duration(max(0, limit-t.keys)/maxKeysPerSecond) * time.Second
	return min(max(minCountAge, filled), maxCountAge)
}

// used returns the used part of the quota, of the tenant with the highest use, by kind of holder.
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

// Usage is the number of idempotency keys that one kind of holder of a tenant has.
type Usage struct {
	Holders string `json:"holders" validate:"oneof=user customer"`
	Keys    int64  `json:"keys" validate:"min=0"`
	Quota   int64  `json:"quota" validate:"min=1"`
	// True from 80 % of the quota on. At the quota, a write with a key returns 429 `quota_exceeded`.
	AlmostFull bool `json:"almostFull"`
}

// Usage returns the last counts of keys in the context's tenant; empty without a quota.
func (k *ReplyStore) Usage(ctx context.Context) ([]Usage, error) {
	usages := []Usage{}
	if k.quota.limit <= 0 {
		return usages, nil
	}
	caller, _ := principal.From(ctx)
	for _, kind := range []string{user, customer} {
		keys, err := k.quota.keys(ctx, holder{caller.TenantID, kind})
		if err != nil {
			return nil, err
		}
		usages = append(usages, Usage{kind, keys, k.quota.limit, k.quota.almostFull(keys)})
	}
	return usages, nil
}

func (q *quota) almostFull(keys int64) bool { return float64(keys) >= almostFull*float64(q.limit) }

// admits reports whether the holder may record one more key.
func (q *quota) admits(ctx context.Context, of holder) (bool, error) {
	if q.limit <= 0 {
		return true, nil
	}
	keys, err := q.keys(ctx, of)
	return keys < q.limit, err
}

// keys returns the number of keys of a holder. It counts them if the last count is too old.
func (q *quota) keys(ctx context.Context, of holder) (int64, error) {
	now := q.clock.Now()
	q.mu.Lock()
	last := q.tallies[of]
	if last != nil {
		age, full := now.Sub(last.counted), last.keys >= q.limit
		if age < fullFor || !full && age < last.lasts(q.limit) {
			defer q.mu.Unlock()
			return last.keys, nil
		}
	}
	q.mu.Unlock()
	keys, err := q.store.count(ctx, of.kind, now)
	if err != nil {
		return 0, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tallies == nil {
		q.tallies = make(map[holder]*tally)
	}
	q.tallies[of] = &tally{keys: keys, counted: now}
	if q.almostFull(keys) {
		slog.WarnContext(ctx, "idempotency: quota of keys almost used up; raise INTERLOCK_IDEMPOTENCY_QUOTA", "tenant", of.tenant, "holders", of.kind, "keys", keys, "quota", q.limit)
	}
	return keys, nil
}

// added counts a recorded key.
func (q *quota) added(of holder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if last := q.tallies[of]; last != nil {
		last.keys++
	}
}

// count returns the number of live keys of one kind of holder in the context's tenant. The scopes
// of these keys start with the kind and a colon. The upper bound of the range ends in a semicolon,
// the character after the colon in ASCII.
func (s store) count(ctx context.Context, kind string, now time.Time) (int64, error) {
	var keys int64
	query := s.db.Read(ctx).Model(&Record{}).Where("scope >= ? AND scope < ? AND expires_time > ?", kind+":", kind+";", now)
	if err := query.Count(&keys).Error; err != nil {
		return 0, fmt.Errorf("count the idempotency keys: %w", err)
	}
	return keys, nil
}

// Sweep deletes expired records of all tenants. Lookups ignore expired records, so it may run at
// any time.
func (k *ReplyStore) Sweep(ctx context.Context, batch int) error {
	return k.store.db.Sweep(ctx, storage.Sweep{Table: "idempotency_keys", Column: "expires_time", Until: k.clock.Now()}, batch)
}
