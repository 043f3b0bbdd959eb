package retention

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/core/walk"
	"interlock/internal/lock"
	"interlock/internal/module"
)

const (
	// kind is the kind of the walks of this package.
	kind = "retention"
	// runEvery is the step of a table's limit between runs, unless Deps.Every is set.
	runEvery = 24 * time.Hour
	// askEvery is the interval at which a process checks whether a run is due, and retries
	// after an error.
	askEvery = time.Minute
	// stepTimeout bounds a step's transaction.
	stepTimeout = 10 * time.Second
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

// Service sweeps while Background runs.
type Service struct {
	walker *walk.Walker
	db     *storage.DB
	runner *uow.Runner
	clock  clock.Clock
	tables map[string]Table
	keep   map[module.Retention]time.Duration
	every  time.Duration
}

// New returns a Service.
func New(d Deps) *Service {
	s := &Service{db: d.DB, runner: d.Runner, clock: d.Clock, tables: map[string]Table{}, keep: d.Keep, every: cmp.Or(d.Every, runEvery)}
	var names []string
	for _, t := range removable(d.Tables) {
		names, s.tables[t.Name] = append(names, t.Name), t
	}
	s.walker = walk.New(walk.Options{DB: d.DB, Locks: d.Locks, Clock: d.Clock, Kind: kind, Owner: "the removal of old rows", Names: names, Share: d.Share})
	return s
}

// Background returns the service that sweeps, in one process at a time; none if everything is stored
// forever.
func (s *Service) Background() []background.Service {
	for _, keep := range s.keep {
		if keep > 0 {
			return s.walker.Background("remove expired rows", askEvery, s.Turn)
		}
	}
	return nil
}

// Turn sweeps due tables, if this process gets the lease, and reports removed rows. If
// there is nothing to do, it acquires no lease.
func (s *Service) Turn(ctx context.Context) error {
	unreported, err := tallies(ctx, s.db)
	if err != nil {
		return err
	}
	return s.walker.Turn(ctx, s, len(unreported) > 0)
}

// limit returns the minimum age of removable rows.
func (s *Service) limit(t Table) time.Time { return s.clock.Now().Add(-s.keep[t.Kind]) }

// Due implements walk.Task: a run starts when the limit of its table has moved far enough, also
// after a change of the settings.
func (s *Service) Due(st *walk.State) bool {
	t := s.tables[st.Name]
	return s.keep[t.Kind] > 0 && (st.UntilTime == nil || s.limit(t).Sub(*st.UntilTime) >= s.every)
}

// Begin implements walk.Task: the limit is committed before the first row is removed. If the process
// ends then, the promises skip rows that still exist, and the next run removes them.
func (s *Service) Begin(st *walk.State) {
	limit := s.limit(s.tables[st.Name])
	st.UntilTime = &limit
}

// Step implements walk.Task: it reads the next rows after a position and removes the expired ones, in
// one transaction:
//
//	DELETE FROM … WHERE tenant_id = ? AND id IN (…)
//	UPDATE retention_tallies SET removed = removed + ? WHERE tenant_id = ? AND name = ?
//	UPDATE walks SET … WHERE kind = ? AND name = ? AND version = ?
//
// It abandons a run that would remove rows which a longer retention, configured since, retains. The
// limit of that run remains, because rows below it have been removed.
func (s *Service) Step(ctx context.Context, st *walk.State, after []any, most int) (next []any, err error) {
	t := s.tables[st.Name]
	if s.keep[t.Kind] <= 0 || s.limit(t).Before(*st.UntilTime) {
		return nil, walk.ErrAbandoned
	}
	rows, err := read(ctx, s.db, t, *st.UntilTime, after, most)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	last := rows[len(rows)-1].place
	if len(rows) == most {
		next = last
	}
	st.Checked += int64(len(rows))
	if len(t.removals(rows)) == 0 {
		return next, nil
	}
	if st.Position, err = storage.EncodePosition(last); err != nil {
		return nil, err
	}
	before := *st
	err = s.db.Transact(storage.AcrossTenants(ctx), stepTimeout, func(tx *gorm.DB) error {
		removed, err := remove(tx, t, rows)
		if err != nil {
			return err
		}
		*st = before
		st.Found, st.Total = st.Found+removed, st.Total+removed
		return st.Save(tx)
	})
	st.Version++
	return next, err
}

// Complete implements walk.Task.
func (s *Service) Complete(context.Context, *walk.State) error { return nil }

// Finish implements walk.Task: it writes one audit entry for each tenant with removed rows. The commit
// of that entry also deletes the counts, so that after a crash before the commit the next run writes
// the entry.
func (s *Service) Finish(ctx context.Context) error {
	byTenant, err := tallies(ctx, s.db)
	if err != nil {
		return err
	}
	limits, err := s.walker.States(ctx)
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
func auditRemoved(ctx context.Context, u *uow.Unit, list []tally, limits map[string]*walk.State) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	removed := make(map[string]removedRows, len(list))
	for _, one := range list {
		taken := tx.Exec(deleteTally, one.TenantID, one.Name, one.Removed)
		switch {
		case taken.Error != nil:
			return taken.Error
		case taken.RowsAffected != 1:
			return walk.ErrOvertaken
		}
		removed[one.Name] = removedRows{Rows: one.Removed, Until: limits[one.Name].UntilTime}
	}
	u.Audit(uow.Entry{Action: "retention.sweep", Resource: "retention", Detail: map[string]any{"removed": removed}})
	return nil
}
