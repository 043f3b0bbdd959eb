package config

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/events"
)

const (
	// pollInterval is how long a change of another process can stay unseen when its
	// event is lost.
	pollInterval = 250 * time.Millisecond
	// gapInterval is how often a gap is looked at.
	gapInterval = 25 * time.Millisecond
	// gapGrace is how long a gap must have been empty before it is passed.
	gapGrace = 100 * time.Millisecond
	// burstPause lets a burst of events be read at once.
	burstPause = 5 * time.Millisecond
	// catchUpTimeout is how long the first watcher waits for the feed to reach the
	// newest revision. After it the feed goes on from where it is.
	catchUpTimeout = 2 * time.Second
	// settledAge is when a revision and all before it are over: a transaction lives
	// for 30 s at most, and the rest is for clocks that differ.
	settledAge = 2 * time.Minute

	feedPage      = 500
	watcherBuffer = 1024
)

// Event says that a config has a new version.
type Event struct {
	// Revision is the event's place in the feed.
	Revision    int64            `json:"revision"`
	Key         string           `json:"key"`
	Version     int64            `json:"version"`
	ETag        string           `json:"etag"`
	Action      Action           `json:"action"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func (h History) event() Event {
	return Event{
		Revision: h.ID, Key: h.Key, Version: h.Version, ETag: h.ref().ETag(), Action: h.Action,
		ChangedBy: h.changedBy(), ChangedTime: h.ChangedTime,
	}
}

// feed delivers the changes of all tenants to their watchers, in the order of
// revisions. One goroutine reads the history while there are watchers, woken by
// the event bus and by a slow poll; without watchers nothing runs.
//
// A revision is the id of a history row. On MySQL ids are given out when a row is
// inserted and become visible when its transaction commits, so revision 6 can
// appear after 7. The feed therefore passes a missing revision only when it is
// settled that it never comes:
//
//   - An insert that has not ended holds the lock of its row, so a locking read
//     with NOWAIT is refused: the revision is in flight, and the feed waits.
//   - The insert of an abandoned revision was rolled back: the locking read finds
//     nothing and nothing is locked. It finds the same in the instant between the
//     giving of an id and the insertion of the row; therefore only two such
//     looks, gapGrace apart, let a gap be passed. One statement inserts one row,
//     which keeps that instant short.
//
// SQLite has one writer, whose rollback takes its ids back: revisions are visible
// in their order and without gaps. TiDB gives ids out in blocks to each server and
// needs AUTO_ID_CACHE=1 for config_histories.
type feed struct {
	db    *storage.DB
	bus   events.Bus
	clock clock.Clock
	// root is what the tail runs under: it serves every tenant and outlives the
	// request that started it.
	root context.Context

	mu   sync.Mutex
	tail *tail
}

func newFeed(d Deps) *feed {
	return &feed{db: d.DB, bus: d.Bus, clock: d.Clock, root: storage.AcrossTenants(context.Background())}
}

// tail is one run of the reading goroutine, from the first watcher to the last.
type tail struct {
	feed   *feed
	cancel context.CancelFunc
	ended  chan struct{}
	// caughtUp is closed when the tail has reached the revision that was the newest
	// at its start.
	caughtUp chan struct{}
	target   int64

	// position is the newest settled revision: all up to it are delivered or abandoned.
	// It, users and watchers are guarded by feed.mu.
	position int64
	users    int
	watchers map[*Watcher]struct{}

	// emptySince are the gaps that were found empty, and when first. It belongs to the
	// goroutine.
	emptySince map[gap]time.Time
}

// gap is a range of revisions that cannot be seen, both ends included.
type gap struct{ first, last int64 }

// acquire returns the tail that is running, or starts one, for another user.
func (f *feed) acquire(ctx context.Context) (*tail, error) {
	f.mu.Lock()
	if t := f.tail; t != nil {
		t.users++
		f.mu.Unlock()
		return t, nil
	}
	f.mu.Unlock()
	position, head, err := f.startPosition(storage.AcrossTenants(ctx))
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tail == nil {
		f.tail = f.startTail(position, head)
	}
	f.tail.users++
	return f.tail, nil
}

// startPosition returns a revision that is settled for certain, because what came after it
// is too old to be in flight, and the newest one.
func (f *feed) startPosition(ctx context.Context) (position, head int64, err error) {
	if head, err = f.head(ctx); err != nil {
		return 0, 0, err
	}
	var old []int64
	err = f.db.Read(ctx).Model(&History{}).Where("changed_time < ?", f.clock.Now().Add(-settledAge)).
		Order("id DESC").Limit(1).Pluck("id", &old).Error
	if err != nil || len(old) == 0 {
		return 0, head, err
	}
	return old[0], head, nil
}

func (f *feed) head(ctx context.Context) (int64, error) {
	var head int64
	err := f.db.Read(storage.AcrossTenants(ctx)).Model(&History{}).Select("COALESCE(MAX(id), 0)").Scan(&head).Error
	return head, err
}

func (f *feed) startTail(position, head int64) *tail {
	ctx, cancel := context.WithCancel(f.root)
	t := &tail{
		feed: f, cancel: cancel, ended: make(chan struct{}), caughtUp: make(chan struct{}), target: head,
		position: position, watchers: make(map[*Watcher]struct{}), emptySince: make(map[gap]time.Time),
	}
	go t.run(ctx)
	return t
}

// release ends the tail with its last user.
func (t *tail) release() {
	t.feed.mu.Lock()
	t.users--
	last := t.users == 0
	if last {
		t.feed.tail = nil
		t.cancel()
	}
	t.feed.mu.Unlock()
	if last {
		<-t.ended
	}
}

func (t *tail) run(ctx context.Context) {
	defer close(t.ended)
	wake := t.subscribe(ctx)
	started, failing := clock.Mark(), false
	for {
		next, err := t.advance(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failing {
			slog.WarnContext(ctx, "the change feed cannot read; it goes on trying", "error", err)
		}
		failing = err != nil
		t.signalCaughtUp(started)
		if !sleep(ctx, burstPause, nil) {
			return
		}
		if !sleep(ctx, next, wake) {
			return
		}
	}
}

// subscribe returns what wakes the tail; it is never closed. Without a bus the poll
// has to do.
func (t *tail) subscribe(ctx context.Context) <-chan struct{} {
	wake := make(chan struct{}, 1)
	subscription, err := t.feed.bus.Subscribe(ctx, Topic)
	if err != nil {
		return wake
	}
	go func() {
		for range subscription.Deliveries() {
			select {
			case wake <- struct{}{}:
			default:
			}
		}
	}()
	return wake
}

// sleep waits for the time or for wake, and reports false when ctx ended meanwhile.
func sleep(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-timer.C:
	}
	return true
}

// signalCaughtUp lets those go on who wait for the tail to catch up, once it has or
// catchUpTimeout has passed.
func (t *tail) signalCaughtUp(started time.Time) {
	select {
	case <-t.caughtUp:
		return
	default:
	}
	if t.position >= t.target || clock.Since(started) > catchUpTimeout {
		close(t.caughtUp)
	}
}

// advance delivers up to the first revision that is not settled, and returns when
// to look again.
func (t *tail) advance(ctx context.Context) (time.Duration, error) {
	for {
		rows, err := t.read(ctx)
		if err != nil {
			return pollInterval, err
		}
		settled, err := t.settled(ctx, rows)
		if err != nil {
			return pollInterval, err
		}
		t.deliver(rows[:settled])
		switch {
		case settled < len(rows):
			return gapInterval, nil
		case len(rows) < feedPage:
			return pollInterval, nil
		}
	}
}

// read returns the next revisions that can be seen.
//
//	SELECT … FROM config_histories WHERE id > ? ORDER BY id LIMIT 500
func (t *tail) read(ctx context.Context) ([]History, error) {
	var rows []History
	err := eventsAfter(t.feed.db.Read(ctx), t.position).Find(&rows).Error
	return rows, err
}

func eventsAfter(query *gorm.DB, revision int64) *gorm.DB {
	return query.Select("id", "tenant_id", "config_id", "key", "version", "action", "changed_by", "changed_by_name", "changed_time").
		Where("id > ?", revision).Order("id").Limit(feedPage)
}

// settled returns how many of the rows come before the first gap that may still be
// filled. All gaps are looked at, so that their graces run side by side.
func (t *tail) settled(ctx context.Context, rows []History) (int, error) {
	if t.feed.db.Dialect != storage.MySQL {
		return len(rows), nil
	}
	settled, previous := len(rows), t.position
	emptySince := make(map[gap]time.Time)
	for i, row := range rows {
		if missing := (gap{previous + 1, row.ID - 1}); missing.first <= missing.last {
			empty, err := t.isEmpty(ctx, missing)
			if err != nil {
				return 0, err
			}
			if !t.abandoned(missing, empty, emptySince) {
				settled = min(settled, i)
			}
		}
		previous = row.ID
	}
	t.emptySince = emptySince
	return settled, nil
}

// abandoned reports whether a gap has been empty for gapGrace, and notes in emptySince
// since when it is.
func (t *tail) abandoned(missing gap, empty bool, emptySince map[gap]time.Time) bool {
	if !empty {
		return false
	}
	since, known := t.emptySince[missing]
	if !known {
		since = clock.Mark()
	}
	emptySince[missing] = since
	return known && clock.Since(since) >= gapGrace
}

// isEmpty reports whether a gap holds neither a row nor the lock of one. READ
// COMMITTED locks no gaps, so nobody waits for this.
func (t *tail) isEmpty(ctx context.Context, missing gap) (bool, error) {
	var found []int64
	err := t.feed.db.Write(ctx).
		Raw("SELECT id FROM config_histories WHERE id BETWEEN ? AND ? FOR UPDATE NOWAIT", missing.first, missing.last).
		Scan(&found).Error
	// The refusal comes while the rows are read, where GORM classifies nothing.
	err = t.feed.db.Classify(err)
	if storage.Is(err, storage.LockTimeout) {
		return false, nil
	}
	return err == nil && len(found) == 0, err
}

// deliver sends settled rows to the watchers of their tenants. A watcher that has
// fallen behind is cut off: it resumes from the last revision it has.
func (t *tail) deliver(rows []History) {
	t.feed.mu.Lock()
	defer t.feed.mu.Unlock()
	for _, row := range rows {
		for w := range t.watchers {
			if w.tenant != row.TenantID {
				continue
			}
			select {
			case w.events <- row.event():
			default:
				delete(t.watchers, w)
				close(w.events)
			}
		}
		t.position = row.ID
	}
}
