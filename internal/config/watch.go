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
type Gone struct{ Revision int64 }

// Error implements error.
func (g *Gone) Error() string {
	return fmt.Sprintf("the feed cannot be resumed there; it is at revision %d", g.Revision)
}

// Watcher receives the changes of one tenant: first Backlog, then Events. Close ends
// it.
type Watcher struct {
	service *Service
	tail    *tail
	tenant  int64
	// The backlog is what lies between after, excluded, and upTo, included.
	after, upTo int64
	events      chan Event
}

// Watch watches the caller's tenant for what comes after a revision; nil means from
// now on. Errors: *Gone when the revision is older than the 10,000 newest or has
// never been given out.
func (s *Service) Watch(ctx context.Context, after *int64) (*Watcher, error) {
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

func (s *Service) watch(ctx context.Context, t *tail, tenant int64, after *int64) (*Watcher, error) {
	select {
	case <-t.caughtUp:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	head, err := s.feed.head(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the newest revision: %w", err)
	}
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	w := &Watcher{service: s, tail: t, tenant: tenant, after: t.position, upTo: t.position, events: make(chan Event, watcherBuffer)}
	if after != nil {
		if *after > head || *after < head-keptRevisions {
			return nil, &Gone{Revision: t.position}
		}
		// A revision may be visible before an earlier one: what is not settled is
		// delivered even if it was asked to be left out.
		w.after = min(*after, t.position)
	}
	t.watchers[w] = struct{}{}
	return w, nil
}

// Revision is where the watcher begins: everything after it will be delivered.
func (w *Watcher) Revision() int64 { return w.after }

// Current is the newest settled revision at the time of Watch.
func (w *Watcher) Current() int64 { return w.upTo }

// Backlog yields what happened between the revision that was asked for and the
// beginning of Events, in order.
func (w *Watcher) Backlog(ctx context.Context, yield func(Event) error) error {
	for w.after < w.upTo {
		var rows []History
		if err := eventsAfter(w.service.db.Read(ctx), w.after).Where("id <= ?", w.upTo).Find(&rows).Error; err != nil {
			return fmt.Errorf("read the feed after revision %d: %w", w.after, err)
		}
		for _, row := range rows {
			if err := yield(row.event()); err != nil {
				return err
			}
			w.after = row.ID
		}
		if len(rows) < feedPage {
			w.after = w.upTo
		}
	}
	return nil
}

// Events delivers what happens from now on, in order. It is closed when the reader
// is too slow; the reader then watches again from the last revision it has.
func (w *Watcher) Events() <-chan Event { return w.events }

// Close ends the watch.
func (w *Watcher) Close() {
	w.service.feed.mu.Lock()
	delete(w.tail.watchers, w)
	w.service.feed.mu.Unlock()
	w.tail.release()
}
