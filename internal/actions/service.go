package actions

import (
	"context"
	"sync"
	"time"

	"github.com/graph-gophers/graphql-go"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// maxAhead is the maximum lead of an action id, read as ms since 1970, over the clock. An id
// further ahead would make all later actions of its actor stale until that time.
const maxAhead = 5 * time.Minute

// Entities finds resources of one type.
type Entities interface {
	// Locate returns the id and the stored name of the resource with a name. It reads only the id.
	// Errors: NotFound.
	Locate(ctx context.Context, name string) (id int64, stored string, err error)
}

// Deps are the dependencies of a Service.
type Deps struct {
	DB             *storage.DB
	Clock          clock.Clock
	Items, Coupons Entities
}

// Service implements the use cases of actions. It is safe for concurrent use.
type Service struct {
	db       *storage.DB
	clock    clock.Clock
	entities map[string]Entities
	// schema parses the schema once, for all routers.
	schema func() *graphql.Schema
}

// New returns a Service.
func New(d Deps) *Service {
	s := &Service{
		db: d.DB, clock: d.Clock,
		entities: map[string]Entities{Item: d.Items, Coupon: d.Coupons},
	}
	s.schema = sync.OnceValue(func() *graphql.Schema { return newSchema(s) })
	return s
}

// Apply applies an action of the caller, or of its customer. A stale or repeated action changes
// nothing and returns the state.
//
// Errors: NotFound for an unknown resource; ActionIDInFuture; IdempotencyKeyReused for an id with
// other content.
func (s *Service) Apply(ctx context.Context, u *uow.Unit, r Request) (Result, error) {
	entity, name, err := s.entities[r.EntityType].Locate(ctx, r.EntityID)
	if err != nil {
		return Result{}, err
	}
	if latestID := s.clock.Now().Add(maxAhead).UnixMilli(); r.ActionID > latestID {
		return Result{}, apperr.New(apperr.ActionIDInFuture, "Action id %d, read as ms since 1970, is more than %d minutes ahead of the service's clock; nothing was changed.",
			r.ActionID, int(maxAhead.Minutes()))
	}
	row, err := s.lockLatest(ctx, u, r, entity)
	if err != nil {
		return Result{}, err
	}
	outcome, err := row.outcome(r)
	if err != nil {
		return Result{}, err
	}
	if outcome != Applied {
		return row.result(r, outcome), nil
	}
	before := row.State
	if err := advance(ctx, u, row, r); err != nil {
		return Result{}, err
	}
	if err := s.adjustCounts(ctx, u, row, difference(before, row.State)); err != nil {
		return Result{}, err
	}
	u.Audit(uow.Entry{
		Action: "action." + string(r.Kind), Resource: "actions/" + r.EntityType + "/" + name,
		Detail: applied{ActionID: r.ActionID, Before: before, State: row.State},
	})
	return row.result(r, Applied), nil
}

// applied is the detail of an action in the audit log.
type applied struct {
	ActionID int64 `json:"actionId"`
	Before   Kind  `json:"before"`
	State    Kind  `json:"state"`
}

// Summary contains the counts of one resource.
type Summary struct {
	// EntityID is the stored name of the resource.
	EntityID string
	Counts   Counts
	// Own is the caller's state of each kind.
	Own map[Kind]Result
}

// Summary returns the counts of a resource and the caller's states. Errors: NotFound.
func (s *Service) Summary(ctx context.Context, entityType, name string) (Summary, error) {
	entity, name, err := s.entities[entityType].Locate(ctx, name)
	if err != nil {
		return Summary{}, err
	}
	db := s.db.Read(ctx)
	counts, err := countsOf(db, entityType, entity)
	if err != nil {
		return Summary{}, err
	}
	caller, _ := principal.From(ctx)
	rows, err := ownOf(db, entityType, entity, actorOf(caller))
	if err != nil {
		return Summary{}, err
	}
	own := make(map[Kind]Result, len(kinds))
	for _, kind := range kinds {
		own[kind] = Result{}
		for _, row := range rows {
			if row.ActionGroup == kind.group() {
				own[kind] = Result{Active: row.State == kind, LastActionID: row.LastActionID}
			}
		}
	}
	return Summary{EntityID: name, Counts: counts, Own: own}, nil
}
