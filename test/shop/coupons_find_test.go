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

func TestOnlyUnusedCouponsWhoseTimeEndsWithinTheWhileExpireSoon(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const week = 7 * 24 * time.Hour
		c := Open(ctx, t, db)
		ending := func(after time.Duration, issued int) []string {
			campaign := c.Campaign(t, object{"validTo": world.Opening.Add(after).Format(time.RFC3339)})
			return c.Issue(t, campaign, object{"count": issued})
		}
		soon := ending(week, 5)
		ending(week+time.Second, 7)
		ending(time.Hour, 2)
		require.Equal(t, 200, c.redeem(t, soon[0], 42).Status)

		count, err := c.Coupons.CountExpiring(ctx, week)
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: 4 + 2}, count)
		c.Clock.Advance(time.Hour)
		count, err = c.Coupons.CountExpiring(ctx, week)
		require.NoError(t, err)
		require.Equal(t, storage.Count{N: 4 + 7}, count, "what is over does not expire soon, swept or not")
		count, err = c.Coupons.CountExpiring(storagetest.Tenant(t), week)
		require.NoError(t, err)
		require.Zero(t, count)
	})
}

func TestCouponsAreFoundByTheBeginningOfTheirCodeWithTheirStatusNow(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		c := Open(ctx, t, db)
		code := c.Issue(t, c.Campaign(t, nil), object{"count": 3})[1]
		for _, text := range []string{code, strings.ToLower(code), " " + code[:10]} {
			found, err := c.Coupons.ByCode(ctx, text, 8)
			require.NoError(t, err)
			require.Equal(t, []coupons.Found{{Code: code, Status: "unused"}}, found, text)
		}
		c.Clock.Advance(time.Hour)
		found, err := c.Coupons.ByCode(ctx, code, 8)
		require.NoError(t, err)
		require.Equal(t, "expired", found[0].Status)
		found, err = c.Coupons.ByCode(storagetest.Tenant(t), code, 8)
		require.NoError(t, err)
		require.Empty(t, found)
	})
}
