package callers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"interlock/internal/base/storage"
)

const (
	// markEvery is the accuracy of the stored last use of a token or a session.
	markEvery = time.Minute
	// markTimeout bounds the statement that writes last uses.
	markTimeout = 500 * time.Millisecond
	// maxMarks bounds the entries of uses.last.
	maxMarks = 10_000
)

// use is the row that stores a credential's last use; the zero use is no row.
type use struct {
	table string
	id    int64
}

// uses are the last uses to write. last is the time at which each credential was last queued, so
// that a failing database receives no repeated writes.
type uses struct {
	mu   sync.Mutex
	last map[use]time.Time
	// waiting are the ids of the rows to write, by table, and latest is the newest use of them.
	waiting map[string][]int64
	latest  time.Time
}

// note queues a use if both the stored use and the last queued use are at least markEvery old.
// After a failed write, the use is therefore not queued again before markEvery has passed.
func (u *uses) note(of use, written *time.Time, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if written != nil && now.Sub(*written) < markEvery || now.Sub(u.last[of]) < markEvery {
		return
	}
	if u.last == nil || len(u.last) >= maxMarks {
		u.last = make(map[use]time.Time)
	}
	if u.waiting == nil {
		u.waiting = make(map[string][]int64)
	}
	u.last[of], u.latest = now, now
	u.waiting[of.table] = append(u.waiting[of.table], of.id)
}

// drain removes and returns the ids of the rows to write, by table, and their time. The ids are
// sorted, so that two processes that write the same rows do not deadlock.
func (u *uses) drain() (ids map[string][]int64, used time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.waiting
	u.waiting = nil
	for _, ids := range taken {
		slices.Sort(ids)
	}
	return taken, u.latest
}

// noteUse queues the use of a caller's credential; refresh writes it, so that no request waits.
func (s *Service) noteUse(c *Caller) {
	if c.use == (use{}) {
		return
	}
	now := s.clock.Now()
	if now.Sub(time.UnixMicro(c.noted.Load())) < markEvery {
		return
	}
	c.noted.Store(now.UnixMicro())
	s.uses.note(c.use, c.lastUse, now)
}

// WriteUses writes the queued last uses:
//
//	UPDATE api_tokens SET last_used_time = ? WHERE id IN (…)
//	UPDATE sessions SET last_used_time = ? WHERE id IN (…)
//
// All rows get the time of the newest use. Versions do not change, because this is not an edit.
func (s *Service) WriteUses(ctx context.Context) error {
	waiting, used := s.uses.drain()
	for table, ids := range waiting {
		for together := range slices.Chunk(ids, maxBatch) {
			if err := s.writeUsesIn(ctx, table, together, used); err != nil {
				// The other statements would probably fail too, each after markTimeout.
				return fmt.Errorf("store the last use of %d credentials in %s: %w", len(together), table, err)
			}
		}
	}
	return nil
}

func (s *Service) writeUsesIn(ctx context.Context, table string, ids []int64, used time.Time) error {
	ctx, cancel := context.WithTimeout(storage.AcrossTenants(ctx), markTimeout)
	defer cancel()
	return s.db.Write(ctx).Exec("UPDATE "+table+" SET last_used_time = ? WHERE id IN ?", used, ids).Error
}
