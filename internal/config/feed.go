package config

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/events"
)

const (
	// pollInterval is how long a change of another process can stay unseen when its
	// event is lost.
	pollInterval = 250 * time.Millisecond
	// burstPause lets a burst of events be read, and numbered, at once.
	burstPause = 5 * time.Millisecond

	watcherBuffer = 1024
)

// Event says that a config has a new version.
type Event struct {
	// Revision is the event's place in the log.
	Revision    Revision         `json:"revision"`
	Key         string           `json:"key"`
	Version     int64            `json:"version"`
	ETag        string           `json:"etag"`
	Action      Action           `json:"action"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func (h History) event(at Revision) Event {
	return Event{
		Revision: at, Key: h.Key, Version: h.Version, ETag: h.ref().ETag(), Action: h.Action,
		ChangedBy: h.changedBy(), ChangedTime: h.ChangedTime,
	}
}

// feed delivers the log of configs to the watchers of all tenants. One goroutine reads it
// while there are watchers, woken by the event bus and by a slow poll; without watchers
// nothing runs.
type feed struct {
	log configLog
	bus events.Bus
	// root is what the tail runs under: it serves every tenant and outlives the
	// request that started it.
	root context.Context

	mu   sync.Mutex
	tail *tail
}

func newFeed(d Deps) *feed {
	return &feed{log: configLog{d.DB}, bus: d.Bus, root: storage.AcrossTenants(context.Background())}
}

// tail is one run of the reading goroutine, from the first watcher to the last.
type tail struct {
	feed   *feed
	cancel context.CancelFunc
	ended  chan struct{}

	// at is where the tail has read to: all up to it is delivered. It, users and watchers
	// are guarded by feed.mu.
	at       Revision
	users    int
	watchers map[*Watcher]struct{}
}

// acquire returns the tail that is running, or starts one, for another user.
func (f *feed) acquire(ctx context.Context) (*tail, error) {
	f.mu.Lock()
	if t := f.tail; t != nil {
		t.users++
		f.mu.Unlock()
		return t, nil
	}
	f.mu.Unlock()
	found, err := f.log.number(ctx)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tail == nil {
		f.tail = f.startTail(found.Revision)
	}
	f.tail.users++
	return f.tail, nil
}

func (f *feed) startTail(at Revision) *tail {
	ctx, cancel := context.WithCancel(f.root)
	t := &tail{feed: f, cancel: cancel, ended: make(chan struct{}), at: at, watchers: make(map[*Watcher]struct{})}
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
	failing := false
	for {
		err := t.advance(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failing {
			slog.WarnContext(ctx, "the change feed cannot read; it goes on trying", "error", err)
		}
		failing = err != nil
		if !sleep(ctx, burstPause, nil) {
			return
		}
		if !sleep(ctx, pollInterval, wake) {
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

// advance delivers what has been committed.
func (t *tail) advance(ctx context.Context) error {
	found, err := t.feed.log.number(ctx)
	if err != nil {
		return err
	}
	if found.Epoch != t.at.Epoch || found.Place < t.at.Place {
		t.disconnectAll(found.Revision)
		return nil
	}
	for t.at.Place < found.Place {
		var entries []entry
		if err := t.feed.log.after(ctx, t.at.Place).Find(&entries).Error; err != nil {
			return err
		}
		if len(entries) == 0 {
			return nil
		}
		t.deliver(entries)
	}
	return nil
}

// disconnectAll disconnects all watchers: the database is on another history than the one that
// they have seen. They come back with a revision of that one, and are answered that it is gone.
func (t *tail) disconnectAll(at Revision) {
	t.feed.mu.Lock()
	defer t.feed.mu.Unlock()
	t.at = at
	for w := range t.watchers {
		t.disconnect(w)
	}
}

// disconnect ends the events of a watcher. The caller holds feed.mu.
func (t *tail) disconnect(w *Watcher) {
	delete(t.watchers, w)
	close(w.events)
}

// deliver sends entries to the watchers of their tenants. A watcher that has fallen behind
// is disconnected: it resumes from the last revision it has.
func (t *tail) deliver(entries []entry) {
	t.feed.mu.Lock()
	defer t.feed.mu.Unlock()
	for _, e := range entries {
		t.at.Place = e.At
		for w := range t.watchers {
			if w.tenant != e.TenantID || e.At <= w.after {
				continue
			}
			select {
			case w.events <- e.event(t.at):
			default:
				t.disconnect(w)
			}
		}
	}
}
