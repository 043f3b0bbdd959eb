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
	"interlock/internal/base/encryption"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/config"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/test/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// registry is the service of configs.
type registry struct {
	*config.Service
	*world.World
	t         testing.TB
	approvals *approvals.Service
	// deadlocks counts the units that the engine rolled back because of a write conflict.
	deadlocks atomic.Int64
}

// UnitRetried implements uow.Observer.
func (w *registry) UnitRetried(reason string) {
	if reason == "write_conflict" {
		w.deadlocks.Add(1)
	}
}

// UnitEnded implements uow.Observer.
func (w *registry) UnitEnded(string) {}

func newRegistry(t testing.TB, ctx context.Context, db *storage.DB) *registry {
	w := &registry{t: t}
	w.World = world.New(ctx, t, db, world.Options{Observer: w})
	require.NoError(t, w.Epochs.Check(ctx))
	w.approvals = approvals.New(approvals.Deps{DB: db, Bus: w.Bus, Clock: w.Clock, Tenancy: approvalstest.OneVote{}})
	w.Service = w.serviceWith(testCipher(t))
	return w
}

func (w *registry) serviceWith(c encryption.Cipher) *config.Service {
	return config.New(config.Deps{DB: w.DB, Bus: w.Bus, Clock: w.Clock, Epochs: w.Epochs, Approvals: w.approvals, Cipher: c})
}

const testKey = "test:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

func testCipher(t testing.TB) encryption.Cipher {
	c, err := encryption.New([]string{testKey})
	require.NoError(t, err)
	return c
}

// as returns the context of an admin of the same tenant with another name.
func (w *registry) as(name string) context.Context {
	p, _ := principal.From(w.Ctx)
	p.Name = name
	return principal.With(w.Ctx, p)
}

func (w *registry) do(ctx context.Context, fn func(ctx context.Context, u *uow.Unit) error) error {
	return w.Runner.Do(ctx, fn)
}

func (w *registry) create(key string, content config.Content) *config.Config {
	w.t.Helper()
	var row *config.Config
	require.NoError(w.t, w.do(w.Ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		row, err = w.Create(ctx, u, key, content)
		return err
	}))
	return row
}

// edit applies a merge patch like the PATCH handler.
func (w *registry) edit(ctx context.Context, key string, ref guard.Ref, patch string, disjoint bool) (change.Edited[*config.Config], error) {
	tree, err := merge.Parse([]byte(patch))
	require.NoError(w.t, err)
	var edited change.Edited[*config.Config]
	err = w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
		edited, err = w.EditKey(ctx, u, key, change.Edit{IfMatch: guard.Precondition{Ref: ref}, Patch: tree, MergeDisjoint: disjoint})
		return err
	})
	return edited, err
}

func (w *registry) mustEdit(key string, ref guard.Ref, patch string) *config.Config {
	w.t.Helper()
	edited, err := w.edit(w.Ctx, key, ref, patch, false)
	require.NoError(w.t, err)
	return edited.Row
}

func (w *registry) delete(key string, ref guard.Ref) error {
	return w.do(w.Ctx, func(ctx context.Context, u *uow.Unit) error {
		row, err := w.Get(ctx, key)
		if err != nil {
			return err
		}
		return w.Delete(ctx, u, row, guard.Precondition{Ref: ref})
	})
}

func (w *registry) rollback(key string, to config.Rollback) (row *config.Config, err error) {
	err = w.do(w.Ctx, func(ctx context.Context, u *uow.Unit) error {
		before, err := w.Get(ctx, key)
		if err != nil {
			return err
		}
		row, err = w.Rollback(ctx, u, before, to)
		return err
	})
	return row, err
}

func (w *registry) get(key string) *config.Config {
	w.t.Helper()
	row, err := w.Get(w.Ctx, key)
	require.NoError(w.t, err)
	return row
}

// historyOf returns the versions of a key, newest first.
func (w *registry) historyOf(key string) []config.History {
	w.t.Helper()
	listing, err := w.History(w.Ctx, key, storage.Page{Limit: storage.MaxLimit})
	require.NoError(w.t, err)
	return listing.Rows
}

func (w *registry) count(table string) int64 {
	w.t.Helper()
	return w.CountRows(w.t, table, "1 = 1")
}

// traces counts the rows that writes insert.
type traces struct{ configs, histories, audits int64 }

func (w *registry) traces() traces {
	w.t.Helper()
	return traces{w.count("configs"), w.count("config_histories"), w.count("audit_entries")}
}

func text(value string) config.Content {
	return config.Content{Value: `"` + value + `"`, ValueType: config.String}
}

func object(value string) config.Content {
	return config.Content{Value: value, ValueType: config.JSON}
}

// problemOf returns the error of a caller, which must have the code.
func problemOf(t testing.TB, err error, code apperr.Code) *apperr.Error {
	t.Helper()
	var e *apperr.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, code, e.Code, e.Error())
	return e
}

// rejectedWith requires that err has the code.
func rejectedWith(t testing.TB, err error, code apperr.Code) {
	t.Helper()
	require.True(t, apperr.Has(err, code), "want %s, got %v", code, err)
}

// pointers lists the pointers of violations.
func pointers(fields []apperr.Field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Pointer
	}
	return list
}
