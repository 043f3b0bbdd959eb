package promises

import (
	"context"
	"slices"
	"time"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/core/walk"
	"interlock/internal/edge/idempotency"
	"interlock/internal/events"
	"interlock/internal/lock"
	"interlock/internal/module"
)

const (
	// kind is the kind of the walks of this package.
	kind = "promises"
	// passEvery is the interval of passes over a promise. A longer pass is followed by the
	// next one immediately.
	passEvery = 5 * time.Minute
	// pollInterval is the interval at which a process reads the progress and checks whether
	// something is due, and retries after an error.
	pollInterval = 30 * time.Second
)

// Deps are the dependencies of a Service.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Locks  lock.Locker
	Bus    events.Bus
	Clock  clock.Clock
	// Promises are the declared promises, in display order.
	Promises []module.Promise
	// Gates checks the gates of flash sales; nil for none.
	Gates Looker
	// SelfApproval reads the tenant's setting that limits four eyes.
	SelfApproval SelfApproval
	// Replies counts the idempotency keys.
	Replies *idempotency.ReplyStore
	// Share is the share of one connection's time for checks, such as 0.01; 0 disables
	// them.
	Share float64
}

// SelfApproval reports whether requesters may approve their own refunds in the context's tenant.
type SelfApproval interface {
	SelfApproval(ctx context.Context) (bool, error)
}

// Service checks the promises while Background runs, and reports violations.
type Service struct {
	checks
	walker  *walk.Walker
	runner  *uow.Runner
	bus     events.Bus
	clock   clock.Clock
	replies *idempotency.ReplyStore
	tenancy SelfApproval
	key     signer
}

// New returns a Service.
func New(d Deps) *Service {
	names := make([]string, len(d.Promises))
	for i, p := range d.Promises {
		names[i] = p.Name
	}
	return &Service{
		checks: checks{d.DB, d.Promises, d.Gates}, runner: d.Runner, bus: d.Bus, clock: d.Clock, replies: d.Replies, tenancy: d.SelfApproval, key: signer{db: d.DB},
		walker: walk.New(walk.Options{DB: d.DB, Locks: d.Locks, Clock: d.Clock, Kind: kind, Owner: "the check of the promises", Names: names, Share: d.Share}),
	}
}

// Background returns the service that checks the promises, in one process at a time.
func (s *Service) Background() []background.Service {
	return s.walker.Background("check promises", pollInterval, s.turn)
}

func (s *Service) turn(ctx context.Context) error { return s.walker.Turn(ctx, s, false) }

// Due implements walk.Task.
func (s *Service) Due(st *walk.State) bool {
	return st.StartedTime == nil || s.clock.Now().Sub(*st.StartedTime) >= passEvery
}

// Begin implements walk.Task.
func (s *Service) Begin(*walk.State) {}

// Step implements walk.Task: it checks the next rows of a promise, and reports violations.
func (s *Service) Step(ctx context.Context, st *walk.State, after []any, rows int) ([]any, error) {
	p := s.checks.list[slices.IndexFunc(s.checks.list, func(p module.Promise) bool { return p.Name == st.Name })]
	looked, next, found, err := s.checks.step(ctx, p, after, rows)
	if err != nil {
		return nil, err
	}
	st.Checked, st.Found = st.Checked+int64(looked), st.Found+int64(len(found))
	return next, s.report(ctx, st, found)
}

// Finish implements walk.Task.
func (s *Service) Finish(context.Context) error { return nil }
