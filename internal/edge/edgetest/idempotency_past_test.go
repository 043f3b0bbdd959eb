package edgetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/idempotency"
)

// alone runs a test with a database that it may restore to an earlier state.
func alone(t *testing.T, test func(t *testing.T, ctx context.Context, db *storage.DB, d desk)) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) { test(t, ctx, db, newDesk(db)) })
}

func (d desk) look(t *testing.T, ctx context.Context) {
	t.Helper()
	require.NoError(t, d.epochs.Check(ctx))
}

func epochOf(t *testing.T, ctx context.Context, db *storage.DB) epoch.Epoch {
	t.Helper()
	now, err := epoch.Read(ctx, db)
	require.NoError(t, err)
	return now
}

// Proves R1.
func TestNewEpochClearsTheMemory(t *testing.T) {
	alone(t, func(t *testing.T, ctx context.Context, db *storage.DB, d desk) {
		d.make(t, ctx, "before")
		goBack := storagetest.Past(t, db.URL)
		d.make(t, ctx, "lost")
		open := d.begin(t, ctx, "open")
		d.commit(t, ctx, open)
		goBack()
		_, err := epoch.Change(ctx, db, epochOf(t, ctx, db), d.clock.Now(), "It was restored.")
		require.NoError(t, err)
		d.look(t, ctx)
		require.False(t, d.replays(t, ctx, "lost"))
		require.True(t, d.replays(t, ctx, "before"), "the database has it")
	})
}

// Proves R1.
func TestAttemptOfAnEarlierEpochIsNotCached(t *testing.T) {
	alone(t, func(t *testing.T, ctx context.Context, db *storage.DB, d desk) {
		attempt := d.begin(t, ctx, "late")
		goBack := storagetest.Past(t, db.URL)
		require.NoError(t, d.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			// The database is restored between its COMMIT and AfterCommit.
			u.AfterCommit(func(ctx context.Context) {
				goBack()
				_, err := epoch.Change(ctx, db, epochOf(t, ctx, db), d.clock.Now(), "It was restored.")
				require.NoError(t, err)
				d.look(t, ctx)
				require.False(t, d.replays(t, ctx, "other"), "the memory belongs to the new epoch")
			})
			return attempt.Store(ctx, u, made)
		}))
		attempt.End(ctx)
		require.False(t, d.replays(t, ctx, "late"))
	})
}

// Proves R1.
func TestLostReplyChangesTheEpoch(t *testing.T) {
	cases := map[string]struct {
		// lose creates a record; then the database is restored to the state before.
		lose func(t *testing.T, ctx context.Context, db *storage.DB, d desk)
		// after runs between the restore and the check.
		after func(t *testing.T, ctx context.Context, db *storage.DB, d desk)
		// recreated is set if another server has recorded a reply under the same key.
		recreated bool
	}{
		"the last record": {lose: func(t *testing.T, ctx context.Context, _ *storage.DB, d desk) { d.make(t, ctx, "lost") }},
		"its id is reused": {
			lose:  func(t *testing.T, ctx context.Context, _ *storage.DB, d desk) { d.make(t, ctx, "lost") },
			after: func(t *testing.T, ctx context.Context, _ *storage.DB, d desk) { d.make(t, ctx, "next") },
		},
		"its id is reused by the same request": {
			lose: func(t *testing.T, ctx context.Context, _ *storage.DB, d desk) { d.make(t, ctx, "lost") },
			after: func(t *testing.T, ctx context.Context, db *storage.DB, d desk) {
				elsewhere := newDesk(db)
				elsewhere.clock.Advance(time.Millisecond)
				elsewhere.make(t, ctx, "lost")
			},
			recreated: true,
		},
		"many records follow": {
			lose: func(t *testing.T, ctx context.Context, _ *storage.DB, d desk) { d.make(t, ctx, "lost") },
			after: func(t *testing.T, ctx context.Context, _ *storage.DB, d desk) {
				for i := range 100 {
					d.clock.Advance(time.Millisecond)
					d.make(t, ctx, string(rune('a'+i)))
				}
			},
		},
		"recorded by another process": {lose: func(t *testing.T, ctx context.Context, db *storage.DB, d desk) {
			newDesk(db).make(t, ctx, "lost")
			require.True(t, d.replays(t, ctx, "lost"))
		}},
		"a rejection": {lose: func(t *testing.T, ctx context.Context, _ *storage.DB, d desk) {
			attempt := d.begin(t, ctx, "lost")
			_, other := attempt.StoreCommitted(ctx, httpapi.StoredReply{Status: 409})
			require.False(t, other)
			attempt.End(ctx)
		}},
		"a part of a document": {lose: func(t *testing.T, ctx context.Context, _ *storage.DB, d desk) {
			request := order
			request.Key, request.Document = "document", true
			attempt, err := d.replies.Begin(ctx, request)
			require.NoError(t, err)
			require.NoError(t, d.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error { return attempt.StorePart(ctx, u, "1", []byte(`{}`)) }))
			attempt.End(ctx)
		}},
	}
	storagetest.BothAlone(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				ctx, d := storagetest.Tenant(t), newDesk(db)
				d.make(t, ctx, "before")
				d.look(t, ctx)
				goBack := storagetest.Past(t, db.URL)
				d.clock.Advance(time.Second)
				c.lose(t, ctx, db, d)
				before := epochOf(t, ctx, db)
				goBack()
				if c.after != nil {
					c.after(t, ctx, db, d)
				}
				d.look(t, ctx)
				require.NotEqual(t, before, epochOf(t, ctx, db), "all processes start a new epoch")
				require.Equal(t, c.recreated, d.replays(t, ctx, "lost"))
				require.True(t, d.replays(t, ctx, "before"))
			})
		}
	})
}

// A process that lost its connections checks the epoch before it replays from memory, not only at
// its next poll.
// Proves R2.
func TestMemoryIsNotUsedAfterAReconnect(t *testing.T) {
	alone(t, func(t *testing.T, ctx context.Context, db *storage.DB, d desk) {
		goBack := storagetest.Past(t, db.URL)
		d.make(t, ctx, "lost")
		goBack()
		before := db.LinkChanges()
		for db.LinkChanges() == before {
			conn, err := db.Pools()["read"].Conn(ctx)
			require.NoError(t, err)
			defer conn.Close()
		}
		require.False(t, d.replays(t, ctx, "lost"))
	})
}

// Proves R5.
func TestLaggingReplicaIsNoLoss(t *testing.T) {
	alone(t, func(t *testing.T, ctx context.Context, db *storage.DB, d desk) {
		before := epochOf(t, ctx, db)
		d.make(t, ctx, "new")
		late := func(tx *gorm.DB) {
			if records, ok := tx.Statement.Dest.(*[]idempotency.Record); ok {
				*records = nil
			}
		}
		require.NoError(t, db.Read(ctx).Callback().Query().After("gorm:query").Register("test:late", late))
		d.look(t, ctx)
		require.Equal(t, before, epochOf(t, ctx, db), "the primary has it")
	})
}

// Proves R5.
func TestReplyOfAnUnacknowledgedCommitIsNoLoss(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	d := newDesk(db)
	before := epochOf(t, ctx, db)
	tap.RefuseNext("COMMIT", storagetest.Refusal{Number: 1180, Message: "Got error 1 during COMMIT", Executed: true})
	attempt := d.begin(t, ctx, "new")
	require.NoError(t, d.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		if err := attempt.Store(ctx, u, made); err != nil {
			return err
		}
		u.AuditOnly(uow.Entry{Action: "order.create", Resource: "orders/1"})
		return nil
	}))
	attempt.End(ctx)
	d.look(t, ctx)
	require.Equal(t, before, epochOf(t, ctx, db), "the record exists, whatever its id")
	require.True(t, d.replays(t, ctx, "new"))
	d.look(t, ctx)
	require.Equal(t, before, epochOf(t, ctx, db))
}

func TestDeletedPartsOfABatchAreNoLoss(t *testing.T) {
	alone(t, func(t *testing.T, ctx context.Context, db *storage.DB, d desk) {
		before := epochOf(t, ctx, db)
		attempt := d.begin(t, ctx, "batch")
		require.NoError(t, d.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			return attempt.StorePart(ctx, u, "1", []byte(`{}`))
		}))
		_, other := attempt.StoreCommitted(ctx, httpapi.StoredReply{Status: 200, Body: []byte(`{}`)})
		require.False(t, other)
		attempt.End(ctx)
		require.EqualValues(t, 1, count(t, ctx, db, "idempotency_keys"))
		d.look(t, ctx)
		require.Equal(t, before, epochOf(t, ctx, db))
		require.True(t, d.replays(t, ctx, "batch"))
	})
}

// Proves R5.
func TestExpiredRecordsAreNoLoss(t *testing.T) {
	alone(t, func(t *testing.T, ctx context.Context, db *storage.DB, d desk) {
		before := epochOf(t, ctx, db)
		d.make(t, ctx, "old")
		ahead := newDesk(db)
		ahead.clock.Advance(idempotency.DefaultRetention)
		d.clock.Advance(idempotency.DefaultRetention - 4*time.Minute)
		require.NoError(t, ahead.replies.Sweep(ctx, 10), "by a process with a fast clock")
		require.Zero(t, count(t, ctx, db, "idempotency_keys"))
		d.look(t, ctx)
		require.Equal(t, before, epochOf(t, ctx, db))
		require.False(t, d.replays(t, ctx, "old"), "nor is it replayed from memory")
	})
}

func TestReplayFromMemorySendsNoStatement(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	ctx, d := storagetest.Tenant(t), newDesk(db)
	d.make(t, ctx, "k-1")
	require.True(t, d.replays(t, ctx, "k-1"), "all connections are open")
	statements.Take()
	for range 3 {
		require.True(t, d.replays(t, ctx, "k-1"))
	}
	require.Empty(t, statements.Take())
}
