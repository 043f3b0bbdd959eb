package shop

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/orders"
	"interlock/test/world"
)

func TestOrdersAndRevenueAreCountedByUTCDay(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 6000, Plenty)
		order := func(pay bool) {
			made := s.Create(t, "/orders", object{"userId": "7", "items": []object{{"sku": "TEA-1", "quantity": 1}}})
			if pay {
				s.Post(t, http.StatusOK, OrderPath(made)+"/pay", Outside())
			}
		}
		order(true)
		order(true)
		order(false)
		s.Clock.Advance(16*time.Hour - time.Second) // 23:59:59
		order(true)
		s.Clock.Advance(24*time.Hour + time.Second) // two days later, 00:00:00
		order(false)
		days, err := s.Orders.ByDay(ctx, s.Clock.Now(), 4)
		require.NoError(t, err)
		require.Equal(t, []orders.Day{
			{Day: "2026-11-20"}, {Day: "2026-11-21", Placed: 4, Amount: 18_000}, {Day: "2026-11-22"}, {Day: "2026-11-23", Placed: 1},
		}, days)
		days, err = s.Orders.ByDay(storagetest.Tenant(t), s.Clock.Now(), 1)
		require.NoError(t, err)
		require.Equal(t, []orders.Day{{Day: "2026-11-23"}}, days, "another tenant has none")
	})
}

func TestOrdersNearCancellationAreListedMostUrgentFirst(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 6000, Plenty)
		// Only a flash sale sets the payment due time of its orders, so the test sets it.
		for i, due := range []time.Duration{50, 10, 90, 30} {
			made := s.Create(t, "/orders", object{"userId": "7", "items": []object{{"sku": "TEA-1", "quantity": int64(i + 1)}}})
			require.NoError(t, db.Write(ctx).Model(&orders.Order{}).Where("id = ?", world.ID(made)).UpdateColumn("payment_due", world.Opening.Add(due*time.Minute)).Error)
		}
		s.Create(t, "/orders", object{"userId": "7", "items": []object{{"sku": "TEA-1", "quantity": 1}}})
		due, count, err := s.Orders.DueUntil(ctx, world.Opening.Add(time.Hour), 2)
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: 3}, count)
		require.Len(t, due, 2)
		require.EqualValues(t, []int64{12_000, 24_000}, []int64{due[0].Amount, due[1].Amount})
		_, count, err = s.Orders.DueUntil(storagetest.Tenant(t), world.Opening.Add(time.Hour), 2)
		require.NoError(t, err)
		require.Zero(t, count, "another tenant has none")
	})
}
