// Package queues shows operators what waits and what is held: the queues with
// their sizes, and the locks with their owners.
//
// Invariant: a caller sees what belongs to the caller's tenant and nothing else. The
// key of a lock says whose it is; a queue is shown when its family's Belongs says so,
// and queues of a family without one are shown to nobody.
package queues

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"interlock/internal/apperr"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/principal"
)

// Permissions are what a role or token can hold of this package.
var Permissions = []principal.Grant{
	{Name: readQueues, Meaning: "See the queues and the held locks."},
}

const readQueues = "queues:read"

// maxQueues bounds the queues of one overview.
const maxQueues = 200

// ErrNoPrincipal means that the context has no tenant.
var ErrNoPrincipal = errors.New("queues: the context has no principal")

// Belongs reports whether a queue is of the tenant of ctx.
type Belongs func(ctx context.Context, queue string) (bool, error)

// Deps are what a Service stands on.
type Deps struct {
	Broker mq.Broker
	Locks  lock.Locker
	// Belongs is asked by the family of a queue, see mq.Family.
	Belongs map[string]Belongs
}

// Service answers what waits and what is held.
type Service struct {
	broker  mq.Broker
	locks   lock.Locker
	belongs map[string]Belongs
}

// New returns a Service.
func New(d Deps) *Service {
	return &Service{broker: d.Broker, locks: d.Locks, belongs: d.Belongs}
}

// Queue is a queue with its sizes.
type Queue struct {
	Name string
	mq.Stats
}

// Queues lists the tenant's queues by name, the first maxQueues of them.
func (s *Service) Queues(ctx context.Context) ([]Queue, error) {
	names, err := s.broker.Names(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	list := []Queue{}
	for _, name := range names {
		belongs, ok := s.belongs[mq.Family(name)]
		if !ok {
			continue
		}
		mine, err := belongs(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("find out whose queue %s is: %w", name, err)
		}
		if !mine {
			continue
		}
		stats, err := s.broker.Queue(name).Stats(ctx)
		if err != nil {
			return nil, unavailable(err)
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
	return apperr.New(apperr.Unavailable, "The queues cannot be read now. Try again.").After(retryAfter).Because(err)
}
