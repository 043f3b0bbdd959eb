package promises

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/core/walk"
	"interlock/internal/edge/idempotency"
	"interlock/internal/events"
	"interlock/internal/lock"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// newService returns a Service with turns that end when no promise is due.
func newService(db *storage.DB, locks lock.Locker, clk clock.Clock, bus events.Bus) *Service {
	s := New(Deps{
		Promises: declared,
		DB:       db, Locks: locks, Bus: bus, Clock: clk, Share: 1, Replies: idempotency.New(idempotency.Deps{DB: db, Locks: locks, Clock: clk, Epochs: epoch.NewWatch(db, clk)}),
		Runner: uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: clk}), SelfApproval: noSelfApproval{},
	})
	s.walker.Pause = func(_ context.Context, d time.Duration) bool { return d < time.Second }
	return s
}

// noSelfApproval are tenants in which other users approve refunds.
type noSelfApproval struct{}

func (noSelfApproval) SelfApproval(context.Context) (bool, error) { return false, nil }

func newLocks() lock.Locker { return lock.NewInProcess(lock.Observer{}) }

// openWorkOrders creates work orders without an assignee; an open one with an assignee
// breaks a promise, and their missing history breaks another one.
func openWorkOrders(t *testing.T, ctx context.Context, db *storage.DB, n int) {
	t.Helper()
	p, _ := principal.From(ctx)
	for range n {
		require.NoError(t, db.Write(ctx).Exec(`INSERT INTO work_orders (tenant_id, version, created_time, updated_time, updated_by, updated_by_name,
			created_by, created_by_name, title, body, priority, status, holder_name, resolution, comments)
			VALUES (?, 0, ?, ?, 1, 'Li', 1, 'Li', 'Call back', '', 1, 0, '', '', 0)`, p.TenantID, noon, noon).Error)
	}
}

func hold(t *testing.T, ctx context.Context, db *storage.DB, holder any) {
	t.Helper()
	require.NoError(t, db.Write(ctx).Exec("UPDATE work_orders SET holder_id = ? WHERE tenant_id > 0 AND id = (SELECT id FROM (SELECT MAX(id) AS id FROM work_orders) l)", holder).Error)
}

func states(t *testing.T, ctx context.Context, s *Service) map[string]*walk.State {
	t.Helper()
	states, err := s.walker.States(ctx)
	require.NoError(t, err)
	return states
}

func promiseOf(t *testing.T, s *Service, ctx context.Context, name string) promiseView {
	t.Helper()
	list, err := s.list(ctx)
	require.NoError(t, err)
	for _, p := range list.Promises {
		if p.Name == name {
			return p
		}
	}
	require.Failf(t, "no promise", "%s", name)
	return promiseView{}
}

func auditedActions(t *testing.T, ctx context.Context, db *storage.DB) []string {
	t.Helper()
	var list []string
	var rows []struct{ Action, Resource, Detail string }
	require.NoError(t, db.Read(ctx).Raw("SELECT action, resource, detail FROM audit_entries WHERE tenant_id > 0 AND resource LIKE 'promises/%' ORDER BY id").Scan(&rows).Error)
	for _, row := range rows {
		list = append(list, row.Action+" "+row.Resource+" "+row.Detail)
	}
	return list
}

// Proves C3.
func TestViolationAndRepairArePublishedOncePerPass(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		clk, bus := clock.NewFake(noon), events.NewInProcess(64)
		defer bus.Close()
		s := newService(db, newLocks(), clk, bus)
		heard, err := bus.Subscribe(ctx, Topic)
		require.NoError(t, err)
		openWorkOrders(t, ctx, db, 250) // several steps
		const name = "work-order-holders"

		require.Equal(t, stateUnknown, promiseOf(t, s, ctx, name).State, "before the first look has ended")
		require.NoError(t, s.turn(ctx))
		before := promiseOf(t, s, ctx, name)
		require.Equal(t, stateKept, before.State)
		require.EqualValues(t, 250, before.Rows)
		require.Equal(t, noon, before.LastTrueTime.UTC())
		require.Empty(t, auditedActions(t, ctx, db))

		hold(t, ctx, db, 7)
		require.NoError(t, s.turn(ctx))
		require.Equal(t, stateKept, promiseOf(t, s, ctx, name).State, "the next look is not due yet")
		for range 2 { // known violations are not reported again
			clk.Advance(passEvery)
			require.NoError(t, s.turn(ctx))
		}
		broken := promiseOf(t, s, ctx, name)
		require.Equal(t, stateViolated, broken.State)
		require.Equal(t, noon, broken.LastTrueTime.UTC(), "when the last look had ended in which it was not there")
		require.Equal(t, noon.Add(2*passEvery), broken.LookedTime.UTC())
		require.Len(t, broken.Violations, 1)
		require.Equal(t, noon.Add(passEvery), broken.Violations[0].FoundTime.UTC())
		subject := broken.Violations[0].Subject
		require.Regexp(t, `^work-orders/\d+$`, subject)
		require.Len(t, auditedActions(t, ctx, db), 1)
		require.Equal(t, `promise.violate promises/work-order-holders {"subjects":["`+subject+`"]}`, auditedActions(t, ctx, db)[0])
		require.InDelta(t, 1, gaugeOf(t, s, "interlock_promise_violations", name), 0)
		require.InDelta(t, float64(noon.Unix()), gaugeOf(t, s, "interlock_promise_last_true_timestamp_seconds", name), 0)
		require.Equal(t, name, (<-heard.Deliveries()).Event.Key)

		stranger := principal.With(t.Context(), principal.Principal{TenantID: 1 << 40})
		require.Equal(t, stateKept, promiseOf(t, s, stranger, name).State, "violations of another tenant are invisible")

		hold(t, ctx, db, nil)
		clk.Advance(passEvery)
		require.NoError(t, s.turn(ctx))
		require.Equal(t, stateKept, promiseOf(t, s, ctx, name).State)
		require.Len(t, auditedActions(t, ctx, db), 2)
		require.Contains(t, auditedActions(t, ctx, db)[1], "promise.restore promises/work-order-holders")
		require.Zero(t, gaugeOf(t, s, "interlock_promise_violations", name))
	})
}

func gaugeOf(t *testing.T, s *Service, metric, promise string) float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(s.Collectors()...)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, m := range family.Metric {
			if family.GetName() == metric && m.Label[0].GetValue() == promise {
				return m.Gauge.GetValue()
			}
		}
	}
	require.Failf(t, "not measured", "%s of %s", metric, promise)
	return 0
}

// Proves C4.
func TestOneProcessChecksAndOthersShareItsResult(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		clk, locks, bus := clock.NewFake(noon), newLocks(), events.NewInProcess(8)
		defer bus.Close()
		first, second := newService(db, locks, clk, bus), newService(db, locks, clk, bus)
		openWorkOrders(t, ctx, db, 1)
		turns := 0
		first.walker.Pause = func(context.Context, time.Duration) bool {
			before := states(t, ctx, first)
			require.NoError(t, second.turn(ctx))
			turns++
			require.Equal(t, before, states(t, ctx, first), "a process without the lease checks nothing")
			return true
		}
		require.NoError(t, first.turn(ctx))
		require.Equal(t, len(declared), turns)
		require.InDelta(t, 1, gaugeOf(t, second, "interlock_promise_rows", "work-order-holders"), 0)
		for name, st := range states(t, ctx, first) {
			require.EqualValues(t, 1, st.Passes, name)
		}

		first.walker.Locks = nil // a request for a lease would panic
		require.NoError(t, first.turn(ctx), "without due work it acquires no lease")
		first.walker.Locks = locks
		clk.Advance(passEvery)
		require.NoError(t, first.turn(ctx))
		require.EqualValues(t, 2, states(t, ctx, first)["work-order-holders"].Passes)
	})
}

// Proves C4.
func TestHolderPausedBeyondItsLeaseOverwritesNothing(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		clk, bus := clock.NewFake(noon), events.NewInProcess(8)
		defer bus.Close()
		// Locks without exclusion simulate a lease that was lost unnoticed.
		paused, next := newService(db, newLocks(), clk, bus), newService(db, newLocks(), clk, bus)
		openWorkOrders(t, ctx, db, 3)
		require.NoError(t, next.turn(ctx))
		clk.Advance(passEvery)
		var found map[string]*walk.State
		paused.walker.Pause = func(_ context.Context, d time.Duration) bool {
			if found == nil {
				clk.Advance(time.Minute)
				require.NoError(t, next.turn(ctx))
				found = states(t, ctx, next)
			}
			return d < time.Second
		}
		require.ErrorIs(t, paused.walker.Work(ctx, paused), walk.ErrOvertaken)
		require.Equal(t, found, states(t, ctx, next))
	})
}

// Proves C5.
func TestChecksPauseInProportionToTheirDuration(t *testing.T) {
	db, bus := storagetest.SQLite(t), events.NewInProcess(8)
	defer bus.Close()
	s := newService(db, newLocks(), clock.System{}, bus)
	s.walker.Share = 0.01
	openWorkOrders(t, storagetest.Tenant(t), db, 50)
	var rested time.Duration
	started := clock.Mark()
	s.walker.Pause = func(_ context.Context, d time.Duration) bool {
		if d == time.Second {
			return false
		}
		rested += d
		return true
	}
	require.NoError(t, s.turn(storagetest.Tenant(t)))
	var busy time.Duration
	for _, st := range states(t, storagetest.Tenant(t), s) {
		busy += time.Duration(st.Last.BusyUS) * time.Microsecond
	}
	require.GreaterOrEqual(t, rested, 99*busy)
	require.LessOrEqual(t, rested, 100*clock.Since(started))
}

func TestFailingPromiseDoesNotBlockOthers(t *testing.T) {
	ctx, db, clk, bus := storagetest.Tenant(t), storagetest.SQLite(t), clock.NewFake(noon), events.NewInProcess(8)
	defer bus.Close()
	s := newService(db, newLocks(), clk, bus)
	away, tries := true, 0
	s.gates = func(context.Context, []any, int) ([]Row, error) {
		tries++
		if away {
			return nil, errors.New("Redis is away")
		}
		return []Row{{TenantID: 1, Subject: "flash-sales/7", Place: []any{int64(7)}}}, nil
	}
	require.NoError(t, s.turn(ctx))
	require.Equal(t, 1, tries, "it is not tried without a rest")
	for _, p := range declared {
		want := stateKept
		if p.Table == "" {
			want = stateUnknown
		}
		require.Equal(t, want, promiseOf(t, s, ctx, p.Name).State, p.Name)
	}
	away = false
	clk.Advance(time.Minute)
	require.NoError(t, s.turn(ctx))
	require.Equal(t, stateKept, promiseOf(t, s, ctx, "sale-gates").State)
}

// A statement over too many rows would time out again and again.
func TestFailedCheckPausesAndReadsFewerRows(t *testing.T) {
	ctx, db, clk, bus := storagetest.Tenant(t), storagetest.SQLite(t), clock.NewFake(noon), events.NewInProcess(8)
	defer bus.Close()
	s := newService(db, newLocks(), clk, bus)
	s.walker.Share = 0.5
	const atMost, timeout = 20, 50 * time.Millisecond
	failed := 0
	s.gates = func(ctx context.Context, _ []any, limit int) ([]Row, error) {
		if limit > atMost {
			failed++
			clock.Sleep(ctx, timeout)
			return nil, errors.New("it took too long")
		}
		return nil, nil
	}
	longest := time.Duration(0)
	s.walker.Pause = func(_ context.Context, d time.Duration) bool {
		if d < time.Second {
			longest = max(longest, d)
		}
		return d < time.Second
	}
	require.NoError(t, s.turn(ctx))
	require.GreaterOrEqual(t, longest, timeout)
	for range 5 {
		clk.Advance(time.Minute)
		require.NoError(t, s.turn(ctx))
	}
	require.Equal(t, stateKept, promiseOf(t, s, ctx, "sale-gates").State, "after it had failed %d times", failed)
}

func TestAbsentRowsAreNotCounted(t *testing.T) {
	gates := func(context.Context, []any, int) ([]Row, error) {
		return []Row{{Subject: "flash-sales/7", Place: []any{int64(7)}}, {Subject: "flash-sales/8", Absent: true, Place: []any{int64(8)}}}, nil
	}
	totals, err := Check(t.Context(), storagetest.SQLite(t), declared, gates)
	require.NoError(t, err)
	for _, total := range totals {
		if total.Promise.Table == "" {
			require.EqualValues(t, 1, total.Looked)
		}
	}
}

// Proves C6.
func TestExportIsSignedWithTheInstallationKey(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		bus := events.NewInProcess(8)
		defer bus.Close()
		one, other := newService(db, newLocks(), clock.System{}, bus), newService(db, newLocks(), clock.System{}, bus)
		a, err := one.export(ctx)
		require.NoError(t, err)
		b, err := other.export(ctx)
		require.NoError(t, err)
		require.Equal(t, a.Protected, b.Protected, "every process has the same key, also after a restart")

		text := func(part string) []byte {
			decoded, err := base64.RawURLEncoding.DecodeString(part)
			require.NoError(t, err)
			return decoded
		}
		var head header
		require.NoError(t, json.Unmarshal(text(a.Protected), &head))
		require.Equal(t, "EdDSA", head.Alg)
		key := ed25519.PublicKey(text(head.JWK.X))
		require.True(t, ed25519.Verify(key, []byte(a.Protected+"."+a.Payload), text(a.Signature)))
		require.False(t, ed25519.Verify(key, []byte(a.Protected+"."+a.Payload+"A"), text(a.Signature)))
		var document struct {
			TenantID int64
			Promises []struct{ Name string }
		}
		require.NoError(t, json.Unmarshal(text(a.Payload), &document))
		p, _ := principal.From(ctx)
		require.Equal(t, p.TenantID, document.TenantID)
		require.Len(t, document.Promises, len(declared))
	})
}

func TestPositionsAreStoredUnchanged(t *testing.T) {
	for _, place := range [][]any{nil, {int64(1) << 60}, {int64(7), "item", int64(9), int64(0)}, {"17"}} {
		text, err := storage.EncodePosition(place)
		require.NoError(t, err)
		back, err := storage.DecodePosition(text)
		require.NoError(t, err)
		require.Equal(t, place, back)
	}
}
