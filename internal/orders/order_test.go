package orders_test

import (
	"bytes"
	"context"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
)

func TestTheTotalIsExactOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) orders.Line {
			return orders.Line{
				Price:    rapid.OneOf(rapid.Int64Range(0, math.MaxInt64), rapid.Int64Range(0, 1_000_000)).Draw(t, "price"),
				Quantity: rapid.Int64Range(1, 10_000).Draw(t, "quantity"),
			}
		}), 1, 100).Draw(t, "lines")
		exact := new(big.Int)
		for _, line := range lines {
			exact.Add(exact, new(big.Int).Mul(big.NewInt(line.Price), big.NewInt(line.Quantity)))
		}
		sum, tooMuch, ok := orders.Total(lines)
		require.Equal(t, exact.IsInt64(), ok)
		if ok {
			require.Equal(t, exact.Int64(), sum)
			return
		}
		_, _, before := orders.Total(lines[:tooMuch])
		_, _, with := orders.Total(lines[:tooMuch+1])
		require.True(t, before && !with, "line %d is the first that is too much", tooMuch)
	})
}

func TestAnOrderNumberIsTheDayAndARandomPart(t *testing.T) {
	at := time.Date(2026, 11, 21, 23, 59, 59, 0, time.UTC)
	number, err := orders.OrderNumber(at, bytes.NewReader([]byte{0, 0, 0, 0, 0, 0}))
	require.NoError(t, err)
	require.Equal(t, "20261121-0000000000", number)
	number, err = orders.OrderNumber(at, bytes.NewReader([]byte{255, 255, 255, 255, 255, 255}))
	require.NoError(t, err)
	require.Equal(t, "20261121-ZZZZZZZZZW", number)
	_, err = orders.OrderNumber(at, bytes.NewReader(nil))
	require.Error(t, err)
}

func TestAnOrderNumberThatIsTakenIsDrawnAgain(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100)
		draws := bytes.NewReader([]byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2})
		service := s.orders.WithRandom(draws)
		numbers := map[string]bool{}
		for range 2 {
			require.NoError(t, s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				order, err := service.Place(ctx, u, orders.Placement{UserID: "1", Wanted: []orders.LineRequest{{SKU: "TEA-1", Quantity: 1}}})
				if err == nil {
					numbers[order.OrderNo] = true
				}
				return err
			}))
		}
		require.EqualValues(t, 2, s.count(t, &orders.Order{}, "1 = 1"))
		require.Zero(t, draws.Len(), "three draws for two orders")
		require.Len(t, numbers, 2)
	})
}
