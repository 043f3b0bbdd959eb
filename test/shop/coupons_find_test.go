package shop

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/coupons"
	"interlock/test/world"
)

func TestOnlyUnusedCouponsCountAsExpiringSoon(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const week = 7 * 24 * time.Hour
		s := Open(ctx, t, db)
		ending := func(after time.Duration, issued int) []string {
			campaign := s.Campaign(t, object{"validTo": world.Opening.Add(after).Format(time.RFC3339)})
			return s.Issue(t, campaign, object{"count": issued})
		}
		soon := ending(week, 5)
		ending(week+time.Second, 7)
		ending(time.Hour, 2)
		require.Equal(t, 200, s.redeem(t, soon[0], 42).Status)

		count, err := s.Coupons.CountExpiring(ctx, week)
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: 4 + 2}, count)
		s.Clock.Advance(time.Hour)
		count, err = s.Coupons.CountExpiring(ctx, week)
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: 4 + 7}, count, "an ended coupon does not expire soon, swept or not")
		count, err = s.Coupons.CountExpiring(storagetest.Tenant(t), week)
		require.NoError(t, err)
		require.Zero(t, count)
	})
}

func TestCouponsAreFoundByCodePrefixWithCurrentStatus(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		code := s.Issue(t, s.Campaign(t, nil), object{"count": 3})[1]
		for _, text := range []string{code, strings.ToLower(code), " " + code[:10]} {
			found, err := s.Coupons.ByCode(ctx, text, 8)
			require.NoError(t, err)
			require.Equal(t, []coupons.Found{{Code: code, Status: "unused"}}, found, text)
		}
		s.Clock.Advance(time.Hour)
		found, err := s.Coupons.ByCode(ctx, code, 8)
		require.NoError(t, err)
		require.Equal(t, "expired", found[0].Status)
		found, err = s.Coupons.ByCode(storagetest.Tenant(t), code, 8)
		require.NoError(t, err)
		require.Empty(t, found)
	})
}
