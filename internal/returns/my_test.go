package returns_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/shop"
	"interlock/test/world"
)

// as returns a caller that is a customer of the shop.
func as(s *shop.Shop, id principal.CustomerID) *httpapitest.Caller {
	p, _ := principal.From(s.Ctx)
	return s.For(principal.With(s.Ctx, principal.Principal{
		Kind: principal.Customer, TenantID: p.TenantID, Currency: p.Currency, CustomerID: id, Name: "customer " + string(id),
	}))
}

func TestCustomerReturnsGoodsOfTheirOrder(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		order := shipped(t, s, 2)
		mine := fmt.Sprintf("/my/orders/%d/returns", world.ID(order))
		buyer := as(s, principal.CustomerID(order["userId"].(string)))

		for _, again := range []bool{false, true} {
			reply := buyer.Send(t, http.MethodPost, mine, units(1), "X-Idempotency-Key", "return-1")
			require.Equal(t, http.StatusCreated, reply.Status, reply.Text)
			require.Equal(t, again, reply.Header.Get("X-Idempotency-Replay") == "true")
			require.Equal(t, "requested", reply.Body["status"])
		}
		require.Equal(t, http.StatusUnprocessableEntity, buyer.Send(t, http.MethodPost, mine, units(2)).Status)
		listed := buyer.Send(t, http.MethodGet, mine, nil)
		require.Len(t, listed.Body["items"], 1)
		row := listed.Body["items"].([]any)[0].(object)
		require.Equal(t, "too small", row["reason"])
		for _, internal := range []string{"userId", "refundId", "updatedBy", "version", "etag", "allowedTransitions"} {
			require.NotContains(t, row, internal)
		}
		require.NotContains(t, row["lines"].([]any)[0], "restocked")

		staff := s.Get(t, path(row)).Body
		require.Equal(t, order["userId"], staff["userId"])
		require.Equal(t, "customer "+order["userId"].(string), staff["updatedBy"].(object)["name"])
		s.Post(t, 200, path(row)+"/reject", object{"reason": "The seal is broken."})
		row = buyer.Send(t, http.MethodGet, mine, nil).Body["items"].([]any)[0].(object)
		require.Equal(t, []any{"rejected", "The seal is broken."}, world.Members(row, "status", "statusReason"))
		s.RequirePromises(t)

		for _, method := range []string{http.MethodGet, http.MethodPost} {
			require.Equal(t, http.StatusNotFound, as(s, "stranger").Send(t, method, mine, units(1)).Status, "an order of another customer")
			require.Equal(t, http.StatusForbidden, s.Send(t, method, mine, units(1)).Status, "an admin is not a customer")
		}
		require.Equal(t, http.StatusForbidden, buyer.Send(t, http.MethodPost, shop.OrderPath(order)+"/returns", units(1)).Status)
		require.EqualValues(t, 1, s.CountRows(t, "returns", "1 = 1"))
	})
}
