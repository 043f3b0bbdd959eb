package config_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/approvals"
	"interlock/internal/approvals/approvalstest"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/epoch"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/config"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/lock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a service on one engine, and what the tests look at behind it.
type world struct {
	*config.Service
	t      testing.TB
	ctx    context.Context
	db     *storage.DB
	runner *uow.Runner
	bus    *events.InProcess
	// deadlocks counts the units that the engine gave up for another.
	epochs    *epoch.Watch
	deadlocks atomic.Int64
	approvals *approvals.Service
}

// UnitRetried implements uow.Observer.
func (w *world) UnitRetried(reason string) {
	if reason == "write_conflict" {
		w.deadlocks.Add(1)
	}
}

// UnitEnded implements uow.Observer.
func (w *world) UnitEnded(string) {}

func newWorld(t testing.TB, ctx context.Context, db *storage.DB) *world {
	bus := events.NewInProcess(64)
	t.Cleanup(bus.Close)
	epochs := epoch.NewWatch(db, clock.System{})
	require.NoError(t, epochs.Look(ctx))
	w := &world{
		t: t, ctx: ctx, db: db, bus: bus, epochs: epochs,
	}
	w.approvals = approvals.New(approvals.Deps{DB: db, Bus: bus, Clock: clock.System{}, Tenancy: approvalstest.OneVote{}})
	w.Service = config.New(config.Deps{DB: db, Bus: bus, Clock: clock.System{}, Epochs: epochs, Approvals: w.approvals, Cipher: testCipher(t)})
	w.runner = uow.NewRunner(uow.Options{
		DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}, Observer: w,
	})
	return w
}

const testKey = "test:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

func testCipher(t testing.TB) encryption.Cipher {
	c, err := encryption.New([]string{testKey})
	require.NoError(t, err)
	return c
}

// as returns the context of an admin of the same tenant with another name.
func (w *world) as(name string) context.Context {
	p, _ := principal.From(w.ctx)
	p.Name = name
	return principal.With(w.ctx, p)
}

func (w *world) do(ctx context.Context, fn func(ctx context.Context, u *uow.Unit) error) error {
	return w.runner.Do(ctx, fn)
}

func (w *world) create(key string, content config.Content) *config.Config {
	w.t.Helper()
	var row *config.Config
	require.NoError(w.t, w.do(w.ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		row, err = w.Create(ctx, u, key, content)
		return err
	}))
	return row
}

// edit sends a merge patch as the PATCH handler does.
func (w *world) edit(ctx context.Context, key string, ref guard.Ref, patch string, disjoint bool) (change.Edited[*config.Config], error) {
	tree, err := merge.Parse([]byte(patch))
	require.NoError(w.t, err)
	var edited change.Edited[*config.Config]
	err = w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
		edited, err = w.EditKey(ctx, u, key, change.Edit{IfMatch: guard.Precondition{Ref: ref}, Patch: tree, MergeDisjoint: disjoint})
		return err
	})
	return edited, err
}

func (w *world) mustEdit(key string, ref guard.Ref, patch string) *config.Config {
	w.t.Helper()
	edited, err := w.edit(w.ctx, key, ref, patch, false)
	require.NoError(w.t, err)
	return edited.Row
}

func (w *world) delete(key string, ref guard.Ref) error {
	return w.do(w.ctx, func(ctx context.Context, u *uow.Unit) error {
		row, err := w.Get(ctx, key)
		if err != nil {
			return err
		}
		return w.Delete(ctx, u, row, guard.Precondition{Ref: ref})
	})
}

func (w *world) rollback(key string, to config.Rollback) (row *config.Config, err error) {
	err = w.do(w.ctx, func(ctx context.Context, u *uow.Unit) error {
		before, err := w.Get(ctx, key)
		if err != nil {
			return err
		}
		row, err = w.Rollback(ctx, u, before, to)
		return err
	})
	return row, err
}

func (w *world) get(key string) *config.Config {
	w.t.Helper()
	row, err := w.Get(w.ctx, key)
	require.NoError(w.t, err)
	return row
}

// historyOf returns the versions of a key, newest first.
func (w *world) historyOf(key string) []config.History {
	w.t.Helper()
	listing, err := w.History(w.ctx, key, storage.Page{Limit: storage.MaxLimit})
	require.NoError(w.t, err)
	return listing.Rows
}

func (w *world) count(table string) int64 {
	w.t.Helper()
	p, _ := principal.From(w.ctx)
	var n int64
	require.NoError(w.t, w.db.Read(w.ctx).Raw("SELECT COUNT(*) FROM "+table+" WHERE tenant_id = ?", p.TenantID).Scan(&n).Error)
	return n
}

// traces are the rows that writes leave.
type traces struct{ configs, histories, audits int64 }

func (w *world) traces() traces {
	w.t.Helper()
	return traces{w.count("configs"), w.count("config_histories"), w.count("audit_entries")}
}

func text(value string) config.Content {
	return config.Content{Value: `"` + value + `"`, ValueType: config.String}
}

func object(value string) config.Content {
	return config.Content{Value: value, ValueType: config.JSON}
}

// problemOf is the error that a caller sees, which must have the code.
func problemOf(t testing.TB, err error, code apperr.Code) *apperr.Error {
	t.Helper()
	var e *apperr.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code, e.Error())
	return e
}

// refusedWith requires that err is a refusal with the code.
func refusedWith(t testing.TB, err error, code apperr.Code) {
	t.Helper()
	require.True(t, apperr.Has(err, code), "want %s, got %v", code, err)
}

// pointers lists where an error says that something is wrong.
func pointers(fields []apperr.Field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Pointer
	}
	return list
}
