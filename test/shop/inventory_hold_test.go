package shop

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/inventory"
	"interlock/test/racing"
)

func (s *Shop) held(t *testing.T, holder string) map[string]int64 {
	t.Helper()
	held, err := s.Inventory.Held(s.Ctx, holder)
	require.NoError(t, err)
	return held
}

func TestReservationIsAtomicAcrossItems(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 5)
		s.Stock(t, "TEA-2", 100, 5)
		err := s.in(func(ctx context.Context, u *uow.Unit) error {
			return s.Inventory.Reserve(ctx, u, "orders/1", "@orders/1/place", map[string]int64{"TEA-1": 5, "TEA-2": 6, "TEA-9": 1})
		}, "TEA-1", "TEA-2", "TEA-9")
		var refusal *apperr.Error
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, apperr.InsufficientStock, refusal.Code)
		require.Equal(t, []inventory.Shortage{{SKU: "TEA-2", Requested: 6, Available: 5}, {SKU: "TEA-9", Requested: 1}}, refusal.Members["lines"])
		s.requireStock(t, "TEA-1", 5, 0)
		require.Empty(t, s.held(t, "orders/1"))
	})
}

// Proves G4.9.
func TestEachActIsDoneOnceByItsReference(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		s.Stock(t, "TEA-2", 100, 10)
		both := map[string]int64{"TEA-1": 2, "TEA-2": 3}
		act := func(do func(ctx context.Context, u *uow.Unit) error) error { return s.in(do, "TEA-1", "TEA-2") }
		for range 2 {
			require.NoError(t, act(func(ctx context.Context, u *uow.Unit) error {
				return s.Inventory.Reserve(ctx, u, "orders/1", "@orders/1/place", both)
			}))
			require.Equal(t, both, s.held(t, "orders/1"))
		}
		for _, other := range []map[string]int64{{"TEA-1": 3, "TEA-2": 3}, {"TEA-1": 2, "TEA-9": 1}} {
			err := act(func(ctx context.Context, u *uow.Unit) error {
				return s.Inventory.Reserve(ctx, u, "orders/1", "@orders/1/place", other)
			})
			require.True(t, apperr.Has(err, apperr.PayloadMismatch), err)
		}
		one := map[string]int64{"TEA-1": 1}
		for range 2 {
			require.NoError(t, act(func(ctx context.Context, u *uow.Unit) error {
				return s.Inventory.Return(ctx, u, "orders/1", "@orders/1/return-1", one)
			}))
		}
		s.requireStock(t, "TEA-1", 10, 1)
		for range 2 {
			require.NoError(t, act(func(ctx context.Context, u *uow.Unit) error {
				return s.Inventory.Consume(ctx, u, "orders/1", "@orders/1/ship", nil)
			}))
		}
		require.NoError(t, act(func(ctx context.Context, u *uow.Unit) error {
			return s.Inventory.Return(ctx, u, "orders/1", "@orders/1/cancel", nil)
		}), "a holder of nothing returns nothing")
		require.Empty(t, s.held(t, "orders/1"))
		s.requireStock(t, "TEA-1", 9, 0)
		s.requireStock(t, "TEA-2", 7, 0)
	})
}

func TestReturnsAndConsumptionNeverExceedTheHold(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		require.NoError(t, s.reserve("orders/1", "a", "TEA-1", 4))
		require.NoError(t, s.reserve("orders/2", "b", "TEA-1", 4))
		for name, end := range map[string]func(context.Context, *uow.Unit, string, string, map[string]int64) error{"return": s.Inventory.Return, "consume": s.Inventory.Consume} {
			err := s.in(func(ctx context.Context, u *uow.Unit) error {
				return end(ctx, u, "orders/1", name, map[string]int64{"TEA-1": 5})
			}, "TEA-1")
			require.True(t, apperr.Has(err, apperr.InsufficientStock), "%s: %v", name, err)
		}
		s.requireStock(t, "TEA-1", 10, 8)
		require.Equal(t, map[string]int64{"TEA-1": 4}, s.held(t, "orders/1"))
	})
}

func TestAllotmentMovesToOrdersWithoutChangingStock(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 300)
		require.NoError(t, s.reserve("flash-sales/1", "@flash-sales/1/open", "TEA-1", 260))
		shares := map[string]int64{}
		for i := range 250 {
			shares[fmt.Sprintf("orders/%d", i)] = 1
		}
		pass := func(from string, to map[string]int64) error {
			return s.in(func(ctx context.Context, u *uow.Unit) error {
				return s.Inventory.TransferHold(ctx, u, "TEA-1", from, to)
			}, "TEA-1")
		}
		require.NoError(t, pass("flash-sales/1", shares))
		require.Equal(t, map[string]int64{"TEA-1": 10}, s.held(t, "flash-sales/1"))
		require.Equal(t, map[string]int64{"TEA-1": 1}, s.held(t, "orders/249"))
		err := pass("flash-sales/1", map[string]int64{"orders/1000": 6, "orders/1001": 5})
		require.True(t, apperr.Has(err, apperr.InsufficientStock), err)
		require.Empty(t, s.held(t, "orders/1000"))
		require.Error(t, pass("flash-sales/1", map[string]int64{"orders/1000": -1}))

		require.NoError(t, pass("orders/7", map[string]int64{"flash-sales/1": 1}), "cancelled: back to the sale")
		require.NoError(t, pass("orders/8", map[string]int64{"orders/9": 1}), "to one that has a unit already")
		require.NoError(t, pass("flash-sales/1", map[string]int64{"orders/1002": 1, "orders/10": 1, "orders/1003": 1}), "to some that are new and one that is not")
		require.Equal(t, map[string]int64{"TEA-1": 2}, s.held(t, "orders/10"))
		require.Equal(t, map[string]int64{"TEA-1": 1}, s.held(t, "orders/1002"))
		require.Equal(t, map[string]int64{"TEA-1": 1}, s.held(t, "orders/1003"))
		require.NoError(t, pass("orders/1003", map[string]int64{"flash-sales/1": 1}))
		require.NoError(t, pass("orders/1002", map[string]int64{"flash-sales/1": 1}))
		require.NoError(t, pass("orders/10", map[string]int64{"flash-sales/1": 1}))
		require.Equal(t, map[string]int64{"TEA-1": 11}, s.held(t, "flash-sales/1"))
		require.Equal(t, map[string]int64{"TEA-1": 2}, s.held(t, "orders/9"))
		s.requireStock(t, "TEA-1", 300, 260)
		require.NoError(t, s.in(func(ctx context.Context, u *uow.Unit) error {
			return errors.Join(
				s.Inventory.Consume(ctx, u, "orders/9", "@orders/9/ship", nil),
				s.Inventory.Return(ctx, u, "flash-sales/1", "@flash-sales/1/close", nil))
		}, "TEA-1"))
		s.requireStock(t, "TEA-1", 298, 247)
	})
}

func TestConcurrentConsumersRespectTheAllotment(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 50)
		require.NoError(t, s.reserve("flash-sales/1", "@flash-sales/1/open", "TEA-1", 20))
		const consumers = 12
		errs := make([]error, consumers)
		racing.Together(consumers, func(i int) {
			// TransferHold needs no lock.
			errs[i] = s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				u.Audit(uow.Entry{Action: "test.pass", Resource: "test"})
				return s.Inventory.TransferHold(ctx, u, "TEA-1", "flash-sales/1", map[string]int64{fmt.Sprintf("orders/%d", i): 3})
			})
		})
		passed := 0
		for _, err := range errs {
			if err == nil {
				passed++
			} else {
				require.True(t, apperr.Has(err, apperr.InsufficientStock), err)
			}
		}
		require.Equal(t, 6, passed)
		require.Equal(t, map[string]int64{"TEA-1": 2}, s.held(t, "flash-sales/1"))
		s.requireStock(t, "TEA-1", 50, 20)
	})
}
