package promises

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/idempotency"
	"interlock/internal/events"
	"interlock/internal/lock"
	"interlock/internal/module"
)

const (
	// leaseKey is the lock of the checking process.
	leaseKey = "promises"
	// passEvery is the interval of passes over a promise. A longer pass is followed by the
	// next one immediately.
	passEvery = 5 * time.Minute
	// askEvery is the interval at which a process reads the progress and checks whether
	// something is due, and retries after an error.
	askEvery = 30 * time.Second
	// retryEvery is the delay after a failed check of a promise.
	retryEvery = time.Minute
	// saveEvery bounds the work that is lost when a process ends.
	saveEvery = 15 * time.Second
	// A step reads at least fewestRows rows, and more as far as its time permits.
	fewestRows, mostRows = 10, 1000
	stepTime             = 20 * time.Millisecond
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

// Service checks the promises while Run runs, and reports violations.
type Service struct {
	checks
	runner  *uow.Runner
	locks   lock.Locker
	bus     events.Bus
	clock   clock.Clock
	replies *idempotency.ReplyStore
	share   float64
	tenancy SelfApproval

	mu sync.Mutex
	// seen contains the states that this process read last, for metrics.
	seen map[string]state

	// rows contains the number of rows of each promise's next step. later contains the time of the
	// retry after a failed check.
	rows  map[string]int
	later map[string]time.Time
	// rest pauses; tests replace it.
	rest func(ctx context.Context, d time.Duration) bool
	key  signer
}

// New returns a Service.
func New(d Deps) *Service {
	return &Service{
		checks: checks{d.DB, d.Promises, d.Gates}, runner: d.Runner, locks: d.Locks, bus: d.Bus, clock: d.Clock, replies: d.Replies, share: d.Share, tenancy: d.SelfApproval,
		seen: map[string]state{}, rows: map[string]int{}, later: map[string]time.Time{}, rest: clock.Sleep, key: signer{db: d.DB},
	}
}

// Run checks until ctx ends, in one process at a time.
func (s *Service) Run(ctx context.Context) {
	if s.share <= 0 {
		return
	}
	for failing := false; ; {
		err := s.turn(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			slog.WarnContext(ctx, "promises: round of checks failed; will retry", "error", err)
		}
		failing = err != nil
		if !s.rest(ctx, askEvery) {
			return
		}
	}
}

// turn reads the progress of the checks, for the metrics of this process, and runs due
// checks if this process gets the lease. If nothing is due, it acquires no lease.
func (s *Service) turn(ctx context.Context) error {
	states, err := s.states(ctx)
	if err != nil {
		return err
	}
	for _, st := range states {
		s.remember(st)
	}
	if !s.anyDue(states) {
		return nil
	}
	lease, err := s.locks.Acquire(lock.WithOwner(ctx, "the check of the promises"), 0, leaseKey)
	if errors.Is(err, lock.ErrNotAcquired) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }()
	err = s.work(lease.Context())
	if errors.Is(err, errOvertaken) || context.Cause(lease.Context()) != nil {
		return nil
	}
	return err
}

// work runs steps, one promise after the other, until none is due or ctx ends.
func (s *Service) work(ctx context.Context) error {
	states, err := s.states(ctx)
	if err != nil {
		return err
	}
	saved := map[string]time.Time{}
	for i := 0; ; i = (i + 1) % len(s.checks.list) {
		if i == 0 && (ctx.Err() != nil || !s.anyDue(states)) {
			return ctx.Err()
		}
		p := s.checks.list[i]
		st := states[p.Name]
		if !s.due(st) {
			continue
		}
		started, before := clock.Mark(), *st
		ended, err := s.step(ctx, p, st)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			// The other promises continue.
			*st = before
			s.putOff(ctx, p, err)
		default:
			delete(s.later, p.Name)
			if now := s.clock.Now(); ended || now.Sub(saved[p.Name]) >= saveEvery {
				if err := s.save(ctx, st); err != nil {
					return err
				}
				saved[p.Name] = now
			}
			s.remember(st)
		}
		took := clock.Since(started)
		if !s.rest(ctx, time.Duration(float64(took)*(1/s.share-1))) {
			return ctx.Err()
		}
	}
}

// step runs the next step of a promise, and reports whether it was the last of its pass.
func (s *Service) step(ctx context.Context, p module.Promise, st *state) (ended bool, err error) {
	if st.Place == "" {
		now := s.clock.Now()
		st.Passes, st.BegunTime, st.Looked, st.BusyUS, st.Violated = st.Passes+1, &now, 0, 0, 0
	}
	place, err := storage.DecodePlace(st.Place)
	if err != nil {
		return false, err
	}
	limit := s.rowsOf(p)
	started := clock.Mark()
	looked, next, found, err := s.checks.step(ctx, p, place, limit)
	took := clock.Since(started)
	if err != nil {
		// The rows may have been too many for the time-out of a statement.
		s.rows[p.Name] = max(fewestRows, limit/2)
		return false, err
	}
	s.fit(p, limit, took)
	st.Looked, st.BusyUS, st.Violated = st.Looked+int64(looked), st.BusyUS+took.Microseconds(), st.Violated+int64(len(found))
	if err := s.report(ctx, st, found); err != nil {
		return false, err
	}
	if st.Place, err = storage.EncodePosition(next); err != nil || next != nil {
		return false, err
	}
	if err := s.finishPass(ctx, st); err != nil {
		return false, err
	}
	now := s.clock.Now()
	st.PassedTime, st.LastBegun, st.LastLooked, st.LastBusyUS, st.LastViolated = &now, st.BegunTime, st.Looked, st.BusyUS, st.Violated
	if st.Violated == 0 {
		st.KeptTime = &now
	}
	return true, nil
}

// putOff delays a promise after a failed check.
func (s *Service) putOff(ctx context.Context, p module.Promise, err error) {
	if _, known := s.later[p.Name]; !known {
		slog.WarnContext(ctx, "promises: check failed; will retry", "promise", p.Name, "error", err)
	}
	s.later[p.Name] = s.clock.Now().Add(retryEvery)
}

// due reports whether a promise is in the middle of a pass, or should start one.
func (s *Service) due(st *state) bool {
	if s.clock.Now().Before(s.later[st.Name]) {
		return false
	}
	return st.Place != "" || st.BegunTime == nil || s.clock.Now().Sub(*st.BegunTime) >= passEvery
}

func (s *Service) anyDue(states map[string]*state) bool {
	return slices.ContainsFunc(s.checks.list, func(p module.Promise) bool { return s.due(states[p.Name]) })
}

func (s *Service) rowsOf(p module.Promise) int {
	if n := s.rows[p.Name]; n > 0 {
		return n
	}
	return 10 * fewestRows
}

// fit adapts the rows of a promise's next step to stepTime.
func (s *Service) fit(p module.Promise, limit int, took time.Duration) {
	switch {
	case took > 2*stepTime:
		s.rows[p.Name] = max(fewestRows, limit/2)
	case took < stepTime/2:
		s.rows[p.Name] = min(mostRows, limit*2)
	default:
		s.rows[p.Name] = limit
	}
}

func (s *Service) remember(st *state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[st.Name] = *st
}
