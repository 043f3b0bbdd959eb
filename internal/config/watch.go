package config

import (
	"context"
	"fmt"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

// maxRevisionsBehind bounds how far back a watcher can resume.
const maxRevisionsBehind = 10_000

// Gone is returned if a watcher cannot resume after the requested revision. The watcher has to read
// the configs again, and can then watch after Revision.
type Gone struct{ Revision Revision }

// Error implements error.
func (g *Gone) Error() string {
	return fmt.Sprintf("the log cannot be resumed after this revision; its newest revision is %s", g.Revision)
}

// Watcher receives the changes of one tenant: first Backlog, then Events. Close stops it.
type Watcher struct {
	service *Service
	tail    *tail
	tenant  int64
	// from is the requested revision, newest is the newest revision at the time of the request, and
	// after is the position after which Events starts.
	from, newest Revision
	after        int64
	// The backlog is the interval (read, upTo].
	read, upTo int64
	events     chan Event
}

// Watch watches the caller's tenant for changes after a revision; nil means from now on. Errors:
// *Gone if the revision is older than the 10,000 newest, was never assigned, or is of another
// history of the database.
func (s *Service) Watch(ctx context.Context, after *Revision) (*Watcher, error) {
	caller, ok := principal.From(ctx)
	if !ok {
		return nil, storage.ErrNoTenant
	}
	t, err := s.feed.acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("start the change feed: %w", err)
	}
	w, err := s.watch(ctx, t, caller.TenantID, after)
	if err != nil {
		t.release()
		return nil, err
	}
	return w, nil
}

func (s *Service) watch(ctx context.Context, t *tail, tenant int64, after *Revision) (*Watcher, error) {
	found, err := s.feed.log.sequence(ctx)
	if err != nil {
		return nil, err
	}
	now := found.Revision
	if after == nil {
		after = &now
	}
	if after.Epoch != now.Epoch || after.Position > now.Position || after.Position < now.Position-maxRevisionsBehind {
		return nil, &Gone{Revision: now}
	}
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	w := &Watcher{
		service: s, tail: t, tenant: tenant, events: make(chan Event, watcherBuffer),
		from: *after, newest: now, read: after.Position, upTo: max(after.Position, t.at.Position),
	}
	w.after = w.upTo
	t.watchers[w] = struct{}{}
	return w, nil
}

// Revision returns the revision after which the watcher delivers every change.
func (w *Watcher) Revision() Revision { return w.from }

// Newest returns the newest revision at the time of Watch.
func (w *Watcher) Newest() Revision { return w.newest }

// Backlog yields the changes between the requested revision and the start of Events, in order.
func (w *Watcher) Backlog(ctx context.Context, yield func(Event) error) error {
	for w.read < w.upTo {
		var entries []entry
		log := w.service.feed.log
		if err := log.after(ctx, w.read).Where(log.column()+" <= ?", w.upTo).Find(&entries).Error; err != nil {
			return fmt.Errorf("read the log after revision %d: %w", w.read, err)
		}
		for _, e := range entries {
			if err := yield(e.event(Revision{w.from.Epoch, e.At})); err != nil {
				return err
			}
			w.read = e.At
		}
		if len(entries) < logPage {
			w.read = w.upTo
		}
	}
	return nil
}

// Events delivers later changes, in order. It is closed if the reader is too slow, or if the
// database is on another history; the reader then watches again after its last revision.
func (w *Watcher) Events() <-chan Event { return w.events }

// Close stops the watch.
func (w *Watcher) Close() {
	w.service.feed.mu.Lock()
	delete(w.tail.watchers, w)
	w.service.feed.mu.Unlock()
	w.tail.release()
}
