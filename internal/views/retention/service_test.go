package retention

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/core/walk"
	"interlock/internal/lock"
	"interlock/internal/module"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func newLocks() lock.Locker { return lock.NewInProcess(lock.Observer{}) }

// newService returns a Service without pauses.
func newService(db *storage.DB, locks lock.Locker, clk clock.Clock, keep map[module.Retention]time.Duration) *Service {
	s := New(Deps{
		DB: db, Locks: locks, Clock: clk, Tables: declared, Share: 1, Keep: keep,
		Runner: uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: clk}),
	})
	s.walker.Pause = func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil }
	return s
}

func exec(t *testing.T, db *storage.DB, statement string, values ...any) {
	t.Helper()
	require.NoError(t, db.Write(storage.AcrossTenants(t.Context())).Exec(statement, values...).Error, statement)
}

func count(t *testing.T, db *storage.DB, query string, values ...any) (n int) {
	t.Helper()
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw(query, values...).Scan(&n).Error, query)
	return n
}

func tenantOf(ctx context.Context) int64 {
	p, _ := principal.From(ctx)
	return p.TenantID
}

// insertAudit adds audit entries of an action with the given age, in one statement.
func insertAudit(t *testing.T, db *storage.DB, tenant int64, action string, age time.Duration, n int) {
	t.Helper()
	places, values := make([]string, n), make([]any, 0, 5*n)
	for i := range n {
		places[i] = "(?, ?, '', 'admin', '1', 'Li', ?, ?, '{}', ?)"
		values = append(values, tenant, fmt.Sprintf("%s-%d-%d-%d", action[:4], tenant%1000, age/time.Second, i), action, fmt.Sprint("configs/", i), noon.Add(-age))
	}
	exec(t, db, "INSERT INTO audit_entries (tenant_id, unit_id, request_id, actor_kind, actor_id, actor_name, action, resource, detail, created_time) VALUES "+strings.Join(places, ", "), values...)
}

func auditOf(t *testing.T, db *storage.DB, tenant int64) (entries []string) {
	t.Helper()
	var rows []struct{ Action, Resource, Detail string }
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT action, resource, detail FROM audit_entries WHERE tenant_id = ? AND action = 'retention.sweep' ORDER BY id", tenant).Scan(&rows).Error)
	for _, row := range rows {
		entries = append(entries, row.Action+" "+row.Resource+" "+row.Detail)
	}
	return entries
}

func gaugeOf(t *testing.T, s *Service, metric, table string) float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(s.Collectors()...)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, m := range family.Metric {
			if family.GetName() == metric && m.Label[0].GetValue() == table {
				return m.Gauge.GetValue()
			}
		}
	}
	return 0
}

// Proves G6.10.
func TestOldAuditEntriesAreRemovedWithOneEntryPerTenant(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		clk := clock.NewFake(noon)
		s := newService(db, newLocks(), clk, map[module.Retention]time.Duration{module.AuditRows: 30 * day})
		mine, other := tenantOf(ctx), tenantOf(storagetest.Tenant(t))
		insertAudit(t, db, mine, "config.update", 40*day, 250)
		insertAudit(t, db, mine, "config.update", 29*day, 20)
		insertAudit(t, db, mine, "aggregate.rebuild", 40*day, 3)
		insertAudit(t, db, other, "config.update", 31*day, 7)
		insertAudit(t, db, 0, "unit.lost", 40*day, 2)
		exec(t, db, "INSERT INTO audit_targets (tenant_id, resource, entry_id) SELECT tenant_id, 'configs/filed', id FROM audit_entries WHERE tenant_id >= 0 AND action = 'config.update'")

		require.NoError(t, s.Turn(ctx))
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id >= 0 AND action IN ('config.update', 'unit.lost') AND created_time <= ?", noon.Add(-30*day)))
		require.Equal(t, 20, count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id = ? AND action = 'config.update'", mine))
		require.Equal(t, 20, count(t, db, "SELECT COUNT(*) FROM audit_targets WHERE tenant_id >= 0"), "the targets of the remaining entries")
		require.Equal(t, 3, count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id = ? AND action = 'aggregate.rebuild'", mine), "the versions of aggregates are counted with them")
		require.Equal(t, []string{`retention.sweep retention {"removed":{"audit_entries":{"rows":250,"until":"2026-10-23T12:00:00.000000Z"}}}`}, auditOf(t, db, mine))
		require.Equal(t, []string{`retention.sweep retention {"removed":{"audit_entries":{"rows":7,"until":"2026-10-23T12:00:00.000000Z"}}}`}, auditOf(t, db, other))
		require.InDelta(t, 259, gaugeOf(t, s, "interlock_retention_removed_rows", "audit_entries"), 0)
		require.InDelta(t, float64(noon.Add(-30*day).Unix()), gaugeOf(t, s, "interlock_retention_limit_timestamp_seconds", "audit_entries"), 0)
		says, err := Summary(ctx, db, declared)
		require.NoError(t, err)
		require.Equal(t, "audit_entries: 259 rows removed, all over before 2026-10-23T12:00:00Z; the last run ended 2026-11-22T12:00:00Z.", says)

		clk.Advance(day - time.Second)
		require.NoError(t, s.Turn(ctx))
		require.Len(t, auditOf(t, db, mine), 1, "the next run is not due yet")
		clk.Advance(time.Second)
		require.NoError(t, s.Turn(ctx))
		require.Len(t, auditOf(t, db, mine), 2)
		require.Contains(t, auditOf(t, db, mine)[1], `"rows":20`)
		require.Len(t, auditOf(t, db, other), 1, "nothing of it was removed")

		fresh := newService(db, newLocks(), clk, s.keep)
		require.NoError(t, fresh.Turn(ctx))
		require.InDelta(t, 279, gaugeOf(t, fresh, "interlock_retention_removed_rows", "audit_entries"), 0, "every process reports the same, also after a restart")
	})
}

// Proves G6.10.
func TestRowsWithoutRetentionAreNotRemoved(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := newService(db, newLocks(), clock.NewFake(noon), map[module.Retention]time.Duration{module.AuditRows: 0, module.HistoryRows: day})
		insertAudit(t, db, tenantOf(ctx), "config.update", 36_500*day, 3)
		require.NoError(t, s.Turn(ctx))
		require.Equal(t, 3, count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0"))
		s.keep = nil
		require.Empty(t, s.Background())
	})
}

// role creates a role with versions of the given ages; deleted is set for a deleted one.
func role(t *testing.T, db *storage.DB, tenant int64, id int, deleted bool, ages ...time.Duration) {
	t.Helper()
	for i, age := range ages {
		exec(t, db, `INSERT INTO role_histories (tenant_id, role_id, version, action, name, permissions, changed_by, changed_by_name, changed_time)
			VALUES (?, ?, ?, 'update', 'r', '[]', 1, 'Li', ?)`, tenant, id, i+1, noon.Add(-age))
	}
	if !deleted {
		exec(t, db, `INSERT INTO roles (tenant_id, id, version, name, created_time, updated_time, updated_by, updated_by_name) VALUES (?, ?, ?, ?, ?, ?, 1, 'Li')`,
			tenant, id, len(ages), fmt.Sprint("r", id), noon, noon)
	}
}

// Proves G6.10.
func TestOldVersionsAreRemovedExceptTheNewest(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := newService(db, newLocks(), clock.NewFake(noon), map[module.Retention]time.Duration{module.HistoryRows: 30 * day})
		tenant := tenantOf(ctx)
		role(t, db, tenant, 1, false, 90*day, 60*day, 40*day)
		role(t, db, tenant, 2, false, 90*day, 60*day, day) // 2 was current until yesterday
		role(t, db, tenant, 3, false, 90*day)
		role(t, db, tenant, 4, true, 90*day, 40*day)
		role(t, db, tenant, 5, true, 90*day, 20*day)
		require.NoError(t, s.Turn(ctx))
		var left []string
		require.NoError(t, db.Read(ctx).Raw("SELECT CONCAT(role_id, '@', version) FROM role_histories WHERE tenant_id = ? ORDER BY role_id, version", tenant).Scan(&left).Error)
		require.Equal(t, []string{"1@3", "2@2", "2@3", "3@1", "5@1", "5@2"}, left)
		require.Contains(t, auditOf(t, db, tenant)[0], `"role_histories":{"rows":5,`)
	})
}

// Proves G6.10.
func TestResumableConfigVersionsAreNotRemoved(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := newService(db, newLocks(), clock.NewFake(noon), map[module.Retention]time.Duration{module.HistoryRows: 30 * day})
		const last = 25_000
		for version, at := range []int64{last - watched - 1, last - watched, last - watched + 1, last} {
			exec(t, db, "INSERT INTO config_histories (id, tenant_id, config_id, `key`, version, action, value, value_type, value_schema, remark, note, changed_by, changed_by_name, changed_time)"+
				" VALUES (?, ?, 1, 'k', ?, 'update', '1', 'number', '', '', '', 1, 'Li', ?)", at, tenantOf(ctx), version+1, noon.Add(-90*day))
		}
		if db.Dialect == storage.MySQL {
			exec(t, db, "UPDATE config_histories SET place = id WHERE tenant_id > 0")
			exec(t, db, "UPDATE log_places SET last = ? WHERE name = 'configs'", last)
			exec(t, db, "INSERT INTO config_histories (tenant_id, config_id, `key`, version, action, value, value_type, value_schema, remark, note, changed_by, changed_by_name, changed_time)"+
				" VALUES (?, 2, 'l', 1, 'delete', '1', 'number', '', '', '', 1, 'Li', ?)", tenantOf(ctx), noon.Add(-90*day)) // it has no position yet
		}
		require.NoError(t, s.Turn(ctx))
		require.Equal(t, 2, count(t, db, "SELECT COUNT(*) FROM config_histories WHERE tenant_id > 0 AND config_id = 1"))
		if db.Dialect == storage.MySQL {
			require.Equal(t, 1, count(t, db, "SELECT COUNT(*) FROM config_histories WHERE tenant_id > 0 AND config_id = 2"), "no caller can have seen it yet")
		}
	})
}

// sale creates a flash sale's stock with a ticket, a buyer and a rejection.
func sale(t *testing.T, db *storage.DB, tenant, id int64, finished bool, age time.Duration) {
	t.Helper()
	at := noon.Add(-age)
	exec(t, db, `INSERT INTO flash_sale_stocks (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, sale_id, allotted, sold, epoch, rejected, finished)
		VALUES (?, 1, ?, ?, 1, 'Li', ?, 0, 0, 1, 1, ?)`, tenant, at, at, id, finished)
	exec(t, db, `INSERT INTO flash_sale_tickets (sale_id, ticket, tenant_id, user_id, units, state, accepted, ahead, confirmed, order_id, order_no, reason)
		VALUES (?, 'A', ?, 'u', 1, 'rejected', 1, 0, 0, 0, '', '')`, id, tenant)
	exec(t, db, "INSERT INTO flash_sale_buyers (sale_id, user_id, tenant_id, units, ticket) VALUES (?, 'u', ?, 0, 'A')", id, tenant)
	exec(t, db, "INSERT INTO flash_sale_rejections (tenant_id, ticket, sale_id, user_id, units, reason, created_time) VALUES (?, ?, ?, 'u', 1, 'sold_out', ?)", tenant, fmt.Sprint("A", id), id, at)
}

func TestTicketsAreDeletedWithTheirFinishedSale(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := newService(db, newLocks(), clock.NewFake(noon), map[module.Retention]time.Duration{module.TicketRows: 30 * day})
		tenant := tenantOf(ctx)
		sale(t, db, tenant, 1, true, 40*day)
		sale(t, db, tenant, 2, true, 20*day)
		sale(t, db, tenant, 3, false, 40*day)
		require.NoError(t, s.Turn(ctx))
		for _, table := range []string{"flash_sale_tickets", "flash_sale_buyers", "flash_sale_rejections"} {
			require.Equal(t, 2, count(t, db, "SELECT COUNT(*) FROM "+table+" WHERE tenant_id = ? AND sale_id IN (2, 3)", tenant), table)
			require.Equal(t, 2, count(t, db, "SELECT COUNT(*) FROM "+table+" WHERE tenant_id = ?", tenant), table)
		}
	})
}

// A process that ends between two steps has committed its removals and counts; the next one
// continues, and the audit log contains everything once.
// Proves G6.10.
func TestInterruptedSweepCountsEachRowOnce(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		clk := clock.NewFake(noon)
		keep := map[module.Retention]time.Duration{module.AuditRows: 30 * day}
		tenant := tenantOf(ctx)
		insertAudit(t, db, tenant, "config.update", 40*day, 950)
		first := newService(db, newLocks(), clk, keep)
		running, stop := context.WithCancel(ctx)
		defer stop()
		first.walker.Pause = func(context.Context, time.Duration) bool {
			stop() // stopped in the middle of the first pause
			return false
		}
		require.NoError(t, first.Turn(running))
		left := count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id = ?", tenant)
		require.Less(t, left, 950)
		require.Positive(t, left, "it continued after the request to end")
		require.Empty(t, auditOf(t, db, tenant))

		clk.Advance(time.Hour)
		require.NoError(t, newService(db, newLocks(), clk, keep).Turn(ctx))
		require.Equal(t, []string{`retention.sweep retention {"removed":{"audit_entries":{"rows":950,"until":"2026-10-23T12:00:00.000000Z"}}}`}, auditOf(t, db, tenant))
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM retention_tallies WHERE tenant_id > 0"))
	})
}

// The promises treat rows below the limit of the run as missing, so the limit remains.
// Proves G6.10.
func TestLongerRetentionEndsARunningSweep(t *testing.T) {
	for name, keep := range map[string]time.Duration{"a year": 365 * day, "for ever": 0} {
		t.Run(name, func(t *testing.T) { endARunByARetentionOf(t, keep) })
	}
}

func endARunByARetentionOf(t *testing.T, keep time.Duration) {
	t.Helper()
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		clk := clock.NewFake(noon)
		tenant := tenantOf(ctx)
		insertAudit(t, db, tenant, "config.update", 40*day, 950)
		first := newService(db, newLocks(), clk, map[module.Retention]time.Duration{module.AuditRows: 30 * day})
		running, stop := context.WithCancel(ctx)
		defer stop()
		first.walker.Pause = func(context.Context, time.Duration) bool {
			stop()
			return false
		}
		require.NoError(t, first.Turn(running))
		const mine = "SELECT COUNT(*) FROM audit_entries WHERE tenant_id = ? AND action = 'config.update'"
		left := count(t, db, mine, tenant)
		require.Positive(t, left)
		require.Less(t, left, 950)

		clk.Advance(time.Hour)
		longer := newService(db, newLocks(), clk, map[module.Retention]time.Duration{module.AuditRows: keep, module.HistoryRows: 365 * day})
		require.NoError(t, longer.Turn(ctx))
		require.Equal(t, left, count(t, db, mine, tenant))
		require.Equal(t, []string{fmt.Sprintf(`retention.sweep retention {"removed":{"audit_entries":{"rows":%d,"until":"2026-10-23T12:00:00.000000Z"}}}`, 950-left)}, auditOf(t, db, tenant))
		found, err := walk.States(ctx, db, kind)
		require.NoError(t, err)
		st := found["audit_entries"]
		require.False(t, st.Running())
		require.Empty(t, st.Position)
		require.Equal(t, noon.Add(-30*day), *st.UntilTime)

		clk.Advance(345 * day) // the new limit has passed the old one
		require.NoError(t, longer.Turn(ctx))
		require.Equal(t, keep == 0, count(t, db, mine, tenant) > 0)
	})
}

// Proves G6.10.
func TestProcessPausedBeyondItsLeaseRemovesNothing(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		clk := clock.NewFake(noon)
		keep := map[module.Retention]time.Duration{module.AuditRows: 30 * day}
		tenant := tenantOf(ctx)
		insertAudit(t, db, tenant, "config.update", 40*day, 300)
		// Locks without exclusion simulate a lease that was lost unnoticed.
		paused, next := newService(db, newLocks(), clk, keep), newService(db, newLocks(), clk, keep)
		once := false
		paused.walker.Pause = func(context.Context, time.Duration) bool {
			if !once {
				once = true
				require.NoError(t, next.Turn(ctx))
				// It is restored under the same key, as if the other process had not
				// removed it.
				insertAudit(t, db, tenant, "config.update", 41*day, 300)
			}
			return true
		}
		require.ErrorIs(t, paused.walker.Work(ctx, paused), walk.ErrOvertaken)
		require.Equal(t, 300, count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id = ? AND action = 'config.update'", tenant))
		require.Len(t, auditOf(t, db, tenant), 1)
		require.Contains(t, auditOf(t, db, tenant)[0], `"rows":300`)
	})
}

// leases counts the requested leases.
type leases struct {
	lock.Locker
	calls int
}

func (l *leases) Acquire(ctx context.Context, wait time.Duration, keys ...string) (lock.Lease, error) {
	l.calls++
	return l.Locker.Acquire(ctx, wait, keys...)
}

func TestNoLeaseIsAcquiredWithoutDueWork(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := &leases{Locker: newLocks()}
		s := newService(db, locks, clock.NewFake(noon), map[module.Retention]time.Duration{module.AuditRows: 30 * day})
		require.NoError(t, s.Turn(ctx))
		require.Equal(t, 1, locks.calls)
		require.NoError(t, s.Turn(ctx))
		require.Equal(t, 1, locks.calls)
		// The state after a process that ended before it reported its removals.
		exec(t, db, insertTally, 3, tenantOf(ctx), "audit_entries")
		require.NoError(t, s.Turn(ctx))
		require.Equal(t, 2, locks.calls)
		require.Contains(t, auditOf(t, db, tenantOf(ctx))[0], `"rows":3`)
	})
}

func TestOneProcessSweepsAtATime(t *testing.T) {
	db, clk, locks := storagetest.SQLite(t), clock.NewFake(noon), newLocks()
	ctx := storagetest.Tenant(t)
	keep := map[module.Retention]time.Duration{module.AuditRows: 30 * day}
	first, second := newService(db, locks, clk, keep), newService(db, locks, clk, keep)
	insertAudit(t, db, tenantOf(ctx), "config.update", 40*day, 300)
	turns := 0
	first.walker.Pause = func(context.Context, time.Duration) bool {
		before := count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0")
		require.NoError(t, second.Turn(ctx))
		require.Equal(t, before, count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0"))
		turns++
		return true
	}
	require.NoError(t, first.Turn(ctx))
	require.Positive(t, turns)
	require.NoError(t, second.Turn(ctx))
	require.InDelta(t, 300, gaugeOf(t, second, "interlock_retention_removed_rows", "audit_entries"), 0)
}

func TestSweepsPauseInProportionToTheirDuration(t *testing.T) {
	db, ctx := storagetest.SQLite(t), storagetest.Tenant(t)
	s := newService(db, newLocks(), clock.NewFake(noon), map[module.Retention]time.Duration{module.AuditRows: 30 * day})
	s.walker.Share = 0.05
	insertAudit(t, db, tenantOf(ctx), "config.update", 40*day, 900)
	var rested time.Duration
	s.walker.Pause = func(_ context.Context, d time.Duration) bool {
		rested += d
		return true
	}
	start := clock.Mark()
	require.NoError(t, s.Turn(ctx))
	took := clock.Since(start)
	require.Positive(t, rested)
	require.LessOrEqual(t, rested, 19*took)
	states, err := s.walker.States(ctx)
	require.NoError(t, err)
	require.GreaterOrEqual(t, rested, 19*time.Duration(states["audit_entries"].BusyUS)*time.Microsecond)
}

func TestStepRemovesABoundedNumberOfRows(t *testing.T) {
	db, ctx := storagetest.SQLite(t), storagetest.Tenant(t)
	s := newService(db, newLocks(), clock.NewFake(noon), map[module.Retention]time.Duration{module.AuditRows: 30 * day})
	for range 3 {
		insertAudit(t, db, tenantOf(storagetest.Tenant(t)), "config.update", 40*day, 900)
	}
	left := count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0")
	s.walker.Pause = func(context.Context, time.Duration) bool {
		now := count(t, db, "SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0")
		require.LessOrEqual(t, left-now, walk.MaxRows)
		left = now
		return true
	}
	require.NoError(t, s.Turn(ctx))
	require.LessOrEqual(t, left, walk.MaxRows)
}
