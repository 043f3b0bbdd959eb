package activity

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

func TestEachCustomerIDIsADifferentActor(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		names := []principal.CustomerID{"7", "07", "-7", "li", "Li", "a/b", "a", "user-7", "customer:7", "shop/li+1=x@example.com"}
		for i, name := range names {
			a := s.called(name).tap(t, "SKU-1", "like", int64(1+i), true)
			require.Equal(t, reply(true, int64(1+i), "applied"), a.Body, name)
		}
		admin := s.as(principal.Principal{Kind: principal.Admin, UserID: 7})
		require.Equal(t, object{"active": false, "lastActionId": 0.0}, own(admin.look(t, "SKU-1"), "like"), "the admin 7 is not the customer 7")
		for i, name := range names {
			require.Equal(t, object{"active": true, "lastActionId": float64(1 + i)}, own(s.called(name).look(t, "SKU-1"), "like"), name)
			require.Equal(t, http.StatusOK, s.called(name).tap(t, "SKU-1", "like", 100, false).Status, name)
		}
		require.Equal(t, object{"like": 0.0, "dislike": 0.0, "bookmark": 0.0}, admin.look(t, "SKU-1")["counts"])
	})
}

// The shard of a customer with a numeric name is that number. With another shard, the
// withdrawal of an action from before customers had names would make a shard negative.
func TestWithdrawnLikeIsSubtractedFromItsShard(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := openActions(ctx, t, db)
		const number, shards = 1_000_045, 32
		require.Equal(t, http.StatusOK, s.customer(number).tap(t, "SKU-1", "like", 1, true).Status)
		tenant, _ := principal.From(ctx)
		var shard int
		require.NoError(t, db.Read(ctx).Raw("SELECT shard FROM action_counts WHERE tenant_id = ? AND likes = 1", tenant.TenantID).Scan(&shard).Error)
		require.Equal(t, number%shards, shard)
	})
}
