package refunds_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/refunds"
)

func TestADiscountIsDividedByTheLargestRemainder(t *testing.T) {
	cases := []struct {
		name     string
		lines    [][2]int64
		discount int64
		want     []int64
	}{
		{"no discount", [][2]int64{{100, 2}, {50, 1}}, 0, []int64{200, 50}},
		{"in proportion", [][2]int64{{100, 2}, {100, 1}}, 30, []int64{180, 90}},
		{"the largest remainder takes the unit that is left", [][2]int64{{10, 1}, {20, 1}}, 10, []int64{7, 13}},
		{"of equal remainders the earlier line", [][2]int64{{100, 1}, {100, 1}, {100, 1}}, 100, []int64{66, 67, 67}},
		{"two units that are left go to two lines", [][2]int64{{1, 1}, {1, 1}, {1, 1}}, 2, []int64{0, 0, 1}},
		{"all of it", [][2]int64{{100, 1}, {1, 1}}, 101, []int64{0, 0}},
		{"a free line has none", [][2]int64{{0, 5}, {7, 1}}, 3, []int64{0, 4}},
		{"nothing costs anything", [][2]int64{{0, 5}}, 0, []int64{0}},
	}
	for _, c := range cases {
		require.Equal(t, c.want, refunds.Shares(refunds.LinesOf(c.lines...), c.discount), c.name)
	}
}

func TestSharesAddUpToTheAmountAndNoLineIsWorthMoreThanItCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int64 {
			return [2]int64{rapid.Int64Range(0, 1<<40).Draw(t, "price"), rapid.Int64Range(1, 10000).Draw(t, "quantity")}
		}), 1, 12).Draw(t, "lines")
		var sum int64
		for _, pair := range pairs {
			sum += pair[0] * pair[1]
		}
		discount := rapid.Int64Range(0, sum).Draw(t, "discount")
		shares := refunds.Shares(refunds.LinesOf(pairs...), discount)
		var together int64
		for i, share := range shares {
			if share < 0 || share > pairs[i][0]*pairs[i][1] {
				t.Fatalf("line %d of %v has %d", i, pairs, share)
			}
			together += share
		}
		if together != sum-discount {
			t.Fatalf("%v add up to %d and not to %d", shares, together, sum-discount)
		}
	})
}

func TestPiecesThatAreRefundedInAnyStepsAreWorthTheirLineTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share, quantity := rapid.Int64Range(0, 1<<50).Draw(t, "share"), rapid.Int64Range(1, 10000).Draw(t, "quantity")
		var pieces, worth int64
		for pieces < quantity {
			next := rapid.Int64Range(1, quantity-pieces).Draw(t, "pieces")
			one := refunds.WorthOf(share, quantity, pieces, worth, next)
			if one < 0 {
				t.Fatalf("%d pieces are worth %d", next, one)
			}
			pieces, worth = pieces+next, worth+one
		}
		if worth != share {
			t.Fatalf("the pieces are worth %d together and not %d", worth, share)
		}
	})
}
