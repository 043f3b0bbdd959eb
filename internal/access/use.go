package access

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"interlock/internal/base/storage"
)

const (
	// markEvery is how exact the last use of a token or a session is kept.
	markEvery = time.Minute
	// markTimeout bounds the statement that writes it.
	markTimeout = 500 * time.Millisecond
	// mostMarks bounds what a process remembers of what it wrote.
	mostMarks = 10_000
)

// use names the row of a credential whose last use is kept; the zero use is of none.
type use struct {
	table string
	id    int64
}

// uses are those that are to be written. It remembers when each credential was last among them, so
// that a database that takes no writes is not asked again and again.
type uses struct {
	mu   sync.Mutex
	last map[use]time.Time
	// waiting are the ids of rows, by table, and latest is when the last of them was used.
	waiting map[string][]int64
	latest  time.Time
}

// note has a use written, when the one in the row and the last one that was noted here are markEvery
// ago. It counts as written from then on, also when the write fails.
func (u *uses) note(of use, written *time.Time, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if written != nil && now.Sub(*written) < markEvery || now.Sub(u.last[of]) < markEvery {
		return
	}
	if u.last == nil || len(u.last) >= mostMarks {
		u.last = make(map[use]time.Time)
	}
	if u.waiting == nil {
		u.waiting = make(map[string][]int64)
	}
	u.last[of], u.latest = now, now
	u.waiting[of.table] = append(u.waiting[of.table], of.id)
}

// drain removes and returns the ids of the rows to write, by table, and the time. They are in order,
// so that two processes that write the same rows do not deadlock.
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

// noteUse has the use of a caller's credential written soon, which no request waits for.
func (s *Service) noteUse(c *caller) {
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

// writeUses writes that credentials were used:
//
//	UPDATE api_tokens SET last_used_time = ? WHERE id IN (…)
//	UPDATE sessions SET last_used_time = ? WHERE id IN (…)
//
// All have the time of the last of them. It leaves the versions alone, since nothing was edited.
func (s *Service) writeUses(ctx context.Context) {
	waiting, used := s.uses.drain()
	for table, ids := range waiting {
		for together := range slices.Chunk(ids, mostTogether) {
			if err := s.writeUsesIn(ctx, table, together, used); err != nil {
				slog.WarnContext(ctx, "the use of credentials could not be noted", "table", table, "credentials", len(together), "error", err)
				// The others would most likely wait in vain as well, each for markTimeout.
				return
			}
		}
	}
}

func (s *Service) writeUsesIn(ctx context.Context, table string, ids []int64, used time.Time) error {
	ctx, cancel := context.WithTimeout(storage.AcrossTenants(ctx), markTimeout)
	defer cancel()
	return s.store.db.Write(ctx).Exec("UPDATE "+table+" SET last_used_time = ? WHERE id IN ?", used, ids).Error
}
