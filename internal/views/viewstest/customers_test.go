package viewstest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/views/customers"
)

func TestCustomersAreListedWithTheirSums(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := customers.New(customers.Deps{DB: db})
		update := func(ctx context.Context, number int64, facts map[string]any) {
			t.Helper()
			tenant := tenantOf(ctx)
			set := db.Write(storage.AcrossTenants(ctx)).Table("orders").Where("tenant_id = ? AND order_no = ?", tenant, fmt.Sprintf("%d-%d", tenant, number)).Updates(facts)
			require.NoError(t, set.Error)
			require.EqualValues(t, 1, set.RowsAffected)
		}
		insertPaid(t, ctx, db, 1, "2026-03-01T10:00:00Z", 1000, 0, nil, 0, "")
		update(ctx, 1, map[string]any{"refunded": 300, "email": "old@example.com"})
		insertPaid(t, ctx, db, 2, "2026-03-02T10:00:00Z", 500, 0, nil, 0, "")
		update(ctx, 2, map[string]any{"user_id": "bo|7"})
		insertPaid(t, ctx, db, 3, "2026-03-03T10:00:00Z", 40, 0, nil, 0, "")
		update(ctx, 3, map[string]any{"email": "ana@example.com", "paid": 0, "paid_time": nil, "status": 4})
		other := storagetest.Tenant(t)
		insertPaid(t, other, db, 4, "2026-03-04T10:00:00Z", 9, 0, nil, 0, "")
		require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Table("wallets").Create(map[string]any{
			"tenant_id": tenantOf(ctx), "version": 1, "created_time": time.Now(), "updated_time": time.Now(), "updated_by": 1, "updated_by_name": "Li", "user_id": "bo|7", "balance": 12,
		}).Error)

		at := func(day int) time.Time { return time.Date(2026, 3, day, 10, 0, 0, 0, time.UTC) }
		ana := customers.Customer{UserID: "ana", Email: "ana@example.com", Orders: 2, Spent: 700, LastOrderTime: at(3)}
		bo := customers.Customer{UserID: "bo|7", Orders: 1, Spent: 500, LastOrderTime: at(2), Balance: 12}
		for _, c := range []struct {
			prefix string
			page   storage.Page
			want   []customers.Customer
		}{
			{"", storage.Page{}, []customers.Customer{ana, bo}},
			{"", storage.Page{Sort: "lastOrderTime"}, []customers.Customer{bo, ana}},
			{"", storage.Page{Sort: "userId"}, []customers.Customer{ana, bo}},
			{"", storage.Page{Sort: "-userId", Exact: true}, []customers.Customer{bo, ana}},
			{"b", storage.Page{Sort: "userId"}, []customers.Customer{bo}},
			{"an", storage.Page{Exact: true}, []customers.Customer{ana}},
			{"AN", storage.Page{}, nil},
			{"é", storage.Page{}, nil},
			{"bo|77", storage.Page{Sort: "userId"}, nil},
		} {
			listing, err := s.List(ctx, c.prefix, c.page)
			require.NoError(t, err)
			require.Equal(t, c.want, listing.Rows, "%+v", c)
			require.EqualValues(t, len(c.want), listing.Total, "%+v", c)
			require.True(t, listing.TotalIsExact, "%+v", c)
			require.Nil(t, listing.Next)
		}
	})
}

func TestCustomersOfManyOrdersAreListedInPages(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := customers.New(customers.Deps{DB: db})
		var rows []map[string]any
		order := func(user string) {
			number := len(rows) + 1
			rows = append(rows, map[string]any{
				"tenant_id": tenantOf(ctx), "version": 1, "created_time": time.Now(), "updated_time": time.Now(), "updated_by": 1, "updated_by_name": "Li",
				"order_no": fmt.Sprintf("%d-%d", tenantOf(ctx), number), "user_id": user, "amount": 1, "status": 0, "discount": 0, "coupon_code": "", "carrier": "", "tracking_no": "", "cancel_reason": "",
				"shipping_address": "", "billing_address": "", "note": "", "metadata": "{}",
			})
		}
		var users []principal.CustomerID
		for i := range 9 {
			user := fmt.Sprintf("u%d", i)
			users = append(users, principal.CustomerID(user))
			order(user)
		}
		for range 1200 {
			order("u4")
		}
		require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Table("orders").CreateInBatches(rows, 200).Error)
		for _, sort := range []string{"userId", "-userId", "lastOrderTime", "-lastOrderTime"} {
			var seen []principal.CustomerID
			page := storage.Page{Sort: sort, Limit: 4}
			for {
				listing, err := s.List(ctx, "u", page)
				require.NoError(t, err)
				for _, customer := range listing.Rows {
					seen = append(seen, customer.UserID)
				}
				require.LessOrEqual(t, listing.Total, int64(len(users)), sort)
				if listing.Next == nil {
					break
				}
				page.Cursor = *listing.Next
			}
			require.ElementsMatch(t, users, seen, sort)
			first := map[string]principal.CustomerID{"userId": "u0", "-userId": "u8", "lastOrderTime": "u0", "-lastOrderTime": "u4"}
			require.Equal(t, first[sort], seen[0], sort)
		}
	})
}
