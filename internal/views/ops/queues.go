// Package ops shows pending work to operators: the queues with their sizes, and the held
// locks with their owners.
//
// Invariant: a caller sees only the data of its tenant. The key of a lock contains its
// tenant; a queue is shown if a domain assigns it to the tenant, and a queue without a
// domain is never shown.
package ops

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/lock"
	"interlock/internal/mq"
)

const readPermission = "queues:read"

// retryAfter is the retry delay while the engines do not reply.
const retryAfter = time.Second

// maxQueues bounds the number of queues of one overview.
const maxQueues = 200

// ErrNoPrincipal means that the context has no tenant.
var ErrNoPrincipal = errors.New("ops: the context has no principal")

// Owned returns the names of one domain's queues for the tenant of ctx, and whether each is
// in use. A queue that is not in use is shown while it contains messages.
type Owned func(ctx context.Context) (map[string]bool, error)

// Deps are the dependencies of a Service.
type Deps struct {
	Broker mq.Broker
	Locks  lock.Locker
	Owned  []Owned
}

// Service returns queues and locks.
type Service struct {
	broker mq.Broker
	locks  lock.Locker
	owned  []Owned
}

// New returns a Service.
func New(d Deps) *Service {
	return &Service{broker: d.Broker, locks: d.Locks, owned: d.Owned}
}

// Queue is a queue with its sizes.
type Queue struct {
	Name string
	mq.Stats
}

// Queues lists by name the tenant's queues that are in use or contain messages, at most
// maxQueues.
func (s *Service) Queues(ctx context.Context) ([]Queue, error) {
	names, err := s.broker.Names(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	mine := map[string]bool{}
	for _, owned := range s.owned {
		queues, err := owned(ctx)
		if err != nil {
			return nil, err
		}
		maps.Copy(mine, queues)
	}
	list := []Queue{}
	for _, name := range names {
		inUse, isMine := mine[name]
		if !isMine {
			continue
		}
		stats, err := s.broker.Queue(name).Stats(ctx)
		if err != nil {
			return nil, unavailable(err)
		}
		if !inUse && stats.Total() == 0 {
			continue
		}
		if list = append(list, Queue{Name: name, Stats: stats}); len(list) == maxQueues {
			break
		}
	}
	return list, nil
}

// Locks lists the tenant's held locks by key. Their keys are <kind>:<tenant>:<rest>.
func (s *Service) Locks(ctx context.Context) ([]lock.Holding, error) {
	p, ok := principal.From(ctx)
	if !ok || p.TenantID == 0 {
		return nil, ErrNoPrincipal
	}
	held, err := s.locks.Held(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	mine := []lock.Holding{}
	for _, holding := range held {
		parts := strings.SplitN(holding.Key, ":", 3)
		if len(parts) == 3 && parts[1] == strconv.FormatInt(p.TenantID, 10) {
			mine = append(mine, holding)
		}
	}
	return mine, nil
}

func unavailable(err error) error {
	return apperr.New(apperr.Unavailable, "The queues and locks cannot be read at the moment. Try again.").After(retryAfter).Because(err)
}
