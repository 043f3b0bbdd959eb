package shop

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/module"
)

// Escaped, the second id is three times as long.
func TestLongestCustomerIDsAreStored(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		campaign := s.Campaign(t, nil)
		for _, id := range []string{"auth0|" + strings.Repeat("a", 122), strings.Repeat("|/", 64)} {
			s.Fund(t, principal.CustomerID(id), 5000)
			s.Issue(t, campaign, object{"userIds": []string{id}})
			order := s.Create(t, "/orders", object{"userId": id, "items": []object{Line("TEA-1", 1)}})
			s.Post(t, http.StatusOK, OrderPath(order)+"/pay", object{"method": "wallet"})
			require.EqualValues(t, 4900, s.Get(t, "/wallets/"+url.PathEscape(id)).Body["balance"])
			listed := s.Send(t, http.MethodGet, "/orders?userId="+url.QueryEscape(id), nil)
			require.Len(t, listed.Body["items"], 1, listed.Text)
			mine := s.customer(principal.CustomerID(id))
			require.Len(t, mine.Send(t, http.MethodGet, "/my/orders", nil).Body["items"], 1)
			require.Len(t, mine.Send(t, http.MethodGet, "/my/coupons", nil).Body["items"], 1)
			path := module.PathSQL("wallets", "user_id")
			require.EqualValues(t, 1, s.CountRows(t, "wallets", path+" = ?", "wallets/"+url.PathEscape(id)), "the path in the result of a promise")
			require.EqualValues(t, 1, s.CountRows(t, "audit_entries", "resource = 'wallets/"+url.PathEscape(id)+"' AND action = 'wallet.entry'"))
		}
		reply := s.Send(t, http.MethodPost, "/orders", object{"userId": strings.Repeat("a", 129), "items": []object{Line("TEA-1", 1)}})
		require.Equal(t, http.StatusUnprocessableEntity, reply.Status, reply.Text)
	})
}
