package flashsale_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/flashsale"
	"interlock/test/world"
)

// The list is the same whichever store the gate has.
func TestCustomerListsTheirTicketsOfAllSales(t *testing.T) {
	allMarkets(t, func(t *testing.T, s *market) {
		list := func(user, query string) object {
			return s.must(t, 200, http.MethodGet, "/my/tickets"+query, nil, "Customer", user).Body
		}
		const buyer, other = "auth0|1", "auth0|2"
		buy := func(sale, user string, quantity int) any {
			return s.must(t, 202, http.MethodPost, sale+"/orders", object{"quantity": quantity}, "Customer", user).Body["ticket"]
		}
		first := s.open(t, nil)
		placed := buy(first, buyer, 2)
		buy(first, other, 1)
		s.consume(t, first)
		second := s.plan(t, object{"name": "Evening sale"})
		s.must(t, 200, http.MethodPost, second+"/open", nil)
		waiting := buy(second, buyer, 1)
		p, _ := principal.From(s.Ctx)
		for i, ticket := range []string{"REJECTED-1", "REJECTED-2"} {
			require.NoError(t, s.DB.Write(s.Ctx).Create(&flashsale.Rejection{
				TenantID: p.TenantID, Ticket: ticket, SaleID: idOf(first), UserID: buyer, Units: 1, Reason: "sold_out", CreatedTime: world.Opening.Add(-time.Duration(i+1) * time.Minute),
			}).Error)
		}

		all := list(buyer, "")
		require.EqualValues(t, 4, all["total"])
		require.Equal(t, true, all["totalIsExact"])
		require.Nil(t, all["nextCursor"])
		items := all["items"].([]any)
		row := func(i int) []any {
			return world.Members(items[i].(object), "ticket", "flashSaleId", "status", "quantity", "reason")
		}
		require.Len(t, items, 4)
		require.Equal(t, []any{waiting, float64(idOf(second)), "queued", 1.0, nil}, row(0))
		require.Equal(t, []any{placed, float64(idOf(first)), "confirmed", 2.0, nil}, row(1))
		require.NotZero(t, items[1].(object)["orderId"])
		require.Equal(t, []any{"REJECTED-1", float64(idOf(first)), "rejected", 1.0, "sold_out"}, row(2))
		require.Equal(t, []any{"REJECTED-2", float64(idOf(first)), "rejected", 1.0, "sold_out"}, row(3))

		var paged []any
		for query := "?limit=1"; ; {
			page := list(buyer, query)
			paged = append(paged, page["items"].([]any)...)
			if page["nextCursor"] == nil {
				break
			}
			query = "?limit=1&cursor=" + page["nextCursor"].(string)
		}
		require.Equal(t, items, paged)

		s.consume(t, second)
		require.Equal(t, "confirmed", list(buyer, "?limit=1")["items"].([]any)[0].(object)["status"])
		require.Len(t, list(other, "")["items"], 1)
		require.Empty(t, list("auth0", "")["items"])
		for _, invalid := range []string{"?cursor=x", "?sort=id"} {
			require.Equal(t, http.StatusBadRequest, s.send(t, http.MethodGet, "/my/tickets"+invalid, nil, "Customer", buyer).Status, invalid)
		}
		require.Equal(t, http.StatusForbidden, s.send(t, http.MethodGet, "/my/tickets", nil).Status)
	})
}
