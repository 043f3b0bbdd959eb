// Package ops shows operators what waits and what is held: the queues with
// their sizes, and the locks with their owners.
//
// Invariant: a caller sees what belongs to the caller's tenant and nothing else. The
// key of a lock says whose it is; a queue is shown when a domain says that it is the
// tenant's, and one that no domain owns is shown to nobody.
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

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: readPermission, Meaning: "See the queues and the held locks."},
}

// retryAfter is when to ask again while the engines do not answer.
const retryAfter = time.Second

// maxQueues bounds the queues of one overview.
const maxQueues = 200

// ErrNoPrincipal means that the context has no tenant.
var ErrNoPrincipal = errors.New("ops: the context has no principal")

// Owned names the queues of the tenant of ctx that one domain has, and whether each is in
// use. One that is not is shown as long as it holds messages.
type Owned func(ctx context.Context) (map[string]bool, error)

// Deps are what a Service stands on.
type Deps struct {
	Broker mq.Broker
	Locks  lock.Locker
	Owned  []Owned
}

// Service answers what waits and what is held.
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

// Queues lists the tenant's queues that are in use or hold messages by name, the first
// maxQueues of them.
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
