package edgetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/edge/idempotency"
	"interlock/internal/lock"
)

type object = map[string]any

// faulty is a service with one route, which creates a thing and then calls fail.
type faulty struct {
	*httpapitest.Caller
	replies *idempotency.ReplyStore
	clock   *clock.Fake
	// fail is called when the thing and its audit entry are in the transaction.
	fail func() error
}

func newFaulty(t *testing.T, ctx context.Context, db *storage.DB, storeServerErrors bool) *faulty {
	t.Helper()
	storagetest.CreateThings(t, ctx, db)
	locks := lock.NewInProcess(lock.Observer{})
	f := &faulty{clock: clock.NewFake(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)), fail: func() error { return nil }}
	f.replies = idempotency.New(idempotency.Deps{DB: db, Locks: locks, Clock: f.clock, Epochs: epoch.NewWatch(db, f.clock), StoreServerErrors: storeServerErrors})
	runner := uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: f.clock})
	f.Caller = httpapitest.NewKeyed(ctx, runner, f.replies, func(r *httpapi.Router) {
		httpapi.Mutation(r, http.MethodPost, "/things", "", f.make)
	})
	return f
}

type makeRequest struct{ Body []byte }

func (f *faulty) make(ctx context.Context, u *uow.Unit, in makeRequest) (made httpapi.Created[object], err error) {
	thing := storagetest.Thing{Name: string(in.Body)}
	if err := guard.Insert(ctx, u, &thing); err != nil {
		return made, err
	}
	u.Audit(uow.Entry{Action: "thing.create", Resource: "things/" + thing.Name})
	return httpapi.Created[object]{Location: "/things/" + thing.Name, Body: object{"name": thing.Name}}, f.fail()
}

// Proves G3.12.
func TestServerErrorsAreStoredIfConfigured(t *testing.T) {
	faults := map[string]func() error{
		"a panic": func() error { panic("out of tea") },
		"a fault": func() error { return errors.New("out of tea") },
	}
	for fault, fail := range faults {
		for name, keep := range map[string]bool{" is stored": true, " is not stored": false} {
			t.Run(fault+name, func(t *testing.T) {
				storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
					f := newFaulty(t, ctx, db, keep)
					post := func() httpapitest.Answer {
						return f.Send(t, http.MethodPost, "/things", `"tea"`, "X-Idempotency-Key", "k-1")
					}
					f.fail = fail
					first := post()
					require.Equal(t, http.StatusInternalServerError, first.Status)
					require.Equal(t, "internal", first.Body["code"])
					require.NotContains(t, first.Body["detail"], "tea", "the cause is not public")
					require.Zero(t, count(t, ctx, db, "things"), "rolled back")
					require.Zero(t, count(t, ctx, db, "audit_entries"))

					f.fail = func() error { return nil }
					again := post()
					if keep {
						require.Equal(t, "true", again.Header.Get(httpapi.HeaderReplay))
						require.Equal(t, first.Status, again.Status)
						require.Equal(t, first.Body, again.Body)
						require.Equal(t, first.Header.Get("Content-Type"), again.Header.Get("Content-Type"))
						require.Zero(t, count(t, ctx, db, "things"), "a stored error is replayed")
						require.EqualValues(t, 1, count(t, ctx, db, "idempotency_keys"))
						return
					}
					require.Equal(t, http.StatusCreated, again.Status)
					require.Empty(t, again.Header.Get(httpapi.HeaderReplay))
					require.EqualValues(t, 1, count(t, ctx, db, "things"))
					replay := post()
					require.Equal(t, "true", replay.Header.Get(httpapi.HeaderReplay))
					require.Equal(t, again.Body, replay.Body)
				})
			})
		}
	}
}

// Proves G3.12.
func TestRepliesWithRetryAfterAreNotStored(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := newFaulty(t, ctx, db, true)
		f.fail = func() error { return context.DeadlineExceeded }
		first := f.Send(t, http.MethodPost, "/things", `"tea"`, "X-Idempotency-Key", "k-1")
		require.Equal(t, http.StatusServiceUnavailable, first.Status)
		require.NotEmpty(t, first.Header.Get("Retry-After"))
		f.fail = func() error { return nil }
		again := f.Send(t, http.MethodPost, "/things", `"tea"`, "X-Idempotency-Key", "k-1")
		require.Equal(t, http.StatusCreated, again.Status, again.Body)
		require.EqualValues(t, 1, count(t, ctx, db, "things"))
	})
}

func TestExpiredKeysAreReusableAndSwept(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := newFaulty(t, ctx, db, false)
		post := func(key, name string) httpapitest.Answer {
			return f.Send(t, http.MethodPost, "/things", name, "X-Idempotency-Key", key)
		}
		require.Equal(t, http.StatusCreated, post("old", "tea").Status)
		f.clock.Advance(idempotency.DefaultRetention - time.Second)
		require.Equal(t, http.StatusCreated, post("young", "coffee").Status)
		require.NoError(t, f.replies.Sweep(ctx, 1))
		require.EqualValues(t, 2, count(t, ctx, db, "idempotency_keys"), "one second is left")

		f.clock.Advance(time.Second)
		fresh := post("old", "cocoa")
		require.Equal(t, http.StatusCreated, fresh.Status, "before the sweeper runs")
		require.Empty(t, fresh.Header.Get(httpapi.HeaderReplay))
		require.EqualValues(t, 2, count(t, ctx, db, "idempotency_keys"), "the new record replaces the expired one")
		require.Equal(t, "true", post("old", "cocoa").Header.Get(httpapi.HeaderReplay))

		f.clock.Advance(idempotency.DefaultRetention)
		require.NoError(t, f.replies.Sweep(ctx, 1))
		require.Zero(t, count(t, ctx, db, "idempotency_keys"))
		require.EqualValues(t, 3, count(t, ctx, db, "things"), "their effects remain")
	})
}

// count counts the rows of the context's tenant in a table.
func count(t *testing.T, ctx context.Context, db *storage.DB, table string) int64 {
	t.Helper()
	var n int64
	actor, _ := principal.From(ctx)
	require.NoError(t, db.Read(ctx).Raw("SELECT COUNT(*) FROM "+table+" WHERE tenant_id = ?", actor.TenantID).Scan(&n).Error)
	return n
}

// newBatches returns a service with one route, which creates each thing of a list in a separate
// unit of work.
func newBatches(t *testing.T, ctx context.Context, db *storage.DB) (f *faulty, runs *atomic.Int64) {
	t.Helper()
	storagetest.CreateThings(t, ctx, db)
	locks := lock.NewInProcess(lock.Observer{})
	f, runs = &faulty{clock: clock.NewFake(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC))}, &atomic.Int64{}
	f.replies = idempotency.New(idempotency.Deps{DB: db, Locks: locks, Clock: f.clock, Epochs: epoch.NewWatch(db, f.clock)})
	runner := uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: f.clock})
	f.Caller = httpapitest.NewKeyed(ctx, runner, f.replies, func(r *httpapi.Router) {
		httpapi.MultiUnit(r, http.MethodPost, "/thing-batches", "", func(ctx context.Context, b *httpapi.Batch, in eachRequest) (object, error) {
			return f.makeEach(ctx, b, in.Body, runs)
		})
	})
	return f, runs
}

type eachRequest struct{ Body names }

type names []string

// ReadBody implements httpapi.BodyReader, because names is not an object.
func (n *names) ReadBody(text []byte) error { return json.Unmarshal(text, n) }

func (f *faulty) makeEach(ctx context.Context, b *httpapi.Batch, names names, runs *atomic.Int64) (object, error) {
	made := make([]string, len(names))
	for i, name := range names {
		err := b.Do(ctx, name, &made[i], func(ctx context.Context, u *uow.Unit) error {
			thing := storagetest.Thing{Name: name}
			if err := guard.Insert(ctx, u, &thing); err != nil {
				return err
			}
			u.Audit(uow.Entry{Action: "thing.create", Resource: "things/" + name})
			made[i] = fmt.Sprintf("%s in run %d", name, runs.Add(1))
			return f.fail()
		})
		if err != nil {
			return nil, err
		}
	}
	return object{"made": made}, nil
}

func TestPartsOfABatchAreStoredUntilItsReply(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f, runs := newBatches(t, ctx, db)
		post := func(body string) httpapitest.Answer {
			return f.Send(t, http.MethodPost, "/thing-batches", body, "X-Idempotency-Key", "k-1")
		}
		f.fail = func() error {
			if runs.Load() == 3 {
				return errors.New("out of tea")
			}
			return nil
		}
		require.Equal(t, http.StatusInternalServerError, post(`["a","b","c"]`).Status)
		require.EqualValues(t, 2, count(t, ctx, db, "things"))
		require.EqualValues(t, 2, count(t, ctx, db, "idempotency_keys"))
		found, err := f.replies.ByKey(ctx, "a", 10)
		require.NoError(t, err)
		require.Empty(t, found, "parts have no public key")

		other := post(`["a","b","x"]`)
		require.Equal(t, http.StatusUnprocessableEntity, other.Status, "another body with parts of the same names")
		require.Equal(t, "idempotency_key_reused", other.Body["code"])
		require.EqualValues(t, 2, count(t, ctx, db, "things"))
	})
}

// Proves G6.7.
func TestRepeatOfABatchExecutesTheRest(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f, runs := newBatches(t, ctx, db)
		post := func() httpapitest.Answer {
			return f.Send(t, http.MethodPost, "/thing-batches", `["a","b","c"]`, "X-Idempotency-Key", "k-1")
		}
		f.fail = func() error {
			if runs.Load() == 3 {
				return errors.New("out of tea")
			}
			return nil
		}
		require.Equal(t, http.StatusInternalServerError, post().Status)
		again := post()
		require.Equal(t, object{"made": []any{"a in run 1", "b in run 2", "c in run 4"}}, again.Body)
		require.Empty(t, again.Header.Get(httpapi.HeaderReplay), "no reply was sent before")
		require.EqualValues(t, 3, count(t, ctx, db, "things"))
		require.EqualValues(t, 3, count(t, ctx, db, "audit_entries"))
		var keys []string
		require.NoError(t, db.Read(ctx).Model(&uow.AuditRow{}).Distinct().Pluck("idempotency_key", &keys).Error)
		require.Equal(t, []string{"k-1"}, keys, "audit entries have the key of their request")
		require.EqualValues(t, 1, count(t, ctx, db, "idempotency_keys"), "the reply of the batch replaces its parts")
		replay := post()
		require.Equal(t, "true", replay.Header.Get(httpapi.HeaderReplay))
		require.Equal(t, again.Body, replay.Body)
	})
}

func TestPartsOfABatchExpire(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f, runs := newBatches(t, ctx, db)
		f.fail = func() error {
			if runs.Load() == 2 {
				return errors.New("out of tea")
			}
			return nil
		}
		post := func() httpapitest.Answer {
			return f.Send(t, http.MethodPost, "/thing-batches", `["a","b"]`, "X-Idempotency-Key", "k-1")
		}
		require.Equal(t, http.StatusInternalServerError, post().Status)
		require.EqualValues(t, 1, count(t, ctx, db, "idempotency_keys"))
		f.clock.Advance(idempotency.DefaultRetention)
		require.Equal(t, http.StatusInternalServerError, post().Status, "a is requested again and already exists")
		require.Zero(t, count(t, ctx, db, "idempotency_keys"))
		require.EqualValues(t, 1, count(t, ctx, db, "things"))
	})
}
