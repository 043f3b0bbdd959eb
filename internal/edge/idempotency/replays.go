package idempotency

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

const (
	// flushInterval is the maximum delay until a replay is counted on its record.
	flushInterval = time.Second
	// finalFlushTimeout bounds the flush at shutdown.
	finalFlushTimeout = 5 * time.Second
)

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

// Run flushes the counts every second until ctx ends, and once more then.
func (k *ReplyStore) Run(ctx context.Context) {
	ticker := time.NewTicker(flushInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalFlushTimeout)
			defer cancel()
			k.replays.flush(last)
			return
		case <-ticker.C:
			k.replays.flush(ctx)
		}
	}
}

// flush writes the pending counts, with one statement for all records of a tenant that have the
// same count. It retries failed writes with the next flush.
func (r *replays) flush(ctx context.Context) {
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
	for g, ids := range groups {
		if err := r.add(ctx, g.tenant, ids, g.times); err != nil {
			slog.WarnContext(ctx, "idempotency: replay counts not written; will retry", "error", err)
			r.putBack(g.tenant, ids, g.times)
		}
	}
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
