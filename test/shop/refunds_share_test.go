package shop

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/storage/storagetest"
)

// paidLines places and pays an order of lines, each with a price and a quantity, with a discount.
// The item with price p is PRICE-p.
func (s *Shop) paidLines(t testing.TB, lines [][2]int64, discount int64) object {
	t.Helper()
	body := object{"userId": Buyer}
	var items []object
	for _, line := range lines {
		items = append(items, Line(fmt.Sprintf("PRICE-%d", line[0]), line[1]))
	}
	body["items"] = items
	if discount > 0 {
		body["couponCode"] = s.Coupon(t, object{"value": discount})
	}
	return s.Post(t, http.StatusOK, OrderPath(s.Create(t, "/orders", body))+"/pay", Outside())
}

// refundUnits refunds a quantity of a line and returns the amount; ok is false when the quantity is
// worth nothing, which is rejected.
func (s *Shop) refundUnits(t testing.TB, order object, price, quantity int64) (amount int64, ok bool) {
	t.Helper()
	a := s.Send(t, http.MethodPost, OrderPath(order)+"/refunds", object{"lines": []object{Line(fmt.Sprintf("PRICE-%d", price), quantity)}, "reason": "broken"})
	if a.Status == http.StatusUnprocessableEntity {
		require.Equal(t, "/amount", a.Pointer())
		return 0, false
	}
	require.Equal(t, http.StatusCreated, a.Status, a.Body)
	return int64(a.Body["amount"].(float64)), true
}

func TestDiscountIsDividedByTheLargestRemainder(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	for _, price := range []int64{0, 1, 7, 10, 20, 50, 100} {
		s.Stock(t, fmt.Sprintf("PRICE-%d", price), price, Plenty)
	}
	cases := []struct {
		name     string
		lines    [][2]int64
		discount int64
		want     []int64
	}{
		{"no discount", [][2]int64{{100, 2}, {50, 1}}, 0, []int64{200, 50}},
		{"in proportion", [][2]int64{{100, 2}, {50, 2}}, 30, []int64{180, 90}},
		{"the largest remainder gets the last unit", [][2]int64{{10, 1}, {20, 1}}, 10, []int64{7, 13}},
		{"of equal remainders the earlier line", [][2]int64{{100, 1}, {50, 2}, {20, 5}}, 100, []int64{66, 67, 67}},
		{"two units that are left go to two lines", [][2]int64{{100, 1}, {50, 2}, {20, 5}}, 200, []int64{33, 33, 34}},
		{"all of it", [][2]int64{{100, 1}, {1, 1}}, 101, []int64{0, 0}},
		{"a free line has none", [][2]int64{{0, 5}, {7, 1}}, 3, []int64{0, 4}},
		{"nothing costs anything", [][2]int64{{0, 5}}, 0, []int64{0}},
	}
	for _, c := range cases {
		order := s.paidLines(t, c.lines, c.discount)
		var shares []int64
		for _, line := range c.lines {
			share, _ := s.refundUnits(t, order, line[0], line[1])
			shares = append(shares, share)
		}
		require.Equal(t, c.want, shares, c.name)
	}
}

// generatedOrder draws an order of distinct prices with a discount of at most its total.
func (s *Shop) generatedOrder(t *testing.T, r *rapid.T, prices []int64, maxLines int) (order object, lines [][2]int64) {
	var total int64
	for _, price := range rapid.SliceOfNDistinct(rapid.SampledFrom(prices), 1, maxLines, rapid.ID).Draw(r, "prices") {
		quantity := rapid.Int64Range(1, 10_000).Draw(r, "quantity")
		lines = append(lines, [2]int64{price, quantity})
		total += price * quantity
	}
	return s.paidLines(t, lines, rapid.Int64Range(0, total).Draw(r, "discount")), lines
}

var generatedPrices = []int64{0, 1, 3, 10, 333, 1990, 1 << 20, 1 << 35}

func stocked(t *testing.T) *Shop {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	for _, price := range generatedPrices {
		s.Stock(t, fmt.Sprintf("PRICE-%d", price), price, Plenty)
	}
	return s
}

// Proves G4.20.
func TestSharesSumToTheAmountWithinLinePrices(t *testing.T) {
	s := stocked(t)
	rapid.Check(t, func(r *rapid.T) {
		order, lines := s.generatedOrder(t, r, generatedPrices, 5)
		var together int64
		for _, line := range lines {
			share, _ := s.refundUnits(t, order, line[0], line[1])
			require.LessOrEqual(r, share, line[0]*line[1])
			together += share
		}
		require.EqualValues(r, order["amount"], together)
	})
}

// Proves G4.20.
func TestPartialRefundsSumToTheirLine(t *testing.T) {
	s := stocked(t)
	rapid.Check(t, func(r *rapid.T) {
		order, lines := s.generatedOrder(t, r, generatedPrices, 1)
		price, left := lines[0][0], lines[0][1]
		var worth int64
		for quantity := int64(0); left > 0; {
			// A quantity that is worth nothing is refunded together with the next units.
			quantity = rapid.Int64Range(quantity+1, max(quantity+1, left)).Draw(r, "quantity")
			amount, ok := s.refundUnits(t, order, price, min(quantity, left))
			if !ok {
				if quantity >= left {
					break
				}
				continue
			}
			worth, left, quantity = worth+amount, left-quantity, 0
		}
		require.EqualValues(r, order["amount"], worth)
	})
}
