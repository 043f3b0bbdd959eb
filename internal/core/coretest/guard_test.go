package coretest

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
)

func do(ctx context.Context, db *storage.DB, fn uow.Func) error {
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
	return runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		u.Audit(uow.Entry{Action: "thing.test", Resource: "things"})
		return fn(ctx, u)
	})
}

func newThing(t *testing.T, ctx context.Context, db *storage.DB) *storagetest.Thing {
	t.Helper()
	storagetest.CreateThings(t, ctx, db)
	thing := &storagetest.Thing{Name: "one"}
	require.NoError(t, do(ctx, db, func(ctx context.Context, u *uow.Unit) error { return guard.Insert(ctx, u, thing) }))
	return thing
}

func reread(t *testing.T, ctx context.Context, db *storage.DB) storagetest.Thing {
	t.Helper()
	var thing storagetest.Thing
	require.NoError(t, db.Read(ctx).Take(&thing).Error)
	return thing
}

func TestUpdateRaisesVersionAndRecordsAuthor(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		thing := newThing(t, ctx, db)
		require.NoError(t, do(ctx, db, func(ctx context.Context, u *uow.Unit) error {
			if err := guard.Update[storagetest.Thing](ctx, u, thing.Ref(), guard.Set{"amount": 0, "name": "two"}); err != nil {
				return err
			}
			return guard.Advance(ctx, u, thing)
		}))
		got := reread(t, ctx, db)
		require.Equal(t, "two", got.Name)
		require.Equal(t, "Tester", got.UpdatedByName)
		thing.Name = "two"
		require.Equal(t, *thing, got, "Advance equals the row written by Update, to the microsecond")
	})
}

func TestMissedWriteChangesNothingAndReturnsTheReason(t *testing.T) {
	states := [2]status.State{{Code: 0, Name: "open"}, {Code: 1, Name: "done"}}
	misses := map[string]struct {
		write func(context.Context, *uow.Unit, guard.Ref) error
		want  error
	}{
		"update of an older version": {func(ctx context.Context, u *uow.Unit, r guard.Ref) error {
			return guard.Update[storagetest.Thing](ctx, u, guard.Ref{ID: r.ID, Version: r.Version - 1}, guard.Set{"amount": 9})
		}, guard.ErrStale},
		"update of a row that is not there": {func(ctx context.Context, u *uow.Unit, r guard.Ref) error {
			return guard.Update[storagetest.Thing](ctx, u, guard.Ref{ID: r.ID + 1e9, Version: 1}, guard.Set{"amount": 9})
		}, guard.ErrDeleted},
		"transition from another status": {func(ctx context.Context, u *uow.Unit, r guard.Ref) error {
			return guard.Transition[storagetest.Thing](ctx, u, r, states[1], states[0], nil)
		}, guard.ErrStale},
		"an adjustment with a false condition": {func(ctx context.Context, u *uow.Unit, r guard.Ref) error {
			return guard.Adjust[storagetest.Thing](ctx, u, r.ID, guard.Set{"amount": guard.Add("amount", -1)}, "amount >= ?", 1)
		}, guard.ErrRefused},
		"adjustment with an alternative in its condition": {func(ctx context.Context, u *uow.Unit, r guard.Ref) error {
			return guard.Adjust[storagetest.Thing](ctx, u, r.ID+1e9, guard.Set{"amount": 9}, "amount = 5 OR amount = 0")
		}, guard.ErrDeleted},
		"deletion of an older version": {func(ctx context.Context, u *uow.Unit, r guard.Ref) error {
			return guard.Delete[storagetest.Thing](ctx, u, guard.Ref{ID: r.ID, Version: r.Version + 1})
		}, guard.ErrStale},
	}
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		thing := newThing(t, ctx, db)
		before := reread(t, ctx, db)
		for name, miss := range misses {
			t.Run(name, func(t *testing.T) {
				err := do(ctx, db, func(ctx context.Context, u *uow.Unit) error { return miss.write(ctx, u, thing.Ref()) })
				require.ErrorIs(t, err, miss.want)
				require.Equal(t, before, reread(t, ctx, db))
			})
		}
	})
}

// A deferred write returns success immediately; the guard decides later, and the unit is
// run again without its other writes.
func TestMissedDeferredWriteIsRetriedAndReturnsTheReason(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		thing := newThing(t, ctx, db)
		before, runs := reread(t, ctx, db), 0
		err := do(ctx, db, func(ctx context.Context, u *uow.Unit) error {
			runs++
			older := guard.Ref{ID: thing.ID, Version: thing.Version - 1}
			if err := guard.Update[storagetest.Thing](ctx, guard.Deferred(u), older, guard.Set{"amount": 9}); err != nil {
				return err
			}
			tx, err := u.Tx(ctx)
			if err != nil {
				return err
			}
			return storage.ExecDeferred(tx, "UPDATE things SET status = 1 WHERE tenant_id > 0 AND id = ?", thing.ID)
		})
		require.ErrorIs(t, err, guard.ErrStale)
		require.Equal(t, 2, runs)
		require.Equal(t, before, reread(t, ctx, db))
	})
}

func TestRowOfAnotherTenantIsNotFound(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		thing := newThing(t, ctx, db)
		stranger := storagetest.Tenant(t)
		err := do(stranger, db, func(ctx context.Context, u *uow.Unit) error {
			return guard.Update[storagetest.Thing](ctx, u, thing.Ref(), guard.Set{"amount": 9})
		})
		require.ErrorIs(t, err, guard.ErrDeleted)
		require.Zero(t, reread(t, ctx, db).Amount)
	})
}

// Proves G1.1.
func TestOneOfFiftyUpdatesOfAVersionWins(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		thing := newThing(t, ctx, db)
		var won, stale atomic.Int64
		var racers sync.WaitGroup
		for i := range 50 {
			racers.Go(func() {
				err := do(ctx, db, func(ctx context.Context, u *uow.Unit) error {
					return guard.Update[storagetest.Thing](ctx, u, thing.Ref(), guard.Set{"amount": i + 1})
				})
				switch {
				case err == nil:
					won.Add(1)
				case err == guard.ErrStale: //nolint:errorlint // nothing may wrap it on its way
					stale.Add(1)
				default:
					t.Errorf("racer %d: %v", i, err)
				}
			})
		}
		racers.Wait()
		require.EqualValues(t, 1, won.Load())
		require.EqualValues(t, 49, stale.Load())
		require.EqualValues(t, 2, reread(t, ctx, db).Version)
	})
}

// Proves G1.5.
func TestEmptyPreconditionsAreRejected(t *testing.T) {
	cases := map[string]apperr.Code{
		"": apperr.PreconditionRequired, "  ": apperr.PreconditionRequired,
		"*": apperr.PreconditionMalformed, `W/1-1`: apperr.PreconditionMalformed, "1-1": apperr.PreconditionMalformed,
		`"1-1", "1-2"`: apperr.PreconditionMalformed, `"1-1`: apperr.PreconditionMalformed, `"`: apperr.PreconditionMalformed,
		`""1-1""`: apperr.PreconditionMalformed, "\"1\x00\"": apperr.PreconditionMalformed, `"a b"`: apperr.PreconditionMalformed,
	}
	for value, code := range cases {
		_, err := guard.ParsePrecondition(value)
		require.Truef(t, apperr.Has(err, code), "%q: %v", value, err)
	}
}

func TestETagMatchesOnlyItsRowAndVersion(t *testing.T) {
	row := guard.Ref{ID: 123456, Version: 17}
	p, err := guard.ParsePrecondition(row.ETag())
	require.NoError(t, err)
	require.True(t, p.Matches(row))
	require.False(t, p.Matches(guard.Ref{ID: 123456, Version: 18}))
	require.False(t, p.Matches(guard.Ref{ID: 123457, Version: 17}))
	for _, foreign := range []string{`"abc"`, `""`, `"-"`, `"2n9c-0h"`, `"2N9C-H"`, `"2n9c--1"`} {
		p, err := guard.ParsePrecondition(foreign)
		require.NoError(t, err, foreign)
		require.Equal(t, guard.Ref{}, p.Ref, foreign)
	}
}

// Proves G1.5.
func TestETagModifiedByAProxyMatches(t *testing.T) {
	row := guard.Ref{ID: 123456, Version: 17}
	for _, changed := range []string{`W/"2n9c-h"`, `"2n9c-h-gzip"`, `W/"2n9c-h-gzip"`, `"2n9c-h-br"`, `"2n9c-h--gzip"`, `"2n9c-h;gzip"`} {
		p, err := guard.ParsePrecondition(changed)
		require.NoError(t, err, changed)
		require.True(t, p.Matches(row), changed)
		require.Equal(t, row.ETag(), guard.OriginalTag(changed))
	}
	for _, other := range []string{`"2n9c-gzip"`, `"2n9c-h-1"`, `"2n9c-h-"`, `"-gzip"`, `"x-2n9c-h-gzip"`, `W/"abc"`, `"2n9c-0h-gzip"`} {
		p, err := guard.ParsePrecondition(other)
		require.NoError(t, err, other)
		require.False(t, p.Matches(row), other)
	}
	version, err := strconv.ParseInt("gzip", 36, 64)
	require.NoError(t, err)
	p, err := guard.ParsePrecondition(`"2n9c-gzip"`)
	require.NoError(t, err)
	require.True(t, p.Matches(guard.Ref{ID: 123456, Version: version}), "a version that is spelled like a coding is a version")
}

func FuzzPrecondition(f *testing.F) {
	f.Add(`"2n9c-h"`)
	f.Add(`W/"x"`)
	f.Add(`"2n9c-h-gzip"`)
	f.Fuzz(func(t *testing.T, value string) {
		p, err := guard.ParsePrecondition(value)
		if err == nil && p.Ref != (guard.Ref{}) && p.Ref.ID != 0 {
			again, err := guard.ParsePrecondition(p.Ref.ETag())
			require.NoError(t, err)
			require.Equal(t, p, again)
		}
	})
}

func TestWriteWithoutPrincipalIsRejected(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		thing := newThing(t, ctx, db)
		anonymous := principal.With(ctx, principal.Principal{})
		require.ErrorIs(t, do(anonymous, db, func(ctx context.Context, u *uow.Unit) error {
			return guard.Update[storagetest.Thing](ctx, u, thing.Ref(), guard.Set{"amount": 1})
		}), storage.ErrNoTenant)
	})
}

func TestMultiStepWriteRaisesVersionByItsSteps(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		thing := &storagetest.Thing{Name: "one"}
		require.NoError(t, do(ctx, db, func(ctx context.Context, u *uow.Unit) error { return guard.InsertAt(ctx, u, thing, 3) }))
		seen := thing.Ref()
		by := func(ref guard.Ref, steps int64) error {
			return do(ctx, db, func(ctx context.Context, u *uow.Unit) error {
				if err := guard.UpdateBy[storagetest.Thing](ctx, u, ref, steps, guard.Set{"name": "two"}); err != nil {
					return err
				}
				return guard.AdvanceBy(ctx, u, thing, steps)
			})
		}
		require.NoError(t, by(seen, 4))
		require.EqualValues(t, 7, reread(t, ctx, db).Version)
		require.EqualValues(t, 7, thing.Version)
		require.ErrorIs(t, by(seen, 1), guard.ErrStale)
		require.Error(t, by(thing.Ref(), 0), "a change of zero steps is rejected")
		require.EqualValues(t, 7, reread(t, ctx, db).Version)
	})
}
