// Package coretest tests packages uow and guard on both engines, in one binary.
package coretest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
	"interlock/internal/lock/locktest"
)

func TestMain(m *testing.M) {
	storagetest.Covers("internal/core/guard", "internal/core/uow")
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

// counts is an Observer that counts.
type counts struct {
	mu      sync.Mutex
	retries map[string]int
	ends    map[string]int
}

func (c *counts) UnitRetried(reason string) { c.add(&c.retries, reason) }
func (c *counts) UnitEnded(outcome string)  { c.add(&c.ends, outcome) }

func (c *counts) add(m *map[string]int, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[key]++
}

func newRunner(db *storage.DB) (*uow.Runner, *counts) {
	observer := &counts{}
	return uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}, Observer: observer}), observer
}

func insert(name string) uow.Func {
	return func(ctx context.Context, u *uow.Unit) error {
		u.Audit(uow.Entry{Action: "thing.create", Resource: "things/" + name})
		return guard.Insert(ctx, u, &storagetest.Thing{Name: name})
	}
}

func count[T any](t *testing.T, ctx context.Context, db *storage.DB) int64 {
	t.Helper()
	var n int64
	require.NoError(t, db.Read(ctx).Model(new(T)).Count(&n).Error)
	return n
}

func TestCommittedUnitWritesItsRowAndOneAuditRow(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, observer := newRunner(db)
		published := 0
		err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			u.AfterCommit(func(context.Context) { published++ })
			return insert("a")(ctx, u)
		})
		require.NoError(t, err)
		require.EqualValues(t, 1, count[storagetest.Thing](t, ctx, db))
		var row uow.AuditRow
		require.NoError(t, db.Read(ctx).Take(&row).Error)
		require.Equal(t, "Tester", row.ActorName)
		require.Equal(t, "things/a", row.Resource)
		require.Equal(t, 1, published)
		require.Equal(t, map[string]int{"committed": 1}, observer.ends)
	})
}

// Proves G6.2.
func TestAuditRowIsFiledUnderEachFurtherRecord(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, _ := newRunner(db)
		want := make([]string, 450)
		for i := range want {
			want[i] = fmt.Sprintf("things/b%03d", i)
		}
		for _, name := range []string{"a", "c"} {
			require.NoError(t, runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				u.AuditUnder(want...)
				u.AuditUnder("things/"+name, want[0])
				return insert(name)(ctx, u)
			}))
		}
		var entries []uow.AuditRow
		require.NoError(t, db.Read(ctx).Order("id").Find(&entries).Error)
		require.Len(t, entries, 2)
		for _, entry := range entries {
			var targets []string
			require.NoError(t, db.Read(ctx).Raw("SELECT resource FROM audit_targets WHERE tenant_id = ? AND entry_id = ? ORDER BY resource", entry.TenantID, entry.ID).Scan(&targets).Error)
			require.Equal(t, want, targets)
		}
	})
}

// Proves G6.1.
func TestFailedUnitLeavesNoTrace(t *testing.T) {
	refused := errors.New("rejected by a rule")
	endings := map[string]struct {
		fn   uow.Func
		want error
	}{
		"its function fails": {func(ctx context.Context, u *uow.Unit) error {
			return errors.Join(insert("a")(ctx, u), refused)
		}, refused},
		"it left no audit entry": {func(ctx context.Context, u *uow.Unit) error {
			return guard.Insert(ctx, u, &storagetest.Thing{Name: "a"})
		}, uow.ErrNoAudit},
		"it left two audit entries": {func(ctx context.Context, u *uow.Unit) error {
			u.Audit(uow.Entry{Action: "thing.create", Resource: "things/a"})
			return insert("a")(ctx, u)
		}, uow.ErrAuditTwice},
		"its last statement fails": {func(ctx context.Context, u *uow.Unit) error {
			u.BeforeCommit(func(context.Context, *gorm.DB) error { return refused })
			return insert("a")(ctx, u)
		}, refused},
		"it locks after BEGIN": {func(ctx context.Context, u *uow.Unit) error {
			if err := insert("a")(ctx, u); err != nil {
				return err
			}
			_, err := u.Lock(ctx, time.Second, "late")
			return err
		}, uow.ErrLockAfterBegin},
	}
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, _ := newRunner(db)
		for name, ending := range endings {
			t.Run(name, func(t *testing.T) {
				err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					u.AfterCommit(func(context.Context) { t.Error("a rolled-back event was published") })
					return ending.fn(ctx, u)
				})
				require.ErrorIs(t, err, ending.want)
				require.Zero(t, count[storagetest.Thing](t, ctx, db))
				require.Zero(t, count[uow.AuditRow](t, ctx, db))
			})
		}
	})
}

// Proves G4.34.
func TestAfterRollbackRunsUnderTheLocks(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, _ := newRunner(db)
		for name, refusal := range map[string]error{"refused": errors.New("rejected by a rule"), "committed": nil} {
			takenBack := 0
			err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				if _, err := u.Lock(ctx, 0, "a"); err != nil {
					return err
				}
				u.AfterRollback(func(ctx context.Context) {
					takenBack++
					require.NoError(t, runner.Do(ctx, insert("reverted")), "the transaction has ended")
					require.ErrorIs(t, runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
						_, err := u.Lock(ctx, 0, "a")
						return err
					}), lock.ErrNotAcquired, "the lock must be held")
				})
				return errors.Join(insert(name)(ctx, u), refusal)
			})
			require.ErrorIs(t, err, refusal)
			require.Equal(t, map[bool]int{true: 1, false: 0}[refusal != nil], takenBack, name)
		}
	})
}

func TestObserverIsNotifiedOfEveryEnd(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, _ := newRunner(db)
		refusal := errors.New("rejected by a rule")
		for name, want := range map[string]struct {
			ending    func() error
			committed bool
		}{
			"committed":   {func() error { return nil }, true},
			"rolled back": {func() error { return refusal }, false},
			"panicked":    {func() error { panic(refusal) }, false},
		} {
			var ends []bool
			published := false
			func() {
				defer func() { _ = recover() }()
				_ = runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					u.AtEnd(func(committed bool) {
						ends = append(ends, committed)
						require.Equal(t, committed, published, "AfterCommit callbacks run before")
						require.NoError(t, runner.Do(ctx, insert("after "+name)), "the transaction has ended")
					})
					u.AfterCommit(func(context.Context) { published = true })
					return errors.Join(insert(name)(ctx, u), want.ending())
				})
			}()
			require.Equal(t, []bool{want.committed}, ends, name)
		}
	})
}

// failingLocks fail like an unreachable lock service, or lose the locks that they grant.
type failingLocks struct {
	lock.Locker
	away bool
}

func (b failingLocks) Acquire(ctx context.Context, wait time.Duration, keys ...string) (lock.Lease, error) {
	if b.away {
		return nil, fmt.Errorf("acquire lock %q: %w", keys, lock.ErrUnavailable)
	}
	lease, err := b.Locker.Acquire(ctx, wait, keys...)
	if err != nil {
		return nil, err
	}
	lost, lose := context.WithCancelCause(lease.Context())
	lose(lock.ErrLost)
	return lostLease{lease, lost}, nil
}

type lostLease struct {
	lock.Lease
	ctx context.Context
}

func (l lostLease) Context() context.Context { return l.ctx }

// Proves G4.38.
func TestUnavailableOrLostLocksPreventWrites(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		for _, away := range []bool{true, false} {
			locks := failingLocks{lock.NewInProcess(lock.Observer{}), away}
			runner := uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: clock.System{}})
			err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				// A body that continues with the wrong context is stopped before COMMIT.
				if _, err := u.Lock(ctx, time.Second, "k"); err != nil {
					return err
				}
				return insert("a")(ctx, u)
			})
			require.True(t, apperr.Has(err, apperr.Unavailable), "%v", err)
			require.Zero(t, count[storagetest.Thing](t, ctx, db))
			held, err := locks.Held(ctx)
			require.NoError(t, err)
			require.Empty(t, held)
		}
	})
}

// looking is a Locker that calls released when a lock is released.
type looking struct {
	lock.Locker
	released func()
}

func (l looking) Acquire(ctx context.Context, wait time.Duration, keys ...string) (lock.Lease, error) {
	lease, err := l.Locker.Acquire(ctx, wait, keys...)
	return lookingLease{lease, l.released}, err
}

type lookingLease struct {
	lock.Lease
	released func()
}

func (l lookingLease) Release(ctx context.Context) error {
	l.released()
	return l.Lease.Release(ctx)
}

// The next holder of the lock must find the committed effect, and no partial one.
// Proves G4.39.
func TestLocksAreReleasedOnlyWhenTheTransactionHasEnded(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		var found []int64
		watched := locktest.NewAround(lock.NewInProcess(lock.Observer{}), db)
		runner := uow.NewRunner(uow.Options{
			DB: db, Locks: looking{watched, func() { found = append(found, count[storagetest.Thing](t, ctx, db)) }}, Clock: clock.System{},
		})
		refused := errors.New("rejected by a rule")
		for _, outcome := range []error{nil, refused} {
			err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				ctx, err := u.Lock(ctx, 0, "k")
				if err != nil {
					return err
				}
				return errors.Join(insert(fmt.Sprint(outcome))(ctx, u), outcome)
			})
			require.ErrorIs(t, err, outcome)
		}
		require.Equal(t, []int64{1, 1}, found, "only committed rows are visible")
		require.Equal(t, []string{"k", "k"}, watched.Taken(t))
	})
}

func TestLockedErrorNamesHolder(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := lock.NewInProcess(lock.Observer{})
		runner := uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: clock.System{}})
		ctx = principal.With(principal.WithRequest(ctx, "r-1"), principal.Principal{Kind: principal.Admin, TenantID: 1, Name: "Li"})
		require.NoError(t, runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			if _, err := u.Lock(ctx, 0, "k"); err != nil {
				return err
			}
			held, err := locks.Held(ctx)
			require.NoError(t, err)
			require.Len(t, held, 1)
			require.Equal(t, "Li, request r-1", held[0].Owner)
			return nil
		}))
	})
}

func TestPanicRollsBackAndReleasesTheLocks(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, _ := newRunner(db)
		require.PanicsWithValue(t, "boom", func() {
			_ = runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				if _, err := u.Lock(ctx, 0, "k"); err != nil {
					return err
				}
				if err := insert("a")(ctx, u); err != nil {
					return err
				}
				panic("boom")
			})
		})
		require.Zero(t, count[storagetest.Thing](t, ctx, db))
		err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := u.Lock(ctx, 0, "k")
			return err
		})
		require.NoError(t, err)
	})
}

func TestLastStatementOfAUnitIsInItsTransaction(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, _ := newRunner(db)
		err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			u.BeforeCommit(func(_ context.Context, tx *gorm.DB) error {
				var seen int64
				if err := tx.Model(&storagetest.Thing{}).Count(&seen).Error; err != nil {
					return err
				}
				require.EqualValues(t, 1, seen, "it sees the unit's own row")
				require.Zero(t, count[storagetest.Thing](t, ctx, db), "no other connection sees it yet")
				return tx.Create(&storagetest.Thing{Row: guard.Row{Version: 1, CreatedTime: u.Now(), UpdatedTime: u.Now()}, Name: "record"}).Error
			})
			return insert("a")(ctx, u)
		})
		require.NoError(t, err)
		require.EqualValues(t, 2, count[storagetest.Thing](t, ctx, db))
	})
}

func TestReadOnlyUnitNeedsNoAudit(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, _ := newRunner(db)
		err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			tx, err := u.Tx(ctx)
			if err != nil {
				return err
			}
			var things []storagetest.Thing
			return tx.Find(&things).Error
		})
		require.NoError(t, err)
		require.Zero(t, count[uow.AuditRow](t, ctx, db))
	})
}

func TestDeadlockRetriesTheWholeUnit(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	runner, observer := newRunner(db)
	var first, second storagetest.Thing
	for name, thing := range map[string]*storagetest.Thing{"first": &first, "second": &second} {
		thing.Name = name
		require.NoError(t, runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			u.Audit(uow.Entry{Action: "thing.create", Resource: "things/" + name})
			thing.ID = 0
			return guard.Insert(ctx, u, thing)
		}))
	}
	// Two units update the same rows in opposite orders, each waiting until the other has
	// locked its first row: a certain deadlock on the first run.
	var holding sync.WaitGroup
	holding.Add(2)
	cross := func(a, b int64) error {
		runs := 0
		return runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			runs++
			u.Audit(uow.Entry{Action: "thing.cross", Resource: "things"})
			if err := guard.Adjust[storagetest.Thing](ctx, u, a, guard.Set{"amount": guard.Add("amount", 1)}, "amount >= 0"); err != nil {
				return err
			}
			// A read sends the preceding statements.
			tx, err := u.Tx(ctx)
			if err != nil {
				return err
			}
			if err := tx.Take(&storagetest.Thing{}, a).Error; err != nil {
				return err
			}
			if runs == 1 {
				holding.Done()
				holding.Wait()
			}
			return guard.Adjust[storagetest.Thing](ctx, u, b, guard.Set{"amount": guard.Add("amount", 1)}, "amount >= 0")
		})
	}
	results := make(chan error, 2)
	go func() { results <- cross(first.ID, second.ID) }()
	go func() { results <- cross(second.ID, first.ID) }()
	require.NoError(t, <-results)
	require.NoError(t, <-results)
	require.Equal(t, 1, observer.retries["write_conflict"])
	var things []storagetest.Thing
	require.NoError(t, db.Read(ctx).Find(&things).Error)
	for _, thing := range things {
		require.EqualValues(t, 2, thing.Amount, "each unit counted once")
	}
}

func TestConflictIsExplainedAfterTheRollback(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, _ := newRunner(db)
		err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			if err := insert("a")(ctx, u); err != nil {
				return err
			}
			return uow.Explain(func(ctx context.Context) error {
				return apperr.New(apperr.StatusChanged, "there are %d", count[storagetest.Thing](t, ctx, db))
			})
		})
		require.EqualError(t, err, "status_changed: There are 0")
	})
}

func TestRetryErrorIsReturnedAfterLastRun(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		runner, _ := newRunner(db)
		lost := errors.New("lost once more")
		runs := 0
		err := runner.Do(ctx, func(context.Context, *uow.Unit) error {
			runs++
			if runs < 3 {
				return uow.Retry(lost)
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, 3, runs)
		err = runner.Do(ctx, func(context.Context, *uow.Unit) error { return uow.Retry(lost) })
		require.Equal(t, lost, err)
	})
}

func TestDisconnectBeforeCommitRollsBack(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner, _ := newRunner(db)
		hungUp, hangUp := context.WithCancel(ctx)
		err := runner.Do(hungUp, func(ctx context.Context, u *uow.Unit) error {
			defer hangUp()
			return insert("a")(ctx, u)
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, count[storagetest.Thing](t, ctx, db))
	})
}

func TestOverlongTransactionReturnsUnavailable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		runner := uow.NewRunner(uow.Options{
			DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}, MaxTransactionTime: 200 * time.Millisecond,
		})
		for name, ending := range map[string]func(ctx context.Context, u *uow.Unit) error{
			"at a statement": func(ctx context.Context, u *uow.Unit) error {
				for {
					tx, err := u.Tx(ctx)
					if err != nil {
						return err
					}
					var n int64
					if err := tx.Model(&storagetest.Thing{}).Count(&n).Error; err != nil {
						return err
					}
				}
			},
			"at its end": func(context.Context, *uow.Unit) error {
				<-time.After(300 * time.Millisecond)
				return nil
			},
		} {
			err := runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				if err := insert(name)(ctx, u); err != nil {
					return err
				}
				return ending(ctx, u)
			})
			require.True(t, apperr.Has(err, apperr.Unavailable), "%s: %v", name, err)
		}
		require.Zero(t, count[storagetest.Thing](t, ctx, db))
		require.Zero(t, count[uow.AuditRow](t, ctx, db))
	})
}
