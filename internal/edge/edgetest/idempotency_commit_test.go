package edgetest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/idempotency"
	"interlock/internal/lock"
)

// desk is a ReplyStore with its dependencies.
type desk struct {
	replies *idempotency.ReplyStore
	runner  *uow.Runner
	epochs  *epoch.Watch
	clock   *clock.Fake
}

func newDesk(db *storage.DB) desk {
	locks, now := lock.NewInProcess(lock.Observer{}), clock.NewFake(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC))
	d := desk{clock: now, epochs: epoch.NewWatch(db, now), runner: uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: now})}
	d.replies = idempotency.New(idempotency.Deps{DB: db, Locks: locks, Clock: now, Epochs: d.epochs})
	return d
}

// begin starts an attempt at an order under a key.
func (d desk) begin(t *testing.T, ctx context.Context, key string) httpapi.Attempt {
	t.Helper()
	request := order
	request.Key = key
	attempt, err := d.replies.Begin(ctx, request)
	require.NoError(t, err)
	return attempt
}

// commit commits a reply in an attempt and ends the attempt.
func (d desk) commit(t *testing.T, ctx context.Context, attempt httpapi.Attempt) {
	t.Helper()
	require.NoError(t, d.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error { return attempt.Store(ctx, u, made) }))
	attempt.End(ctx)
}

// make creates an order under a key.
func (d desk) make(t *testing.T, ctx context.Context, key string) {
	t.Helper()
	d.commit(t, ctx, d.begin(t, ctx, key))
}

// replays reports whether a request under the key would receive a stored reply.
func (d desk) replays(t *testing.T, ctx context.Context, key string) bool {
	t.Helper()
	attempt := d.begin(t, ctx, key)
	defer attempt.End(ctx)
	_, replays := attempt.Replay()
	return replays
}

var (
	errTea = errors.New("out of tea")
	order  = httpapi.KeyedRequest{Key: "k-1", Method: http.MethodPost, Path: "/api/v1/orders"}
	made   = httpapi.StoredReply{Status: http.StatusCreated, Header: http.Header{}, Body: []byte(`{"id":1}`)}
)

// undoings roll a unit back between the insertion of its reply and COMMIT.
var undoings = map[string]func(u *uow.Unit) error{
	"the handler fails after it": func(*uow.Unit) error { return errTea },
	"the last statement fails": func(u *uow.Unit) error {
		u.BeforeCommit(func(context.Context, *gorm.DB) error { return errTea })
		return nil
	},
}

// lateLocks disconnects the caller after each acquired lease.
type lateLocks struct {
	lock.Locker
	hangUp func()
}

func (l lateLocks) Acquire(ctx context.Context, wait time.Duration, keys ...string) (lock.Lease, error) {
	lease, err := l.Locker.Acquire(ctx, wait, keys...)
	l.hangUp()
	return lease, err
}

// Nothing else would release the lease: it would be extended until the process ends.
func TestDisconnectWhileAcquiringTheLeaseReleasesTheKey(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		disconnected, hangUp := context.WithCancel(ctx)
		locks := lock.NewInProcess(lock.Observer{})
		d := newDesk(db)
		replies := idempotency.New(idempotency.Deps{DB: db, Locks: lateLocks{locks, hangUp}, Clock: d.clock, Epochs: d.epochs})
		_, err := replies.Begin(disconnected, order)
		require.ErrorIs(t, err, context.Canceled)

		held, err := locks.Held(ctx)
		require.NoError(t, err)
		require.Empty(t, held)
		attempt, err := replies.Begin(ctx, order)
		require.NoError(t, err)
		attempt.End(ctx)
	})
}

// A reply that is cached before its COMMIT would be replayed without an effect.
// Proves G3.11.
func TestRepliesAreCachedOnlyAfterCommit(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		for name, undo := range undoings {
			d := newDesk(db)
			attempt, err := d.replies.Begin(ctx, order)
			require.NoError(t, err, name)
			err = d.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				return errors.Join(attempt.Store(ctx, u, made), undo(u))
			})
			require.ErrorIs(t, err, errTea, name)
			attempt.End(ctx)
			require.False(t, d.replays(t, ctx, order.Key), name)
		}
	})
}

// Proves G3.11.
func TestUnrecordedRejectionIsNotCached(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(db)
		refuse := func(tx *gorm.DB) { _ = tx.AddError(errTea) }
		require.NoError(t, db.Write(ctx).Callback().Create().Before("gorm:create").Register("test:refuse", refuse))
		attempt, err := d.replies.Begin(ctx, order)
		require.NoError(t, err)
		_, other := attempt.StoreCommitted(ctx, httpapi.StoredReply{Status: http.StatusConflict, Header: http.Header{}})
		require.False(t, other)
		attempt.End(ctx)
		require.False(t, d.replays(t, ctx, order.Key))
	})
}

func TestBatchReplyIsRecordedAfterACommitConflict(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	d := newDesk(db)
	attempt := d.begin(t, ctx, "batch")
	require.NoError(t, d.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error { return attempt.StorePart(ctx, u, "1", []byte(`{}`)) }))
	commits := 0
	var inserts []string
	tap.Refuse(func(statement string) *storagetest.Refusal {
		switch {
		case strings.HasPrefix(statement, "INSERT INTO `idempotency_keys`"):
			inserts = append(inserts, statement)
		case statement == "COMMIT":
			if commits++; commits == 1 {
				return &storagetest.Refusal{Number: 1213, Message: "Deadlock found when trying to get lock; try restarting transaction"}
			}
		}
		return nil
	})
	_, other := attempt.StoreCommitted(ctx, made)
	require.False(t, other)
	attempt.End(ctx)
	require.True(t, newDesk(db).replays(t, ctx, "batch"))
	require.EqualValues(t, 1, count(t, ctx, db, "idempotency_keys"), "the reply of the batch replaces its part")
	require.Len(t, inserts, 2)
	require.NotContains(t, inserts[1], "`id`", "the id of the rolled back run may belong to another record")
}

// Proves G3.11.
func TestRolledBackPartOfADocumentIsNotRecorded(t *testing.T) {
	document := order
	document.Document = true
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		for name, undo := range undoings {
			d := newDesk(db)
			ctx := storagetest.Tenant(t)
			attempt, err := d.replies.Begin(ctx, document)
			require.NoError(t, err, name)
			keep := func(part string, undo func(u *uow.Unit) error) error {
				return d.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					return errors.Join(attempt.StorePart(ctx, u, part, []byte(`{}`)), undo(u))
				})
			}
			require.ErrorIs(t, keep("1", undo), errTea, name)
			require.NoError(t, keep("2", func(*uow.Unit) error { return nil }), name)
			attempt.End(ctx)

			for where, replies := range map[string]*idempotency.ReplyStore{"here": d.replies, "elsewhere": newDesk(db).replies} {
				again, err := replies.Begin(ctx, document)
				require.NoError(t, err, where)
				parts, err := again.Parts(ctx)
				require.NoError(t, err, where)
				require.Equal(t, map[string][]byte{"2": []byte(`{}`)}, parts, "%s, %s", name, where)
				again.End(ctx)
				elsewhere := order
				elsewhere.Path = "/api/v1/wallets"
				_, err = replies.Begin(ctx, elsewhere)
				require.True(t, apperr.Has(err, apperr.IdempotencyKeyReused), "%s, %s: %v", name, where, err)
			}
		}
	})
}
