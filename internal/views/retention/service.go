package retention

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
	"interlock/internal/module"
)

const (
	// leaseKey is the lock of the sweeping process.
	leaseKey = "retention"
	// runEvery is the step of a table's limit between runs, unless Deps.Every is set.
	runEvery = 24 * time.Hour
	// askEvery is the interval at which a process checks whether a run is due, and retries
	// after an error.
	askEvery = time.Minute
	// saveEvery bounds the work that is lost when a process ends.
	saveEvery = 15 * time.Second
	// A step reads at least fewestRows rows, and more as far as its time permits.
	fewestRows, mostRows = 10, 1000
	stepTime             = 20 * time.Millisecond
	// stepLife bounds a step's transaction.
	stepLife = 10 * time.Second
)

// Deps are the dependencies of a Service.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Locks  lock.Locker
	Clock  clock.Clock
	// Tables are the declared tables, in the order of removal.
	Tables []module.Table
	// Keep is the retention of the rows of a kind; 0, or a missing entry, means forever.
	Keep map[module.Retention]time.Duration
	// Every is the step of a table's limit between runs; 0 means a day.
	Every time.Duration
	// Share is the share of one connection's time for sweeps, such as 0.05.
	Share float64
}

// Service sweeps while Run runs.
type Service struct {
	db     *storage.DB
	runner *uow.Runner
	locks  lock.Locker
	clock  clock.Clock
	tables []Table
	keep   map[module.Retention]time.Duration
	every  time.Duration
	share  float64

	mu sync.Mutex
	// seen contains the states that this process read last, for metrics.
	seen map[string]state

	// rows contains the number of rows of each table's next step.
	rows map[string]int
	// rest pauses; tests replace it.
	rest func(ctx context.Context, d time.Duration) bool
}

// New returns a Service.
func New(d Deps) *Service {
	return &Service{
		db: d.DB, runner: d.Runner, locks: d.Locks, clock: d.Clock, tables: removable(d.Tables), keep: d.Keep, every: cmp.Or(d.Every, runEvery), share: d.Share,
		seen: map[string]state{}, rows: map[string]int{}, rest: clock.Sleep,
	}
}

// Run sweeps until ctx ends, in one process at a time. It does nothing if everything is
// stored forever.
func (s *Service) Run(ctx context.Context) {
	if !s.anything() || s.share <= 0 {
		return
	}
	for failing := false; ; {
		err := s.Turn(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			slog.WarnContext(ctx, "retention: sweep failed; will retry", "error", err)
		}
		failing = err != nil
		if !s.rest(ctx, askEvery) {
			return
		}
	}
}

func (s *Service) anything() bool {
	for _, keep := range s.keep {
		if keep > 0 {
			return true
		}
	}
	return false
}

// Turn sweeps due tables, if this process gets the lease, and reports removed rows. If
// there is nothing to do, it acquires no lease.
func (s *Service) Turn(ctx context.Context) error {
	found, err := states(ctx, s.db)
	if err != nil {
		return err
	}
	s.remember(found)
	if waits, err := s.waits(ctx, found); err != nil || !waits {
		return err
	}
	lease, err := s.locks.Acquire(lock.WithOwner(ctx, "the removal of old rows"), 0, leaseKey)
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

// waits reports whether a table is due, a run must be stopped, or removed rows are not in
// the audit log yet.
func (s *Service) waits(ctx context.Context, found map[string]*state) (bool, error) {
	for _, t := range s.tables {
		if st := stateOf(found, t); s.due(t, st) || s.withdrawn(t, st) {
			return true, nil
		}
	}
	untold, err := tallies(ctx, s.db)
	return len(untold) > 0, err
}

// stateOf returns the state of a table; an empty state if the table was never swept.
func stateOf(found map[string]*state, t Table) *state {
	if st := found[t.Name]; st != nil {
		return st
	}
	return &state{Name: t.Name}
}

// work sweeps the due tables. A failure of one table does not stop the others.
func (s *Service) work(ctx context.Context) error {
	found, err := states(ctx, s.db)
	if err != nil {
		return err
	}
	var failed error
	for _, t := range s.tables {
		var err error
		switch st := stateOf(found, t); {
		case s.withdrawn(t, st):
			err = s.end(ctx, st)
		case s.due(t, st):
			err = s.sweep(ctx, t, st)
		}
		if ctx.Err() != nil || errors.Is(err, errOvertaken) {
			return err
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("sweep %s: %w", t.Name, err))
		}
	}
	return errors.Join(failed, s.report(ctx))
}

// limit returns the minimum age of removable rows.
func (s *Service) limit(t Table) time.Time { return s.clock.Now().Add(-s.keep[t.Kind]) }

// due reports whether a run of a table is in progress, or should start: when its limit has
// moved far enough, also after a change of the settings.
func (s *Service) due(t Table, st *state) bool {
	switch {
	case s.keep[t.Kind] <= 0:
		return false
	case st.underWay() || st.UntilTime == nil:
		return true
	}
	return s.limit(t).Sub(*st.UntilTime) >= s.every
}

// withdrawn reports whether the running sweep of a table would remove rows that must now be
// retained. This is so if a longer retention, or none, was configured since the sweep started.
func (s *Service) withdrawn(t Table, st *state) bool {
	return st.underWay() && (s.keep[t.Kind] <= 0 || s.limit(t).Before(*st.UntilTime))
}

// end stops a withdrawn run. Its limit remains, because rows below it have been removed.
func (s *Service) end(ctx context.Context, st *state) error {
	now, next := s.clock.Now(), *st
	next.Place, next.EndedTime = "", &now
	return s.save(ctx, st, next)
}

// sweep continues the run of a table, or starts one, to its end.
//
// The limit is committed before the first row is removed. If the process ends then, the
// promises skip rows that still exist, and the next run removes them.
func (s *Service) sweep(ctx context.Context, t Table, st *state) error {
	if !st.underWay() {
		started, limit := s.clock.Now(), s.limit(t)
		next := *st
		next.UntilTime, next.BegunTime, next.EndedTime = &limit, &started, nil
		next.Place, next.Looked, next.Removed, next.BusyUS = "", 0, 0, 0
		if err := s.save(ctx, st, next); err != nil {
			return err
		}
	}
	place, err := storage.DecodePlace(st.Place)
	if err != nil {
		return err
	}
	saved := s.clock.Now()
	for {
		start := clock.Mark()
		next, rows, err := s.step(ctx, t, st, place)
		if err != nil {
			s.rows[t.Name] = max(fewestRows, s.rowsOf(t)/2)
			return err
		}
		took := clock.Since(start)
		ended := len(rows) < s.rowsOf(t)
		next.BusyUS += took.Microseconds()
		if ended {
			now := s.clock.Now()
			next.Place, next.EndedTime = "", &now
		} else {
			place = rows[len(rows)-1].place
		}
		if now := s.clock.Now(); ended || now.Sub(saved) >= saveEvery {
			if err := s.save(ctx, st, next); err != nil {
				return err
			}
			saved = now
		} else {
			*st = next
		}
		if ended {
			return nil
		}
		s.fit(t, took)
		if !s.rest(ctx, time.Duration(float64(took)*(1/s.share-1))) {
			return ctx.Err()
		}
	}
}

// step reads the next rows after a position and removes the expired ones, in one
// transaction:
//
//	DELETE FROM … WHERE tenant_id = ? AND id IN (…)
//	UPDATE retention_tallies SET removed = removed + ? WHERE tenant_id = ? AND name = ?
//	UPDATE retention_sweeps SET … WHERE name = ? AND version = ?
//
// It returns the resulting state.
func (s *Service) step(ctx context.Context, t Table, st *state, place []any) (state, []row, error) {
	rows, err := read(ctx, s.db, t, *st.UntilTime, place, s.rowsOf(t))
	if err != nil {
		return *st, nil, err
	}
	after := *st
	after.Looked += int64(len(rows))
	if len(rows) > 0 {
		if after.Place, err = storage.EncodePosition(rows[len(rows)-1].place); err != nil {
			return *st, nil, err
		}
	}
	if len(t.removals(rows)) == 0 {
		return after, rows, nil
	}
	before := after
	err = s.db.Transact(storage.AcrossTenants(ctx), stepLife, func(tx *gorm.DB) error {
		removed, err := remove(tx, t, rows)
		if err != nil {
			return err
		}
		after = before
		after.Removed, after.Total = before.Removed+removed, before.Total+removed
		return save(tx, after)
	})
	if err != nil {
		return *st, nil, err
	}
	after.Version++
	s.show(after)
	return after, rows, nil
}

// save commits the next state.
func (s *Service) save(ctx context.Context, st *state, next state) error {
	if err := save(s.db.Write(storage.AcrossTenants(ctx)), next); err != nil {
		return err
	}
	next.Version++
	*st = next
	s.show(next)
	return nil
}

// report writes one audit entry for each tenant with removed rows. The commit of that entry also
// deletes the counts, so that after a crash before the commit the next run writes the entry.
func (s *Service) report(ctx context.Context) error {
	byTenant, err := tallies(ctx, s.db)
	if err != nil {
		return err
	}
	limits, err := states(ctx, s.db)
	if err != nil {
		return err
	}
	for tenant, list := range byTenant {
		ctx := principal.With(ctx, principal.System(tenant, "retention"))
		err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error { return auditRemoved(ctx, u, list, limits) })
		if err != nil {
			return fmt.Errorf("record removed rows: %w", err)
		}
	}
	return nil
}

// removedRows is the content of an audit entry for a table: the number of the tenant's
// removed rows, and their limit.
type removedRows struct {
	Rows  int64      `json:"rows"`
	Until *time.Time `json:"until"`
}

// auditRemoved deletes the counts of removed rows and adds them to the audit log, in one
// unit.
func auditRemoved(ctx context.Context, u *uow.Unit, list []tally, limits map[string]*state) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	removed := make(map[string]removedRows, len(list))
	for _, one := range list {
		taken := tx.Exec(takeTally, one.TenantID, one.Name, one.Removed)
		switch {
		case taken.Error != nil:
			return taken.Error
		case taken.RowsAffected != 1:
			return errOvertaken
		}
		removed[one.Name] = removedRows{Rows: one.Removed, Until: limits[one.Name].UntilTime}
	}
	u.Audit(uow.Entry{Action: "retention.sweep", Resource: "retention", Detail: map[string]any{"removed": removed}})
	return nil
}

func (s *Service) rowsOf(t Table) int {
	if n := s.rows[t.Name]; n > 0 {
		return n
	}
	return 10 * fewestRows
}

// fit adapts the rows of a table's next step to stepTime.
func (s *Service) fit(t Table, took time.Duration) {
	switch n := s.rowsOf(t); {
	case took > 2*stepTime:
		s.rows[t.Name] = max(fewestRows, n/2)
	case took < stepTime/2:
		s.rows[t.Name] = min(mostRows, n*2)
	}
}

func (s *Service) remember(found map[string]*state) {
	for _, st := range found {
		s.show(*st)
	}
}

func (s *Service) show(st state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[st.Name] = st
}
