package coupons_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/events"
)

// The campaign's row is locked meanwhile, so many coupons are few statements.
func TestManyCouponsAreIssuedInFewStatements(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	c := open(storagetest.Tenant(t), t, db)
	campaign := c.campaign(t, object{"total": 1000})
	statements.Take()
	codes := c.issue(t, campaign, object{"count": 450})
	inserts := map[string]int{}
	for _, statement := range statements.Take() {
		if strings.HasPrefix(statement, "INSERT") {
			inserts[statement]++
		}
	}
	require.Equal(t, map[string]int{
		"INSERT INTO coupons": 3, "INSERT INTO coupon_histories": 3, "INSERT INTO coupon_campaign_histories": 1, "INSERT INTO audit_entries": 1,
	}, inserts)
	require.Len(t, codes, 450)
	require.EqualValues(t, 450, c.count(t, &coupons.Coupon{}, "code IN ? AND status = 0 AND version = 1", codes))
	require.EqualValues(t, 450, c.count(t, &coupons.Event{}, "action = 'issue' AND coupon_id IN (SELECT id FROM coupons WHERE code IN ?)", codes))
}

func TestACodeThatIsTakenIsDrawnAgain(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		c := open(ctx, t, db)
		id := int64(c.campaign(t, nil)["id"].(float64))
		bus := events.NewInProcess(16)
		t.Cleanup(bus.Close)
		same := bytes.Repeat([]byte{7}, 40)
		unlucky := coupons.New(coupons.Deps{
			DB: db, Runner: c.runner, Bus: bus, Clock: c.clock, Random: io.MultiReader(bytes.NewReader(append(same, same...)), rand.Reader),
		})
		var issued []string
		require.NoError(t, c.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			campaign, err := unlucky.Campaign(ctx, id)
			require.NoError(t, err)
			issued, err = unlucky.Issue(ctx, u, campaign, nil, 2)
			return err
		}))
		require.Len(t, issued, 2)
		require.NotEqual(t, issued[0], issued[1])
		require.EqualValues(t, 2, c.count(t, &coupons.Coupon{}, "1 = 1"))
	})
}
