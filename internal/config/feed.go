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
	// pollInterval bounds the delay after which the feed reads a change of another process
	// after its event was lost.
	pollInterval = 250 * time.Millisecond
	// burstPause is a pause before a read, so that one read covers a burst of events.
	burstPause = 5 * time.Millisecond

	watcherBuffer = 1024
)

// Event describes a new version of a config.
type Event struct {
	// Revision is the event's position in the log.
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

// feed delivers the log of configs to the watchers of all tenants. While there are watchers, one
// goroutine reads the log, woken by the event bus and a slow poll.
type feed struct {
	log configLog
	bus events.Bus
	// root is the tail's context: the tail serves all tenants and outlives the request that started
	// it.
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

	// at is the tail's position in the log: everything up to it is delivered. feed.mu guards at,
	// users and watchers.
	at       Revision
	users    int
	watchers map[*Watcher]struct{}
}

// acquire returns the running tail and counts one more user of it, or starts a tail.
func (f *feed) acquire(ctx context.Context) (*tail, error) {
	f.mu.Lock()
	if t := f.tail; t != nil {
		t.users++
		f.mu.Unlock()
		return t, nil
	}
	f.mu.Unlock()
	found, err := f.log.sequence(ctx)
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

// release stops the tail after its last user.
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
			slog.WarnContext(ctx, "config feed: reading the log failed; will retry", "error", err)
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

// subscribe returns a channel that wakes the tail; it is never closed. Without a bus only the poll
// wakes the tail.
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

// sleep waits for d or wake, and returns false if ctx ended.
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

// advance delivers the committed versions that were not delivered yet.
func (t *tail) advance(ctx context.Context) error {
	found, err := t.feed.log.sequence(ctx)
	if err != nil {
		return err
	}
	if found.Epoch != t.at.Epoch || found.Position < t.at.Position {
		t.disconnectAll(found.Revision)
		return nil
	}
	for t.at.Position < found.Position {
		var entries []entry
		if err := t.feed.log.after(ctx, t.at.Position).Find(&entries).Error; err != nil {
			return err
		}
		if len(entries) == 0 {
			return nil
		}
		t.deliver(entries)
	}
	return nil
}

// disconnectAll disconnects all watchers, because the database is on another history than the
// history that they have read. They reconnect with a revision of the old history, and get the event
// gone.
func (t *tail) disconnectAll(at Revision) {
	t.feed.mu.Lock()
	defer t.feed.mu.Unlock()
	t.at = at
	for w := range t.watchers {
		t.disconnect(w)
	}
}

// disconnect closes the events of a watcher. The caller must own the lock feed.mu.
func (t *tail) disconnect(w *Watcher) {
	delete(t.watchers, w)
	close(w.events)
}

// deliver sends entries to the watchers of their tenants. A watcher with a full buffer is
// disconnected; it resumes from its last revision.
func (t *tail) deliver(entries []entry) {
	t.feed.mu.Lock()
	defer t.feed.mu.Unlock()
	for _, e := range entries {
		t.at.Position = e.At
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
