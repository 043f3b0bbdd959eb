package webhooks

import (
	"context"
	"slices"
	"sync"

	"interlock/internal/base/storage"
	"interlock/internal/core/changelog"
)

const (
	// maxCached is the number of entries that a tail caches for the workers that are up to date.
	maxCached = 4096
	// tailPage is the number of entries per read.
	tailPage = 500
)

// tail follows the log of one tenant for all its workers, so that each entry is read once and not
// once per subscription.
type tail struct {
	db     *storage.DB
	tenant int64

	mu  sync.Mutex
	end changelog.End
	// entries are the cached entries with changes, after the position from and up to end.Last.
	entries []changelog.Entry
	from    int64
	// grown is closed when the log has grown.
	grown chan struct{}
	// known is true after the first advance.
	known bool
}

func newTail(db *storage.DB, tenant int64) *tail {
	return &tail{db: db, tenant: tenant, grown: make(chan struct{})}
}

// advance numbers the committed entries of the log, and reads those since the last call.
func (t *tail) advance(ctx context.Context) error {
	if _, err := changelog.Number(ctx, t.db, t.tenant); err != nil {
		return err
	}
	end, err := changelog.EndOf(t.db.Read(storage.AcrossTenants(ctx)), t.tenant)
	if err != nil {
		return err
	}
	t.mu.Lock()
	before, known := t.end, t.known
	t.mu.Unlock()
	if known && before == end {
		return nil
	}
	if !known || before.Epoch != end.Epoch || end.Last < before.Last {
		t.set(end, end.Last, nil)
		return nil
	}
	var added []changelog.Entry
	for at := before.Last; at < end.Last; {
		entries, until, err := changelog.After(ctx, t.db, t.tenant, at, end.Last, tailPage)
		if err != nil {
			return err
		}
		if added = append(added, entries...); len(added) > maxCached {
			// The workers read a long part of the log themselves.
			t.set(end, end.Last, nil)
			return nil
		}
		at = until
	}
	t.set(end, before.Last, added)
	return nil
}

// set stores the end of the log, and adds entries after a position to the cached ones.
func (t *tail) set(end changelog.End, after int64, added []changelog.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if after != t.end.Last || !t.known || end.Epoch != t.end.Epoch {
		t.entries, t.from = nil, after
	}
	t.entries = append(t.entries, added...)
	if drop := len(t.entries) - maxCached; drop > 0 {
		t.from = t.entries[drop-1].Place
		t.entries = slices.Clone(t.entries[drop:])
	}
	t.end, t.known = end, true
	close(t.grown)
	t.grown = make(chan struct{})
}

// page is a part of the log.
type page struct {
	entries []changelog.Entry
	// until is the position up to which the entries are complete, and end the end of the log.
	until int64
	end   changelog.End
	// grown is closed when the log is longer than end.
	grown <-chan struct{}
	// known is false before the end of the log was read.
	known bool
}

// now returns the end of the log without entries.
func (t *tail) now() page {
	t.mu.Lock()
	defer t.mu.Unlock()
	return page{end: t.end, grown: t.grown, known: t.known}
}

// read returns the entries after a position, at most limit.
func (t *tail) read(ctx context.Context, after int64, limit int) (page, error) {
	t.mu.Lock()
	p := page{until: after, end: t.end, grown: t.grown, known: t.known}
	cached := t.known && after >= t.from
	if cached && after < t.end.Last {
		first, _ := slices.BinarySearchFunc(t.entries, after+1, func(e changelog.Entry, place int64) int { return int(e.Place - place) })
		p.entries = t.entries[first:min(first+limit, len(t.entries))]
		if p.until = t.end.Last; first+limit < len(t.entries) {
			p.until = p.entries[limit-1].Place
		}
	}
	t.mu.Unlock()
	if cached || !p.known {
		return p, nil
	}
	var err error
	p.entries, p.until, err = changelog.After(ctx, t.db, t.tenant, after, p.end.Last, limit)
	return p, err
}
