package orders_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/orders"
)

func TestOrdersAreCountedByTheDayInUTCWithWhatThePaidOnesComeTo(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 6000)
		order := func(pay bool) {
			made := s.create(t, "/orders", object{"userId": "7", "items": []object{{"sku": "TEA-1", "quantity": 1}}})
			if pay {
				require.Equal(t, http.StatusOK, s.Send(t, http.MethodPost, path(made)+"/pay", object{"method": "external"}).Status)
			}
		}
		order(true)
		order(true)
		order(false)
		s.clock.Advance(16*time.Hour - time.Second) // 23:59:59
		order(true)
		s.clock.Advance(24*time.Hour + time.Second) // the day after the next begins
		order(false)
		days, err := s.orders.ByDay(ctx, s.clock.Now(), 4)
		require.NoError(t, err)
		require.Equal(t, []orders.Day{
			{Day: "2026-11-20"}, {Day: "2026-11-21", Placed: 4, Amount: 18_000}, {Day: "2026-11-22"}, {Day: "2026-11-23", Placed: 1},
		}, days)
		days, err = s.orders.ByDay(storagetest.Tenant(t), s.clock.Now(), 1)
		require.NoError(t, err)
		require.Equal(t, []orders.Day{{Day: "2026-11-23"}}, days, "another tenant has none")
	})
}

func TestOrdersThatAreCancelledSoonComeMostUrgentFirst(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 6000)
		// Only a sale gives its orders a time to pay, so that it is written for it here.
		for i, due := range []time.Duration{50, 10, 90, 30} {
			made := s.create(t, "/orders", object{"userId": "7", "items": []object{{"sku": "TEA-1", "quantity": int64(i + 1)}}})
			require.NoError(t, db.Write(ctx).Model(&orders.Order{}).Where("id = ?", idOf(made)).UpdateColumn("payment_due", opening.Add(due*time.Minute)).Error)
		}
		s.create(t, "/orders", object{"userId": "7", "items": []object{{"sku": "TEA-1", "quantity": 1}}})
		due, count, err := s.orders.DueUntil(ctx, opening.Add(time.Hour), 2)
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: 3}, count)
		require.Len(t, due, 2)
		require.EqualValues(t, []int64{12_000, 24_000}, []int64{due[0].Amount, due[1].Amount})
		_, count, err = s.orders.DueUntil(storagetest.Tenant(t), opening.Add(time.Hour), 2)
		require.NoError(t, err)
		require.Zero(t, count, "another tenant has none")
	})
}
