package change

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/merge"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
)

// content is the part of a Thing that an edit may change.
type content struct {
	Name   string `json:"name"`
	Amount int64  `json:"amount"`
	Status int    `json:"status"`
}

// replica is a process that edits things.
type replica struct {
	Editable[storagetest.Thing, *storagetest.Thing]
	runner *uow.Runner
}

// replicas returns number processes on one database with a shared history.
func replicas(db *storage.DB, number int) []*replica {
	var made sync.Map
	all := make([]*replica, number)
	for i := range all {
		r := &replica{runner: uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})}
		r.Editable = Editable[storagetest.Thing, *storagetest.Thing]{
			Rows: Rows[storagetest.Thing, *storagetest.Thing]{
				DB: db, Label: func(thing *storagetest.Thing) string { return thing.Name }, View: func(_ context.Context, thing *storagetest.Thing) any { return thing },
			},
			Document: func(thing *storagetest.Thing) (any, error) {
				return merge.Tree(content{thing.Name, thing.Amount, thing.Status})
			},
			Revise: func(thing *storagetest.Thing, document any) (*storagetest.Thing, guard.Set, error) {
				var c content
				if err := merge.Decode(document, &c); err != nil {
					return nil, nil, err
				}
				after := *thing
				after.Name, after.Amount, after.Status = c.Name, c.Amount, c.Status
				return &after, guard.Set{"name": c.Name, "amount": c.Amount, "status": c.Status}, nil
			},
			AtVersion: func(_ context.Context, thing *storagetest.Thing, version int64) (*storagetest.Thing, error) {
				if version == 1 {
					return &storagetest.Thing{Row: guard.Row{ID: thing.ID, TenantID: thing.TenantID, Version: 1}, Name: "one"}, nil
				}
				if then, ok := made.Load(guard.Ref{ID: thing.ID, Version: version}); ok {
					return then.(*storagetest.Thing), nil
				}
				return nil, gorm.ErrRecordNotFound
			},
			Record: func(_ context.Context, u *uow.Unit, _, after *storagetest.Thing, _ *Overwrite) error {
				u.Audit(uow.Entry{Action: "thing.edit", Resource: "things"})
				u.AfterCommit(func(context.Context) { made.Store(after.Ref(), after) })
				return nil
			},
			MergeQueue: new(RowQueues[*storagetest.Thing]),
		}
		all[i] = r
	}
	return all
}

func newThing(t *testing.T, ctx context.Context, db *storage.DB) *storagetest.Thing {
	t.Helper()
	storagetest.CreateThings(t, ctx, db)
	thing := &storagetest.Thing{Name: "one"}
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
	require.NoError(t, runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		u.Audit(uow.Entry{Action: "thing.create", Resource: "things"})
		return guard.Insert(ctx, u, thing)
	}))
	return thing
}

// edit merges a patch of the version that its author read, and then runs the rest of the
// unit.
func (r *replica) edit(ctx context.Context, seen *storagetest.Thing, patch string, rest func() error) (edited Edited[*storagetest.Thing], err error) {
	tree, err := merge.Parse([]byte(patch))
	if err != nil {
		return edited, err
	}
	err = r.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		edited, err = r.Apply(ctx, u, seen, Edit{IfMatch: guard.Precondition{Ref: seen.Ref()}, Patch: tree, MergeDisjoint: true})
		if err == nil && rest != nil {
			err = rest()
		}
		return err
	})
	return edited, err
}

// untilInLine waits until units own or wait for the slot of a row.
func (r *replica) untilInLine(ctx context.Context, id int64, units int) error {
	for {
		r.MergeQueue.mu.Lock()
		l := r.MergeQueue.queues[id]
		there := l != nil && l.units == units
		r.MergeQueue.mu.Unlock()
		if there {
			return nil
		}
		if !clock.Sleep(ctx, time.Millisecond) {
			return context.Cause(ctx)
		}
	}
}

// become fails unless the row has that version and that content.
func (r *replica) become(t *testing.T, ctx context.Context, id, version int64, want content) {
	t.Helper()
	thing, err := r.readCommitted(ctx, id)
	require.NoError(t, err)
	require.Equal(t, want, content{thing.Name, thing.Amount, thing.Status})
	require.Equal(t, version, thing.Version)
	require.Empty(t, r.MergeQueue.queues, "no unit waits for the row")
}

func TestMergeReusesTheRowOfThePreviousUnit(t *testing.T) {
	db, tap := storagetest.TappedMariaDB(t)
	ctx := storagetest.Tenant(t)
	seen := newThing(t, ctx, db)
	r := replicas(db, 1)[0]
	var others sync.WaitGroup
	patches := []string{`{"name":"two"}`, `{"status":3}`}
	errs := make([]error, len(patches))
	merged := make([]Edited[*storagetest.Thing], len(patches))
	_, err := r.edit(ctx, seen, `{"amount":7}`, func() error {
		for i, patch := range patches {
			others.Go(func() { merged[i], errs[i] = r.edit(ctx, seen, patch, nil) })
		}
		defer tap.Take()
		return r.untilInLine(ctx, seen.ID, 3)
	})
	require.NoError(t, err)
	others.Wait()
	require.NoError(t, errors.Join(errs...))
	require.NotContains(t, tap.Take(), "SELECT things")
	for _, edited := range merged {
		require.NotNil(t, edited.Merged)
		require.EqualValues(t, 1, edited.Merged.FromVersion)
		require.Contains(t, edited.Merged.KeptTheirs, "/amount")
	}
	r.become(t, ctx, seen.ID, 4, content{"two", 7, 3})
}

// follow merges a patch while a second one waits for its turn; within runs before the first
// unit ends, and rest before the second ends.
func (r *replica) follow(ctx context.Context, seen *storagetest.Thing, first, second string, within, rest func() error) (firstErr, secondErr error) {
	var next sync.WaitGroup
	_, firstErr = r.edit(ctx, seen, first, func() error {
		next.Go(func() { _, secondErr = r.edit(ctx, seen, second, rest) })
		if err := r.untilInLine(ctx, seen.ID, 2); err != nil || within == nil {
			return err
		}
		return within()
	})
	next.Wait()
	return firstErr, secondErr
}

// A version that a rolled-back unit would have made does not exist: another unit uses its
// number.
// Proves G1.3.
func TestRolledBackRowIsNotPassedOn(t *testing.T) {
	db := storagetest.MariaDB(t)
	ctx := storagetest.Tenant(t)
	seen := newThing(t, ctx, db)
	both := replicas(db, 2)
	here, there := both[0], both[1]
	refusal := errors.New("it fails after its edit")
	failed, err := here.follow(ctx, seen, `{"amount":7}`, `{"status":3}`, func() error {
		if _, err := there.edit(ctx, seen, `{"name":"two"}`, nil); err != nil {
			return err
		}
		return refusal
	}, nil)
	require.Equal(t, refusal, failed)
	require.NoError(t, err)
	here.become(t, ctx, seen.ID, 3, content{"two", 0, 3})
}

// Proves G1.3.
func TestOvertakenMergeAppliesToTheNewRow(t *testing.T) {
	db := storagetest.MariaDB(t)
	ctx := storagetest.Tenant(t)
	seen := newThing(t, ctx, db)
	both := replicas(db, 2)
	here, there := both[0], both[1]
	overtaken := sync.OnceValue(func() error {
		_, err := there.edit(ctx, seen, `{"name":"two"}`, nil)
		return err
	})
	require.NoError(t, errors.Join(here.follow(ctx, seen, `{"amount":7}`, `{"status":3}`, nil, overtaken)))
	here.become(t, ctx, seen.ID, 4, content{"two", 7, 3})
}

// The version written by the preceding unit may no longer be the newest, so no rejection
// may depend on it.
func TestRejectedMergeReadsTheRowAgain(t *testing.T) {
	db := storagetest.MariaDB(t)
	ctx := storagetest.Tenant(t)
	seen := newThing(t, ctx, db)
	both := replicas(db, 2)
	here, there := both[0], both[1]
	err, refusal := here.follow(ctx, seen, `{"amount":7}`, `{"amount":9}`, nil, nil)
	require.NoError(t, err)
	require.True(t, apperr.Has(refusal, apperr.VersionConflict), "%v", refusal)

	seen, err = here.readCommitted(ctx, seen.ID)
	require.NoError(t, err)
	takenBack := sync.OnceValue(func() error {
		made, err := here.readCommitted(ctx, seen.ID)
		if err == nil {
			_, err = there.edit(ctx, made, `{"amount":7}`, nil)
		}
		return err
	})
	document := here.Document
	here.Document = func(thing *storagetest.Thing) (any, error) {
		if thing.Amount == 8 {
			if err := takenBack(); err != nil {
				return nil, err
			}
		}
		return document(thing)
	}
	require.NoError(t, errors.Join(here.follow(ctx, seen, `{"amount":8}`, `{"amount":9}`, nil, nil)))
	here.become(t, ctx, seen.ID, 5, content{"one", 9, 0})
}

func TestStartedUnitNeedsNoSlot(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		seen := newThing(t, ctx, db)
		r := replicas(db, 1)[0]
		require.NoError(t, r.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			if _, err := u.Tx(ctx); err != nil {
				return err
			}
			slot, err := r.MergeQueue.enter(ctx, u, seen.ID)
			require.Nil(t, slot)
			return err
		}))
	})
}

func TestSlotWaitIsBoundedByQueueTimeout(t *testing.T) {
	db := storagetest.SQLite(t)
	ctx := storagetest.Tenant(t)
	r := replicas(db, 1)[0]
	enter := func(ctx context.Context, then func(*queueSlot[*storagetest.Thing]) error) error {
		return r.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			slot, err := r.MergeQueue.enter(ctx, u, 1)
			return errors.Join(err, then(slot))
		})
	}
	require.NoError(t, enter(ctx, func(slot *queueSlot[*storagetest.Thing]) error {
		require.NotNil(t, slot)
		gone, hangUp := context.WithCancel(ctx)
		hangUp()
		unserved := func(slot *queueSlot[*storagetest.Thing]) error {
			require.Nil(t, slot)
			return nil
		}
		require.ErrorIs(t, enter(gone, unserved), context.Canceled)
		return enter(ctx, unserved)
	}))
	require.Empty(t, r.MergeQueue.queues)
}

// In whatever order the units of two processes run, no edit is lost.
// Proves G1.3.
func TestMergesOfTwoProcessesAreAllApplied(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		seen := newThing(t, ctx, db)
		both := replicas(db, 2)
		patches := []string{`{"name":"name %d"}`, `{"amount":%d}`, `{"status":%d}`}
		const each = 30
		var writing sync.WaitGroup
		errs := make([]error, len(patches))
		for i, patch := range patches {
			writing.Go(func() {
				row := seen
				for n := range each {
					edited, err := both[(i+n)%2].edit(ctx, row, fmt.Sprintf(patch, n+1), nil)
					if err != nil {
						errs[i] = err
						return
					}
					row = edited.Row
				}
			})
		}
		writing.Wait()
		require.NoError(t, errors.Join(errs...))
		both[0].become(t, ctx, seen.ID, 1+each*3, content{fmt.Sprint("name ", each), each, each})
	})
}
