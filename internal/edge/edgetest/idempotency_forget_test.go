package edgetest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Servers detect a restored database by missing records, so an erased record must not look like a
// lost one.
// Proves E8.
func TestErasedRepliesAreNotReportedAsLost(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(db)
		require.NoError(t, d.epochs.Check(ctx))
		admin, _ := principal.From(ctx)
		customer := principal.With(ctx, principal.Principal{Kind: principal.Customer, TenantID: admin.TenantID, CustomerID: "kim-4711", Name: "Kim Wu"})
		keep := func(ctx context.Context, key, path, body string) {
			attempt, err := d.replies.Begin(ctx, httpapi.KeyedRequest{Key: key, Method: http.MethodPost, Path: path})
			require.NoError(t, err)
			require.NoError(t, d.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				return attempt.Store(ctx, u, httpapi.StoredReply{Status: http.StatusCreated, Header: http.Header{}, Body: []byte(body)})
			}))
			attempt.End(ctx)
		}
		keep(customer, "his", "/api/v1/actions", `{}`)
		keep(ctx, "in the path", "/api/v1/wallets/kim-4711/entries", `{}`)
		keep(ctx, "in the reply", "/api/v1/orders", `{"userId":"kim-4711"}`)
		keep(ctx, "about him", "/api/v1/orders/17/cancel", `{"reason":"he moved"}`)
		keep(ctx, "of others", "/api/v1/orders/18/cancel", `{"reason":"broken"}`)

		done, err := d.replies.Forget(ctx, "kim-4711", "erased-x", map[string]bool{"orders/17": true})
		require.NoError(t, err)
		require.Equal(t, 4, done.Records)
		require.Zero(t, done.Kept)
		var rows []map[string]any
		require.NoError(t, db.Read(ctx).Raw("SELECT scope, path, actor_id, actor_name, reply FROM idempotency_keys WHERE tenant_id = ? AND reply IS NULL", admin.TenantID).Scan(&rows).Error)
		require.Len(t, rows, 4)
		require.Equal(t, "customer:erased-x", rows[0]["scope"])
		require.Equal(t, "erased-x", rows[0]["actor_name"])

		now, err := epoch.Read(ctx, db)
		require.NoError(t, err)
		missing, err := d.replies.Missing(ctx, now)
		require.NoError(t, err)
		require.Empty(t, missing)

		fresh := newDesk(db) // another server with an empty memory
		attempt, err := fresh.replies.Begin(ctx, httpapi.KeyedRequest{Key: "in the path", Method: http.MethodPost, Path: "/api/v1/wallets/kim-4711/entries"})
		require.NoError(t, err)
		reply, replays := attempt.Replay()
		require.True(t, replays, "a repeat is not run again")
		require.Empty(t, reply.Body)
		attempt.End(ctx)

		d.clock.Advance(100 * time.Hour)
		again, err := d.replies.Forget(ctx, "kim-4711", "", nil)
		require.NoError(t, err)
		require.Zero(t, again.Records)
	})
}

// Many keys contain a short id without referring to the customer; they do not count.
// Proves E8.
func TestKeysContainingTheCustomerIDAreCounted(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		d := newDesk(db)
		for _, key := range []string{"till-7-31", "0190f5c2-7", "gift of kim-4711"} {
			d.make(t, ctx, key)
		}
		done, err := d.replies.Forget(ctx, "7", "erased-x", nil)
		require.NoError(t, err)
		require.Zero(t, done.Kept)
		done, err = d.replies.Forget(ctx, "kim-4711", "erased-y", nil)
		require.NoError(t, err)
		require.Equal(t, 1, done.Kept)
		require.True(t, done.Until.After(d.clock.Now()))
	})
}
