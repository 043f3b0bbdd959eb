package shop

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
)

// quote returns the discount of a coupon on a total.
func (s *Shop) quote(t require.TestingT, code string, total int64) (discount int64) {
	require.NoError(t, s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		_, discount, err = s.Coupons.Quote(ctx, u, code, Buyer, total)
		return err
	}))
	return discount
}

func TestPercentageIsRoundedHalfUpWithinTheTotal(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	codes := map[int64]string{}
	for percent := int64(1); percent <= 100; percent++ {
		codes[percent] = s.Coupon(t, object{"kind": "percent", "value": percent})
	}
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.OneOf(rapid.Int64Range(0, 1000), rapid.Int64Range(0, math.MaxInt64)).Draw(t, "total")
		percent := rapid.Int64Range(1, 100).Draw(t, "percent")
		exact := new(big.Int).Mul(big.NewInt(total), big.NewInt(percent))
		exact.Add(exact, big.NewInt(50)).Div(exact, big.NewInt(100))
		got := s.quote(t, codes[percent], total)
		require.Equal(t, exact.Int64(), got)
		require.LessOrEqual(t, got, total)
	})
}

func TestDiscountIsLimitedByTheTotal(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	code := s.Coupon(t, object{"kind": "amount", "value": 500})
	for total, discount := range map[int64]int64{501: 500, 500: 500, 499: 499, 0: 0} {
		require.Equal(t, discount, s.quote(t, code, total))
	}
}
