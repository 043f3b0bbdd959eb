// Package world is the fixture that the tests of all domains share: a database, a fake clock, locks,
// an event bus, a runner of units, stored replies, and callers over HTTP. It contains no domain; the
// test adds its services and their routes.
package world

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/edge/idempotency"
	"interlock/internal/events"
	"interlock/internal/lock"
)

// Opening is the time at which the clock of a world starts.
var Opening = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// Object is a JSON object.
type Object = map[string]any

// World is one process on a database. The embedded caller acts as the principal of Ctx.
type World struct {
	*httpapitest.Caller
	Ctx     context.Context
	DB      *storage.DB
	Clock   *clock.Fake
	Locks   lock.Locker
	Bus     *events.InProcess
	Epochs  *epoch.Watch
	Runner  *uow.Runner
	Replies *idempotency.ReplyStore
}

// Options replaces parts of a world. A zero field is the default.
type Options struct {
	// Locks are in process by default. Worlds with default locks on one database are replicas that
	// do not see each other's locks.
	Locks lock.Locker
	// Clock starts at Opening by default.
	Clock *clock.Fake
	// Observer receives the outcomes of units; nil for none.
	Observer uow.Observer
	// Replies changes how replies are stored; nil for no change.
	Replies func(d *idempotency.Deps)
}

// New returns a world on a database whose requests act as the principal of ctx.
func New(ctx context.Context, t testing.TB, db *storage.DB, o Options) *World {
	t.Helper()
	now := cmp.Or(o.Clock, clock.NewFake(Opening))
	locks := cmp.Or[lock.Locker](o.Locks, lock.NewInProcess(lock.Observer{}))
	w := &World{Ctx: ctx, DB: db, Clock: now, Locks: locks, Bus: events.NewInProcess(64), Epochs: epoch.NewWatch(db, now)}
	t.Cleanup(w.Bus.Close)
	w.Runner = uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: now, Observer: o.Observer})
	replies := idempotency.Deps{DB: db, Locks: locks, Clock: now, Epochs: w.Epochs}
	if o.Replies != nil {
		o.Replies(&replies)
	}
	w.Replies = idempotency.New(replies)
	return w
}

// Serve adds the routes that callers reach.
func (w *World) Serve(routes func(r *httpapi.Router)) {
	w.Caller = httpapitest.NewKeyed(w.Ctx, w.Runner, w.Replies, routes)
}

// Actor returns a context of another admin of the tenant. Without permissions it has those of Ctx.
func (w *World) Actor(id int64, name string, permissions ...string) context.Context {
	p, _ := principal.From(w.Ctx)
	p.UserID, p.Name = id, name
	if len(permissions) > 0 {
		p.Permissions = slices.Clone(permissions)
	}
	return principal.With(w.Ctx, p)
}

// As returns a caller that acts as another admin of the tenant; see [World.Actor].
func (w *World) As(id int64, name string, permissions ...string) *httpapitest.Caller {
	return w.For(w.Actor(id, name, permissions...))
}

// Tenant returns the id of the tenant of Ctx.
func (w *World) Tenant() int64 {
	p, _ := principal.From(w.Ctx)
	return p.TenantID
}

// Count returns how many rows of a model in the tenant meet the condition.
func (w *World) Count(t testing.TB, model any, condition string, args ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, w.DB.Read(w.Ctx).Model(model).Where(condition, args...).Count(&n).Error)
	return n
}

// CountRows returns how many rows of a table in the tenant meet the condition.
func (w *World) CountRows(t testing.TB, table, condition string, args ...any) int64 {
	t.Helper()
	var n int64
	rows := w.DB.Read(w.Ctx).Raw("SELECT COUNT(*) FROM "+table+" WHERE tenant_id = ? AND "+condition, append([]any{w.Tenant()}, args...)...)
	require.NoError(t, rows.Scan(&n).Error)
	return n
}

// FreezeReads makes the reads of a table in units return the rows of the first of these reads, until
// resume is called. It simulates a holder that pauses between its read and its write.
func (w *World) FreezeReads(t testing.TB, table string) (resume func()) {
	t.Helper()
	var mu sync.Mutex
	var frozen reflect.Value
	resumed := false
	require.NoError(t, w.DB.Write(w.Ctx).Callback().Query().After("gorm:query").Register("test:freeze", func(tx *gorm.DB) {
		rows := reflect.Indirect(reflect.ValueOf(tx.Statement.Dest))
		mu.Lock()
		defer mu.Unlock()
		if resumed || tx.Statement.Table != table || rows.Kind() != reflect.Slice {
			return
		}
		if !frozen.IsValid() {
			frozen = copyOf(rows)
		}
		rows.Set(copyOf(frozen))
		tx.RowsAffected = int64(rows.Len())
	}))
	return func() {
		mu.Lock()
		defer mu.Unlock()
		resumed = true
	}
}

func copyOf(rows reflect.Value) reflect.Value {
	return reflect.AppendSlice(reflect.MakeSlice(rows.Type(), 0, rows.Len()), rows)
}

// ID returns the id in a representation.
func ID(representation Object) int64 { return int64(representation["id"].(float64)) }

// Members returns the values of some members of an object.
func Members(object Object, names ...string) []any {
	values := make([]any, len(names))
	for i, name := range names {
		values[i] = object[name]
	}
	return values
}

// Tally counts responses by their status codes.
func Tally(answers []httpapitest.Answer) map[int]int {
	counts := map[int]int{}
	for _, a := range answers {
		counts[a.Status]++
	}
	return counts
}
