package viewstest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
	"interlock/internal/module"
	"interlock/internal/views/audit"
	"interlock/internal/views/retention"
)

// exportLine is any line of an export.
type exportLine struct {
	Resource string
	Cursor   *audit.Cursor
	Entries  int
	More     bool
	Gone     string
}

// follower exports like a SIEM: it stores only the cursor.
type follower struct {
	log    *audit.Log
	cursor *audit.Cursor
	seen   []string
	gone   []string
}

// poll exports once, and reports whether more entries are available.
func (f *follower) poll(t *testing.T, ctx context.Context) bool {
	t.Helper()
	lines, _, err := f.log.Export(ctx, f.cursor)
	require.NoError(t, err)
	texts := bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n"))
	for i, text := range texts {
		var line exportLine
		require.NoError(t, json.Unmarshal(text, &line))
		if i < len(texts)-1 {
			require.NotEmpty(t, line.Resource)
			f.seen = append(f.seen, line.Resource)
			continue
		}
		require.Equal(t, len(texts)-1, line.Entries)
		f.cursor = line.Cursor
		if line.Gone != "" {
			f.gone = append(f.gone, line.Gone)
		}
		return line.More
	}
	return false
}

// Proves G6.9.
func TestExportsByCursorHaveEachLateEntryOnce(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
		const writers, each = 8, 40
		var want []string
		var writing sync.WaitGroup
		for w := range writers {
			for n := range each {
				want = append(want, fmt.Sprintf("things/%d-%d", w, n))
			}
			writing.Go(func() {
				for n := range each {
					err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
						u.Audit(uow.Entry{Action: "thing.create", Resource: fmt.Sprintf("things/%d-%d", w, n)})
						u.BeforeCommit(func(context.Context, *gorm.DB) error {
							clock.Sleep(ctx, time.Duration(rand.IntN(4))*time.Millisecond)
							return nil
						})
						return guard.Insert(ctx, u, &storagetest.Thing{Name: fmt.Sprintf("%d-%d", w, n)})
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		ended := make(chan struct{})
		go func() {
			writing.Wait()
			close(ended)
		}()
		// Two servers number the same log concurrently.
		followers := []*follower{{log: audit.NewLog(db)}, {log: audit.NewLog(db)}}
		for done := false; !done; {
			select {
			case <-ended:
				done = true
			default:
			}
			var polling sync.WaitGroup
			for _, f := range followers {
				polling.Go(func() {
					for f.poll(t, ctx) {
					}
				})
			}
			polling.Wait()
		}
		for _, f := range followers {
			require.ElementsMatch(t, want, f.seen)
			require.Empty(t, f.gone)
			require.Equal(t, followers[0].seen, f.seen, "in one order")
			require.False(t, f.poll(t, ctx))
			require.Len(t, f.seen, len(want), "nothing new")
		}
	})
}

// row adds an audit entry in a transaction.
func row(t *testing.T, tx *gorm.DB, tenant int64, resource string, at time.Time) {
	t.Helper()
	require.NoError(t, tx.Exec(`INSERT INTO audit_entries (tenant_id, unit_id, request_id, actor_kind, actor_id, actor_name, action, resource, detail, created_time)
		VALUES (?, ?, '', 'admin', '1', 'Li', 'thing.create', ?, '{}', ?)`, tenant, fmt.Sprint(rand.Uint64()), resource, at).Error)
}

// Proves G6.9.
func TestEntryCommittedAfterHigherIDsIsExported(t *testing.T) {
	db, ctx := storagetest.MariaDB(t), storagetest.Tenant(t)
	p, _ := principal.From(ctx)
	f := &follower{log: audit.NewLog(db)}
	late, err := db.Begin(ctx, ctx)
	require.NoError(t, err)
	row(t, late, p.TenantID, "things/late", time.Now().UTC())
	row(t, db.Write(ctx), p.TenantID, "things/early", time.Now().UTC())
	f.poll(t, ctx)
	require.Equal(t, []string{"things/early"}, f.seen)
	require.NoError(t, db.Commit(late))
	f.poll(t, ctx)
	require.Equal(t, []string{"things/early", "things/late"}, f.seen)
}

// sweepOld removes the audit entries that are older than 30 days.
func sweepOld(t *testing.T, ctx context.Context, db *storage.DB, clk *clock.Fake) {
	t.Helper()
	locks := lock.NewInProcess(lock.Observer{})
	s := retention.New(retention.Deps{
		Tables: audit.Declaration.Tables,
		DB:     db, Locks: locks, Clock: clk, Share: 1, Every: time.Nanosecond, Keep: map[module.Retention]time.Duration{module.AuditRows: 30 * 24 * time.Hour},
		Runner: uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: clk}),
	})
	clk.Advance(time.Second)
	require.NoError(t, s.Turn(ctx))
}

// Proves G6.9.
func TestExportThatCannotResumeReturnsTheReason(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		clk := clock.NewFake(time.Now())
		log := audit.NewLog(db)
		add := func(resource string, age time.Duration) {
			row(t, db.Write(ctx), p.TenantID, resource, clk.Now().Add(-age))
		}
		sweep := func() { sweepOld(t, ctx, db, clk) }
		add("things/1", 50*24*time.Hour)
		ahead, behind := &follower{log: log}, &follower{log: log}
		ahead.poll(t, ctx)
		behind.poll(t, ctx)
		add("things/2", 40*24*time.Hour)
		sweep()
		require.Equal(t, []string{"things/2"}, resourcesOf(t, db, p.TenantID), "it has no position yet, so its removal could not be reported")
		ahead.poll(t, ctx)
		add("things/3", time.Hour)
		sweep()
		for ahead.poll(t, ctx) {
		}
		require.Equal(t, []string{"things/1", "things/2", "things/3"}, dropSweeps(ahead.seen))
		require.Empty(t, ahead.gone, "it had read the removed entries")
		for behind.poll(t, ctx) {
		}
		require.Equal(t, []string{"removed"}, behind.gone)
		require.Equal(t, []string{"things/1", "things/3"}, dropSweeps(behind.seen))
		fresh := &follower{log: log}
		for fresh.poll(t, ctx) {
		}
		require.Empty(t, fresh.gone)
		require.Equal(t, []string{"things/3"}, dropSweeps(fresh.seen))

		now, err := epoch.Read(ctx, db)
		require.NoError(t, err)
		_, err = epoch.Change(ctx, db, now, clk.Now(), "It was restored.")
		require.NoError(t, err)
		for ahead.poll(t, ctx) {
		}
		require.Equal(t, []string{"restored"}, ahead.gone)
		require.Equal(t, []string{"things/1", "things/2", "things/3", "things/3"}, dropSweeps(ahead.seen), "from the first existing entry")
	})
}

// An entry that is removed during an export is in it, or is reported as removed.
// Proves G6.9.
func TestExportSkipsNothingDuringRemoval(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		clk := clock.NewFake(time.Now())
		log := audit.NewLog(db)
		f := &follower{log: log}
		for i, age := range []int{50, 40, 1} {
			row(t, db.Write(ctx), p.TenantID, fmt.Sprint("things/", i+1), clk.Now().Add(-time.Duration(age)*24*time.Hour))
			if i == 0 {
				f.poll(t, ctx)
			}
		}
		swept := false
		require.NoError(t, db.Read(ctx).Callback().Query().Before("gorm:query").Register("test:sweep", func(tx *gorm.DB) {
			if tx.Statement.Table == "audit_entries" && !swept {
				swept = true
				sweepOld(t, ctx, db, clk)
			}
		}))
		for f.poll(t, ctx) {
		}
		require.True(t, swept)
		require.Equal(t, []string{"things/3"}, resourcesOf(t, db, p.TenantID))
		require.Equal(t, []string{"things/1", "things/2", "things/3"}, dropSweeps(f.seen))
		require.Empty(t, f.gone)
	})
}

// The first numbering of a log and a removal from it exclude each other.
// Proves G6.9.
func TestEntryRemovedDuringNumberingIsReported(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		clk := clock.NewFake(time.Now())
		for i, age := range []int{50, 40, 1} {
			row(t, db.Write(ctx), p.TenantID, fmt.Sprint("things/", i+1), clk.Now().Add(-time.Duration(age)*24*time.Hour))
		}
		exported := make(chan struct{})
		var once sync.Once
		require.NoError(t, db.Write(ctx).Callback().Raw().Before("gorm:raw").Register("test:export", func(tx *gorm.DB) {
			if !strings.HasPrefix(tx.Statement.SQL.String(), "DELETE FROM audit_entries") {
				return
			}
			once.Do(func() {
				go func() {
					defer close(exported)
					_, _, err := audit.NewLog(db).Export(ctx, nil)
					if err != nil {
						t.Error(err)
					}
				}()
				select {
				case <-exported:
				case <-time.After(300 * time.Millisecond): // it waits for the lock
				}
			})
		}))
		sweepOld(t, ctx, db, clk)
		<-exported
		var there, last, floor int
		read := db.Read(storage.AcrossTenants(ctx))
		require.NoError(t, read.Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id = ? AND place IS NOT NULL", p.TenantID).Scan(&there).Error)
		require.NoError(t, read.Raw("SELECT last FROM log_places WHERE name = ?", fmt.Sprint("audit:", p.TenantID)).Scan(&last).Error)
		require.NoError(t, read.Raw("SELECT last FROM log_places WHERE name = ?", fmt.Sprint("audit-floor:", p.TenantID)).Scan(&floor).Error)
		require.Equal(t, last-floor, there, "%d positions were assigned, and the highest known removed one is %d", last, floor)
	})
}

func TestNumberedLogIsNotWritten(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		log := audit.NewLog(db)
		row(t, db.Write(ctx), p.TenantID, "things/1", time.Now().UTC())
		(&follower{log: log}).poll(t, ctx)
		writer, err := db.Begin(storage.AcrossTenants(ctx), ctx)
		require.NoError(t, err)
		defer writer.Rollback()
		require.NoError(t, writer.Exec("UPDATE log_places SET last = last WHERE name = ?", fmt.Sprint("audit:", p.TenantID)).Error)
		soon, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		whole, err := log.NumberLogs(soon)
		require.NoError(t, err, "it waits for no writer")
		require.True(t, whole)
	})
}

// Proves G6.9.
func TestFailingLogDoesNotBlockTheOthers(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		log := audit.NewLog(db)
		(&follower{log: log}).poll(t, ctx)
		row(t, db.Write(ctx), p.TenantID, "things/1", time.Now().UTC())
		everywhere := storage.AcrossTenants(ctx)
		require.NoError(t, db.Write(everywhere).Exec("INSERT INTO log_places (name, last) VALUES ('audit:0-damaged', 0)").Error)
		whole, err := log.NumberLogs(ctx)
		require.ErrorContains(t, err, "audit:0-damaged")
		require.False(t, whole)
		var places []int
		require.NoError(t, db.Read(everywhere).Raw("SELECT place FROM audit_entries WHERE tenant_id = ? AND place IS NOT NULL", p.TenantID).Scan(&places).Error)
		require.Equal(t, []int{1}, places)
	})
}

// dropSweeps removes the entries about removals.
func dropSweeps(resources []string) (others []string) {
	for _, resource := range resources {
		if resource != "retention" {
			others = append(others, resource)
		}
	}
	return others
}

func resourcesOf(t *testing.T, db *storage.DB, tenant int64) (resources []string) {
	t.Helper()
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT resource FROM audit_entries WHERE tenant_id = ? AND resource <> 'retention' ORDER BY id", tenant).Scan(&resources).Error)
	return resources
}

func TestCursorRoundTrips(t *testing.T) {
	for _, cursor := range []audit.Cursor{{}, {Epoch: "0190f5c2-8f0e-7c3a-9a57-0d8f6b8f3a11", Place: 17, Floor: 3}} {
		text, err := cursor.MarshalText()
		require.NoError(t, err)
		var back audit.Cursor
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, cursor, back)
	}
	for _, text := range []string{"", "17", "a-b", "a-1-x", "a--1-2-", "a-1--2"} {
		require.Error(t, new(audit.Cursor).UnmarshalText([]byte(text)), text)
	}
}

func TestPartlyNumberedLogReportsWhetherComplete(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		counter := fmt.Sprint("audit:", p.TenantID)
		everywhere := storage.AcrossTenants(ctx)
		require.NoError(t, db.Write(everywhere).Exec("INSERT INTO log_places (name, last) VALUES (?, 0)", counter).Error)
		for n := range 501 {
			row(t, db.Write(ctx), p.TenantID, fmt.Sprint("things/", n), time.Now().UTC())
		}
		log := storage.SequencedLog{Table: "audit_entries", Counter: counter, Next: func(tx *gorm.DB, most int) (ids []int64, err error) {
			err = tx.Raw("SELECT id FROM audit_entries WHERE tenant_id = ? AND place IS NULL ORDER BY id LIMIT ?", p.TenantID, most).Scan(&ids).Error
			return ids, err
		}}
		for _, all := range []bool{false, true} {
			whole, err := db.Sequence(everywhere, log, 1)
			require.NoError(t, err)
			require.Equal(t, all, whole)
		}
	})
}
