package aggregates

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/events"
)

// Topic announces changes of aggregates, keyed by type/id.
const Topic = "aggregates"

// Deps are the dependencies of a Service.
type Deps struct {
	DB  *storage.DB
	Bus events.Bus
}

// Service implements the use cases of aggregates. It is safe for concurrent use.
type Service struct {
	db      *storage.DB
	bus     events.Bus
	metrics metrics
}

// New returns a Service.
func New(d Deps) *Service { return &Service{db: d.DB, bus: d.Bus, metrics: newMetrics()} }

// State is an aggregate with its writers, both at one version.
type State struct {
	Aggregate
	// Writers are the highest sequences by client.
	Writers map[string]int64
}

// readAttempts bounds the reads of an aggregate that changes during each read.
const readAttempts = 20

// Aggregate returns an aggregate. Errors: NotFound if it has no events.
func (s *Service) Aggregate(ctx context.Context, name Name) (*Aggregate, error) {
	return findExisting(s.db.Read(ctx), name)
}

// State returns an aggregate with its writers. Errors: NotFound if it has no events.
func (s *Service) State(ctx context.Context, name Name) (State, error) {
	db := s.db.Read(ctx)
	for range readAttempts {
		a, err := findExisting(db, name)
		if err != nil {
			return State{}, err
		}
		writers, same, err := writersOf(db, a)
		if err != nil {
			return State{}, err
		}
		if same {
			return State{Aggregate: *a, Writers: writers}, nil
		}
	}
	return State{}, apperr.New(apperr.Unavailable, "The aggregate %q changed during every attempt to read it. Try again.", name).After(time.Second)
}

// Filter narrows a list of aggregates. Fields with the zero value do not filter.
type Filter struct {
	Type string
	// IDPrefix is a prefix of the ids.
	IDPrefix string
}

var aggregateSorts = storage.Sorts{
	Columns: map[string]string{"id": "name", "type": "type", "updatedTime": "updated_time"},
	Default: "-updatedTime",
}

// List returns one page of the aggregates.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Aggregate], error) {
	var filters []storage.Filter
	if f.IDPrefix != "" {
		filters = append(filters, storage.HasPrefix("name", f.IDPrefix))
	}
	if f.Type != "" {
		filters = append(filters, storage.Equal("type", f.Type).OrderedBy("type", "name").Unique("name"))
	}
	return storage.List[Aggregate](s.db.Read(ctx), page, aggregateSorts, filters...)
}

// ByID returns at most limit aggregates with an id that starts with text, exact matches first.
func (s *Service) ByID(ctx context.Context, text string, limit int) ([]Aggregate, error) {
	found, err := storage.ByPrefix[Aggregate](s.db.Read(ctx), "name", storage.Spellings(text), limit)
	if err != nil {
		return nil, fmt.Errorf("find aggregates by id: %w", err)
	}
	return found, nil
}

var eventSorts = storage.Sorts{Columns: map[string]string{"version": "version"}, Unique: []string{"version"}, Default: "version"}

// Events returns one page of an aggregate's events after a version.
func (s *Service) Events(ctx context.Context, a *Aggregate, after int64, page storage.Page) (storage.Listing[Event], error) {
	return storage.List[Event](s.db.Read(ctx), page, eventSorts, storage.OwnedBy("aggregate_id", a.ID), storage.Above("version", after))
}

func resource(name Name) string { return Topic + "/" + name.String() }
