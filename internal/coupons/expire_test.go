package coupons_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/test/racing"
)

func TestTheSweeperExpiresWhatIsOverInBatchesForEveryTenant(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		here, there := open(ctx, t, db), open(storagetest.Tenant(t), t, db)
		short := here.campaign(t, object{"validTo": opening.Add(time.Minute)})
		due := here.issue(t, short, object{"count": 7})
		here.issue(t, here.campaign(t, nil), object{"count": 2})
		require.Equal(t, http.StatusOK, here.redeem(t, due[0], 5).Status)
		there.issue(t, there.campaign(t, object{"validTo": opening.Add(time.Minute)}), object{"count": 2})

		require.NoError(t, here.coupons.ExpireDue(ctx, 3))
		require.Zero(t, here.count(t, &coupons.Coupon{}, "status = 3"), "nothing is over yet")

		here.clock.Advance(time.Minute)
		require.NoError(t, here.coupons.ExpireDue(ctx, 3))
		require.EqualValues(t, 6, here.count(t, &coupons.Coupon{}, "status = 3"))
		require.EqualValues(t, 2, here.count(t, &coupons.Coupon{}, "status = 0"))
		require.EqualValues(t, 1, here.count(t, &coupons.Coupon{}, "status = 1"))
		require.EqualValues(t, 2, there.count(t, &coupons.Coupon{}, "status = 3"))
		require.EqualValues(t, 2, here.count(t, &uow.AuditRow{}, "action = 'coupon.expire' AND actor_kind = 'system'"), "one for each batch of 3")
		require.EqualValues(t, 1, there.count(t, &uow.AuditRow{}, "action = 'coupon.expire'"))

		expired := here.coupon(t, due[6])
		require.Equal(t, "expired", expired["status"])
		require.EqualValues(t, 2, expired["version"])
		history := here.Send(t, http.MethodGet, "/coupons/"+due[6]+"/history", nil).Items()
		require.Equal(t, "expire", history[0]["action"])
		require.Equal(t, "coupon expiry", history[0]["changedBy"].(object)["name"])

		require.NoError(t, here.coupons.ExpireDue(ctx, 3))
		require.EqualValues(t, 2, here.count(t, &uow.AuditRow{}, "action = 'coupon.expire'"), "a sweep without work leaves no trace")
	})
}

func TestSweepersThatMeetExpireEachCouponOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		c := open(ctx, t, db)
		c.issue(t, c.campaign(t, object{"validTo": opening.Add(time.Minute)}), object{"count": 40})
		c.clock.Advance(time.Minute)
		errs := make([]error, 4)
		racing.Together(len(errs), func(i int) { errs[i] = c.coupons.ExpireDue(ctx, 7) })
		for _, err := range errs {
			require.NoError(t, err)
		}
		require.NoError(t, c.coupons.ExpireDue(ctx, 7))
		require.EqualValues(t, 40, c.count(t, &coupons.Coupon{}, "status = 3 AND version = 2"))
		require.EqualValues(t, 40, c.count(t, &coupons.Event{}, "action = 'expire'"))
	})
}
