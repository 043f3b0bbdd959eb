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

// rebuildWait is how long a rebuild waits for the writers of its aggregate.
const rebuildWait = 10 * time.Second

// auditedDifferences is how many differences the audit log keeps of a rebuild.
const auditedDifferences = 100

// Difference is one thing that an aggregate says and its events do not.
type Difference struct {
	// What is a counter or a writer, such as "counters/in", or "version".
	What string `json:"what"`
	// Kept is what the aggregate says and Derived what its events do; nil for nothing.
	Kept    *int64 `json:"kept"`
	Derived *int64 `json:"derived"`
}

// String says the difference for people.
func (d Difference) String() string {
	number := func(n *int64) string {
		if n == nil {
			return "nothing"
		}
		return fmt.Sprint(*n)
	}
	return fmt.Sprintf("%s is %s and must be %s", d.What, number(d.Kept), number(d.Derived))
}

// derived is what the events of an aggregate add up to.
type derived struct {
	events   int64
	version  int64
	counters Counters
	writers  map[string]int64
}

// Rebuild derives an aggregate from its events again, holding back its writers, and
// returns in what it differed, none when it was right. With dryRun nothing is changed.
// A repair is a change like any: it raises the version, so that whoever decides on what
// they read before is refused. Errors: NotFound; lock.ErrNotAcquired.
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
	kept, err := lockedWriters(tx, a)
	if err != nil {
		return nil, err
	}
	truth := derived{counters: Counters{}, writers: map[string]int64{}}
	if err := eachEvent(tx, a, truth.apply); err != nil {
		return nil, err
	}
	differences := truth.differences(a, kept)
	if len(differences) == 0 {
		return nil, nil
	}
	if dryRun {
		// What is written is guarded by the version. What is only told must not be of a writer who came
		// between two of these reads, where an engine has dropped the lock.
		if now, err := findExisting(tx, name); err != nil || now.Version != a.Version {
			return nil, cmp.Or(err, movedMeanwhile())
		}
		return differences, nil
	}
	a.Counters, a.WriterCount = truth.counters, len(truth.writers)
	if err := advance(ctx, u, a, max(truth.version-a.Version, 0)+1); err != nil {
		return nil, err
	}
	if err := replaceWriters(tx, a, truth.writers); err != nil {
		return nil, err
	}
	u.Audit(uow.Entry{Action: "aggregate.rebuild", Resource: resource(name), Detail: map[string]any{
		"version": a.Version, "events": truth.events, "differed": len(differences),
		"differences": differences[:min(len(differences), auditedDifferences)],
	}})
	change.Announce(u, s.bus, Topic, name.String(), events.Change{Version: a.Version, ETag: a.Ref().ETag(), Action: "rebuild"})
	return differences, nil
}

// apply adds an event. It fails when a sum cannot be counted in 64 bits, to which no event
// that was checked leads.
func (d *derived) apply(e *Event) error {
	for name, delta := range e.Deltas {
		total, fits := add(d.counters[name], delta)
		if !fits {
			return fmt.Errorf("the event of version %d makes the counter %s larger or smaller than can be counted", e.Version, name)
		}
		d.counters[name] = total
	}
	if e.ClientSeq != nil {
		if last, there := d.writers[e.ClientID]; !there || *e.ClientSeq > last {
			d.writers[e.ClientID] = *e.ClientSeq
		}
	}
	d.events, d.version = d.events+1, e.Version
	return nil
}

// differences compares what an aggregate says with what its events do. Repairs raise the
// version above that of the last event, so only one below it is wrong.
func (d *derived) differences(a *Aggregate, writers map[string]int64) []Difference {
	found := compare("counters/", a.Counters, d.counters)
	found = append(found, compare("writers/", writers, d.writers)...)
	if kept, want := int64(a.WriterCount), int64(len(d.writers)); kept != want {
		found = append(found, Difference{What: "writerCount", Kept: &kept, Derived: &want})
	}
	if a.Version < d.version {
		kept := a.Version
		found = append(found, Difference{What: "version", Kept: &kept, Derived: &d.version})
	}
	return found
}

func compare(prefix string, kept, derived map[string]int64) (found []Difference) {
	all := maps.Clone(derived)
	maps.Copy(all, kept)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		k, isKept := kept[name]
		d, isDerived := derived[name]
		if isKept && isDerived && k == d {
			continue
		}
		difference := Difference{What: prefix + name}
		if isKept {
			difference.Kept = &k
		}
		if isDerived {
			difference.Derived = &d
		}
		found = append(found, difference)
	}
	return found
}

// Names returns the names of the tenant's aggregates, in their order, so many after the
// one that is given; the first ones after the zero Name.
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
