package idempotency

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

// flushInterval is the maximum delay until a replay is counted on its record.
const flushInterval = time.Second

// replays counts the replays of records, for display. Counts are held in memory and added to the
// rows every second, so that a replay does not write. A crash loses the counts of the last second.
type replays struct {
	store store
	clock clock.Clock

	mu      sync.Mutex
	pending map[replayed]int64
}

// replayed identifies a record.
type replayed struct{ tenant, id int64 }

func newReplays(st store, clk clock.Clock) replays {
	return replays{store: st, clock: clk, pending: make(map[replayed]int64)}
}

func (r *replays) count(tenant, id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending[replayed{tenant, id}]++
}

// Background returns the service that flushes the counts every second, and once more when it stops.
func (k *ReplyStore) Background() background.Service {
	return background.Service{Name: "write replay counts", Every: flushInterval, Delay: flushInterval, Run: k.replays.flush, Last: k.replays.flush}
}

// flush writes the pending counts, with one statement for all records of a tenant that have the
// same count. It retries failed writes with the next flush.
func (r *replays) flush(ctx context.Context) error {
	r.mu.Lock()
	pending := r.pending
	r.pending = make(map[replayed]int64, len(pending))
	r.mu.Unlock()
	type group struct{ tenant, times int64 }
	groups := make(map[group][]int64)
	for record, times := range pending {
		g := group{record.tenant, times}
		groups[g] = append(groups[g], record.id)
	}
	var failed error
	for g, ids := range groups {
		if err := r.add(ctx, g.tenant, ids, g.times); err != nil {
			failed = errors.Join(failed, err)
			r.putBack(g.tenant, ids, g.times)
		}
	}
	return failed
}

// add writes one group:
//
//	UPDATE idempotency_keys SET replays = replays + ?, last_replay_time = ? WHERE tenant_id = ? AND id IN (…)
func (r *replays) add(ctx context.Context, tenant int64, ids []int64, times int64) error {
	const statement = "UPDATE idempotency_keys SET replays = replays + ?, last_replay_time = ? WHERE tenant_id = ? AND id IN ?"
	const most = 500
	ctx = storage.AcrossTenants(ctx)
	for len(ids) > 0 {
		some := ids[:min(most, len(ids))]
		if err := r.store.db.Write(ctx).Exec(statement, times, r.clock.Now(), tenant, some).Error; err != nil {
			return fmt.Errorf("count replays: %w", err)
		}
		ids = ids[len(some):]
	}
	return nil
}

func (r *replays) putBack(tenant int64, ids []int64, times int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		r.pending[replayed{tenant, id}] += times
	}
}
