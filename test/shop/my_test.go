package shop

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
	"interlock/internal/orders"
	"interlock/test/world"
)

// customer returns a caller that acts as a customer of the shop.
func (s *Shop) customer(id principal.CustomerID) *httpapitest.Caller {
	p, _ := principal.From(s.Ctx)
	return s.For(principal.With(s.Ctx, principal.Principal{
		Kind: principal.Customer, TenantID: p.TenantID, Currency: p.Currency, CustomerID: id, Name: "customer " + string(id),
	}))
}

func TestCustomerReadsOnlyTheirRecords(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 1990, Plenty)
		s.Fund(t, "ana", 5000)
		code := s.Issue(t, s.Campaign(t, nil), object{"userIds": []string{"ana"}})[0]
		hers := s.Create(t, "/orders", object{"userId": "ana", "items": []object{Line("TEA-1", 2)}})
		his := s.Create(t, "/orders", object{"userId": "ben", "items": []object{Line("TEA-1", 1)}})
		require.NoError(t, db.Write(ctx).Model(&orders.Order{}).Where("id = ?", world.ID(hers)).UpdateColumn("note", "difficult").Error)

		ana := s.customer("ana")
		listed := ana.Send(t, http.MethodGet, "/my/orders", nil)
		require.Equal(t, http.StatusOK, listed.Status, listed.Text)
		require.Len(t, listed.Body["items"], 1)
		order := ana.Send(t, http.MethodGet, fmt.Sprintf("/my/orders/%d", world.ID(hers)), nil)
		require.Equal(t, http.StatusOK, order.Status, order.Text)
		require.Equal(t, listed.Body["items"].([]any)[0], any(order.Body))
		require.Equal(t, hers["orderNo"], order.Body["orderNo"])
		require.EqualValues(t, 3980, order.Body["amount"])
		for _, internal := range []string{"note", "tags", "metadata", "updatedBy", "version", "etag", "cancelReason", "allowedTransitions", "refundReserved"} {
			require.NotContains(t, order.Body, internal)
		}
		require.Equal(t, http.StatusNotFound, ana.Send(t, http.MethodGet, fmt.Sprintf("/my/orders/%d", world.ID(his)), nil).Status)
		require.Equal(t, http.StatusForbidden, ana.Send(t, http.MethodGet, OrderPath(hers), nil).Status)

		require.Equal(t, object{"balance": 5000.0, "currency": s.currency()}, ana.Send(t, http.MethodGet, "/my/wallet", nil).Body)
		coupons := ana.Send(t, http.MethodGet, "/my/coupons", nil).Body["items"].([]any)
		require.Len(t, coupons, 1)
		require.Equal(t, code, coupons[0].(object)["code"])
		require.NotContains(t, coupons[0], "updatedBy")

		ben := s.customer("ben")
		require.Empty(t, ben.Send(t, http.MethodGet, "/my/coupons", nil).Body["items"])
		require.EqualValues(t, 0, ben.Send(t, http.MethodGet, "/my/wallet", nil).Body["balance"])

		for _, path := range []string{"/my/orders", "/my/wallet", "/my/coupons", fmt.Sprintf("/my/orders/%d", world.ID(hers))} {
			require.Equal(t, http.StatusForbidden, s.Send(t, http.MethodGet, path, nil).Status, "an admin is not a customer")
		}
	})
}

func (s *Shop) currency() string { return principal.CurrencyOf(s.Ctx) }
