package shop

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
)

func TestTotalIsExactOrRejected(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	prices := []int64{0, 1, 7, 1990, 1_000_000, math.MaxInt64 / 20_000, math.MaxInt64 / 10_000, math.MaxInt64 / 3, math.MaxInt64}
	for i, price := range prices {
		s.Stock(t, fmt.Sprintf("SKU-%d", i), price, Plenty)
	}
	lines := rapid.SliceOfNDistinct(rapid.IntRange(0, len(prices)-1), 1, len(prices), rapid.ID)
	rapid.Check(t, func(r *rapid.T) {
		request, exact, tooMuch := []object{}, new(big.Int), -1
		for i, item := range lines.Draw(r, "items") {
			quantity := rapid.Int64Range(1, 10_000).Draw(r, "quantity")
			request = append(request, Line(fmt.Sprintf("SKU-%d", item), quantity))
			exact.Add(exact, new(big.Int).Mul(big.NewInt(prices[item]), big.NewInt(quantity)))
			if tooMuch < 0 && !exact.IsInt64() {
				tooMuch = i
			}
		}
		a := s.Send(t, http.MethodPost, "/orders", object{"userId": Buyer, "items": request})
		if tooMuch < 0 {
			require.Equal(r, http.StatusCreated, a.Status, a.Body)
			require.Contains(r, a.Text, fmt.Sprintf(`"amount":%d,`, exact))
			return
		}
		require.Equal(r, http.StatusUnprocessableEntity, a.Status, a.Body)
		require.Equal(r, fmt.Sprintf("/items/%d", tooMuch), a.Pointer(), "the first line that exceeds the largest amount")
	})
}

// ordering returns orders with numbers from random.
func (s *Shop) ordering(random io.Reader) *orders.Service {
	deps := s.orderDeps(nil)
	deps.Random = random
	return orders.New(deps)
}

// placeBy places an order of one TEA-1 by a service.
func (s *Shop) placeBy(service *orders.Service) (order *orders.Order, err error) {
	err = s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		order, _, err = service.Place(ctx, u, orders.Placement{UserID: "1", Lines: []orders.LineRequest{{SKU: "TEA-1", Quantity: 1}}})
		return err
	})
	return order, err
}

func TestOrderNumberIsTheDayAndARandomPart(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 100, Plenty)
	s.Clock.Advance(16*time.Hour - time.Second)
	for random, number := range map[string]string{strings.Repeat("\x00", 6): "20261121-0000000000", strings.Repeat("\xff", 6): "20261121-ZZZZZZZZZW"} {
		order, err := s.placeBy(s.ordering(strings.NewReader(random)))
		require.NoError(t, err)
		require.Equal(t, number, order.OrderNo)
	}
	_, err := s.placeBy(s.ordering(strings.NewReader("")))
	require.Error(t, err)
}

func TestUsedOrderNumberIsDrawnAgain(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		draws := bytes.NewReader([]byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2})
		service := s.ordering(draws)
		numbers := map[string]bool{}
		for range 2 {
			order, err := s.placeBy(service)
			require.NoError(t, err)
			numbers[order.OrderNo] = true
		}
		require.EqualValues(t, 2, s.Count(t, &orders.Order{}, "1 = 1"))
		require.Zero(t, draws.Len(), "three draws for two orders")
		require.Len(t, numbers, 2)
	})
}
