package aggregates

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// rebuildWait bounds the wait of a rebuild for the writers of its aggregate.
const rebuildWait = 10 * time.Second

// auditedDifferences is the maximum number of differences that a rebuild writes to the audit log.
const auditedDifferences = 100

// Difference is one value of an aggregate that differs from its events.
type Difference struct {
	// Path names a counter or a writer, such as "counters/in", or is "version".
	Path string `json:"what"`
	// Stored is the value of the aggregate and Derived the value of its events; nil for none.
	Stored  *int64 `json:"kept"`
	Derived *int64 `json:"derived"`
}

// String describes the difference in a sentence.
func (d Difference) String() string {
	number := func(n *int64) string {
		if n == nil {
			return "missing"
		}
		return fmt.Sprint(*n)
	}
	return fmt.Sprintf("%s is %s and must be %s", d.Path, number(d.Stored), number(d.Derived))
}

// derived is the sum of the events of an aggregate.
type derived struct {
	events   int64
	version  int64
	counters Counters
	writers  map[string]int64
}

// Rebuild derives an aggregate from its events again, blocking its writers, and returns the
// differences, none if it was correct. With dryRun it changes nothing. A repair increments the
// version, so that a decision based on an earlier read is rejected. Errors: NotFound;
// lock.ErrNotAcquired.
func (s *Service) Rebuild(ctx context.Context, u *uow.Unit, name Name, dryRun bool) ([]Difference, error) {
	ctx, err := s.lock(ctx, u, name, rebuildWait)
	if err != nil {
		return nil, err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	a, err := findExisting(forUpdate(tx), name)
	if err != nil {
		return nil, err
	}
	writers, err := lockedWriters(tx, a)
	if err != nil {
		return nil, err
	}
	expected := derived{counters: Counters{}, writers: map[string]int64{}}
	if err := eachEvent(tx, a, expected.apply); err != nil {
		return nil, err
	}
	differences := expected.differences(a, writers)
	if len(differences) == 0 {
		return nil, nil
	}
	if dryRun {
		// A write is guarded by the version, but a dry run has no guard: a writer may have
		// committed between two of these reads if an engine has dropped the lock.
		if now, err := findExisting(tx, name); err != nil || now.Version != a.Version {
			return nil, cmp.Or(err, changedConcurrently())
		}
		return differences, nil
	}
	a.Counters, a.WriterCount = expected.counters, len(expected.writers)
	if err := advance(ctx, u, a, max(expected.version-a.Version, 0)+1); err != nil {
		return nil, err
	}
	if err := replaceWriters(tx, a, expected.writers); err != nil {
		return nil, err
	}
	u.Audit(uow.Entry{Action: "aggregate.rebuild", Resource: resource(name), Detail: map[string]any{
		"version": a.Version, "events": expected.events, "differed": len(differences),
		"differences": differences[:min(len(differences), auditedDifferences)],
	}})
	change.Announce(u, s.bus, Topic, name.String(), events.Change{Version: a.Version, ETag: a.Ref().ETag(), Action: "rebuild"})
	return differences, nil
}

// apply adds an event. It fails if a sum exceeds 64 bits, which validated events cannot cause.
func (d *derived) apply(e *Event) error {
	for name, delta := range e.Deltas {
		total, fits := add(d.counters[name], delta)
		if !fits {
			return fmt.Errorf("the event of version %d makes the counter %s exceed 64 bits", e.Version, name)
		}
		d.counters[name] = total
	}
	if e.ClientSeq != nil {
		if last, ok := d.writers[e.ClientID]; !ok || *e.ClientSeq > last {
			d.writers[e.ClientID] = *e.ClientSeq
		}
	}
	d.events, d.version = d.events+1, e.Version
	return nil
}

// differences compares an aggregate with its events. Repairs increment the version above the
// version of the last event, so only a lower version is wrong.
func (d *derived) differences(a *Aggregate, writers map[string]int64) []Difference {
	found := compare("counters/", a.Counters, d.counters)
	found = append(found, compare("writers/", writers, d.writers)...)
	if stored, want := int64(a.WriterCount), int64(len(d.writers)); stored != want {
		found = append(found, Difference{Path: "writerCount", Stored: &stored, Derived: &want})
	}
	if a.Version < d.version {
		stored := a.Version
		found = append(found, Difference{Path: "version", Stored: &stored, Derived: &d.version})
	}
	return found
}

func compare(prefix string, stored, derived map[string]int64) (found []Difference) {
	all := maps.Clone(derived)
	maps.Copy(all, stored)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s, isStored := stored[name]
		d, isDerived := derived[name]
		if isStored && isDerived && s == d {
			continue
		}
		difference := Difference{Path: prefix + name}
		if isStored {
			difference.Stored = &s
		}
		if isDerived {
			difference.Derived = &d
		}
		found = append(found, difference)
	}
	return found
}

// Names returns the first limit names of the tenant's aggregates after a name, in order; the zero
// Name is before all.
func (s *Service) Names(ctx context.Context, after Name, limit int) ([]Name, error) {
	var rows []Aggregate
	err := s.db.Read(ctx).Select("type", "name").Where("(type > ? OR (type = ? AND name > ?))", after.Type, after.Type, after.ID).
		Order("type, name").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("list aggregates: %w", err)
	}
	names := make([]Name, len(rows))
	for i := range rows {
		names[i] = rows[i].name()
	}
	return names, nil
}
