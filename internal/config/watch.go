package config

import (
	"context"
	"fmt"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

// keptRevisions is how far back a watcher can resume.
const keptRevisions = 10_000

// Gone means that a watcher cannot resume where it asked: it has to read again what
// it watches, and can go on watching from Revision.
type Gone struct{ Revision Revision }

// Error implements error.
func (g *Gone) Error() string {
	return fmt.Sprintf("the log cannot be resumed there; it is at revision %s", g.Revision)
}

// Watcher receives the changes of one tenant: first Backlog, then Events. Close ends
// it.
type Watcher struct {
	service *Service
	tail    *tail
	tenant  int64
	// from is the revision that was asked for, newest the one of that moment, and after the
	// place behind which Events begins.
	from, newest Revision
	after        int64
	// The backlog is what lies between read, excluded, and upTo, included.
	read, upTo int64
	events     chan Event
}

// Watch watches the caller's tenant for what comes after a revision; nil means from
// now on. Errors: *Gone when the revision is older than the 10,000 newest, has never been
// given out, or is of another history of the database.
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
	found, err := s.feed.log.number(ctx)
	if err != nil {
		return nil, err
	}
	now := found.Revision
	if after == nil {
		after = &now
	}
	if after.Epoch != now.Epoch || after.Place > now.Place || after.Place < now.Place-keptRevisions {
		return nil, &Gone{Revision: now}
	}
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	w := &Watcher{
		service: s, tail: t, tenant: tenant, events: make(chan Event, watcherBuffer),
		from: *after, newest: now, read: after.Place, upTo: max(after.Place, t.at.Place),
	}
	w.after = w.upTo
	t.watchers[w] = struct{}{}
	return w, nil
}

// Revision is where the watcher begins: everything after it will be delivered.
func (w *Watcher) Revision() Revision { return w.from }

// Newest is the newest revision at the time of Watch.
func (w *Watcher) Newest() Revision { return w.newest }

// Backlog yields what happened between the revision that was asked for and the
// beginning of Events, in order.
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

// Events delivers what happens from now on, in order. It is closed when the reader
// is too slow, and when the database is on another history; the reader then watches again
// from the last revision it has.
func (w *Watcher) Events() <-chan Event { return w.events }

// Close ends the watch.
func (w *Watcher) Close() {
	w.service.feed.mu.Lock()
	delete(w.tail.watchers, w)
	w.service.feed.mu.Unlock()
	w.tail.release()
}
