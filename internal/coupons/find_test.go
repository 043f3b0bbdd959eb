package coupons_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/coupons"
)

func TestOnlyUnusedCouponsWhoseTimeEndsWithinTheWhileExpireSoon(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const week = 7 * 24 * time.Hour
		c := open(ctx, t, db)
		ending := func(after time.Duration, issued int) []string {
			campaign := c.campaign(t, object{"validTo": opening.Add(after).Format(time.RFC3339)})
			return c.issue(t, campaign, object{"count": issued})
		}
		soon := ending(week, 5)
		ending(week+time.Second, 7)
		ending(time.Hour, 2)
		require.Equal(t, 200, c.redeem(t, soon[0], 42).Status)

		count, err := c.coupons.CountExpiring(ctx, week)
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: 4 + 2}, count)
		c.clock.Advance(time.Hour)
		count, err = c.coupons.CountExpiring(ctx, week)
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: 4 + 7}, count, "what is over does not expire soon, swept or not")
		count, err = c.coupons.CountExpiring(storagetest.Tenant(t), week)
		require.NoError(t, err)
		require.Zero(t, count)
	})
}

func TestCouponsAreFoundByTheBeginningOfTheirCodeWithTheirStatusNow(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		c := open(ctx, t, db)
		code := c.issue(t, c.campaign(t, nil), object{"count": 3})[1]
		for _, text := range []string{code, strings.ToLower(code), " " + code[:10]} {
			found, err := c.coupons.ByCode(ctx, text, 8)
			require.NoError(t, err)
			require.Equal(t, []coupons.Found{{Code: code, Status: "unused"}}, found, text)
		}
		c.clock.Advance(time.Hour)
		found, err := c.coupons.ByCode(ctx, code, 8)
		require.NoError(t, err)
		require.Equal(t, "expired", found[0].Status)
		found, err = c.coupons.ByCode(storagetest.Tenant(t), code, 8)
		require.NoError(t, err)
		require.Empty(t, found)
	})
}
