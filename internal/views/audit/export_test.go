package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
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

// follower exports as a SIEM does: it keeps the cursor and nothing else.
type follower struct {
	log    *audit.Log
	cursor *audit.Cursor
	seen   []string
	gone   []string
}

// poll exports once, and reports whether there is more.
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

func TestWhoExportsWithTheCursorSeesEachEntryOnceHoweverLateItIsCommitted(t *testing.T) {
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
		// Two servers that are asked at once number the same log.
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

func TestAnEntryThatIsCommittedAfterOnesWithHigherIDsIsExported(t *testing.T) {
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

func TestAnExportThatCannotGoOnIsToldWhy(t *testing.T) {
	storagetest.Alone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		clk := clock.NewFake(time.Now())
		log := audit.NewLog(db)
		add := func(resource string, age time.Duration) {
			row(t, db.Write(ctx), p.TenantID, resource, clk.Now().Add(-age))
		}
		sweep := func() {
			locks := lock.NewInProcess(lock.Observer{})
			s := retention.New(retention.Deps{
				DB: db, Locks: locks, Clock: clk, Share: 1, Every: time.Nanosecond, Keep: map[retention.Kind]time.Duration{retention.Audit: 30 * 24 * time.Hour},
				Runner: uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: clk}),
			})
			clk.Advance(time.Second)
			require.NoError(t, s.Turn(ctx))
		}
		add("things/1", 50*24*time.Hour)
		ahead, behind := &follower{log: log}, &follower{log: log}
		ahead.poll(t, ctx)
		behind.poll(t, ctx)
		add("things/2", 40*24*time.Hour)
		sweep()
		require.Equal(t, []string{"things/2"}, resourcesOf(t, db, p.TenantID), "it has no place yet, so nobody could be told that it went")
		ahead.poll(t, ctx)
		add("things/3", time.Hour)
		sweep()
		for ahead.poll(t, ctx) {
		}
		require.Equal(t, []string{"things/1", "things/2", "things/3"}, dropSweeps(ahead.seen))
		require.Empty(t, ahead.gone, "it had seen what was removed")
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
		require.Equal(t, []string{"things/1", "things/2", "things/3", "things/3"}, dropSweeps(ahead.seen), "from the beginning of what is there")
	})
}

// dropSweeps leaves out the entries that tell of removals.
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

func TestACursorIsReadAsItWasWritten(t *testing.T) {
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
