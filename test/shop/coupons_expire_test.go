package shop

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
	"interlock/test/world"
)

func TestSweeperExpiresCouponsInBatchesForEveryTenant(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		here, there := Open(ctx, t, db), Open(storagetest.Tenant(t), t, db)
		short := here.Campaign(t, object{"validTo": world.Opening.Add(time.Minute)})
		due := here.Issue(t, short, object{"count": 7})
		here.Issue(t, here.Campaign(t, nil), object{"count": 2})
		require.Equal(t, http.StatusOK, here.redeem(t, due[0], 5).Status)
		there.Issue(t, there.Campaign(t, object{"validTo": world.Opening.Add(time.Minute)}), object{"count": 2})

		require.NoError(t, here.Coupons.ExpireDue(ctx, 3))
		require.Zero(t, here.Count(t, &coupons.Coupon{}, "status = 3"), "nothing has ended yet")

		here.Clock.Advance(time.Minute)
		require.NoError(t, here.Coupons.ExpireDue(ctx, 3))
		require.EqualValues(t, 6, here.Count(t, &coupons.Coupon{}, "status = 3"))
		require.EqualValues(t, 2, here.Count(t, &coupons.Coupon{}, "status = 0"))
		require.EqualValues(t, 1, here.Count(t, &coupons.Coupon{}, "status = 1"))
		require.EqualValues(t, 2, there.Count(t, &coupons.Coupon{}, "status = 3"))
		require.EqualValues(t, 2, here.Count(t, &uow.AuditRow{}, "action = 'coupon.expire' AND actor_kind = 'system'"), "one for each batch of 3")
		require.EqualValues(t, 1, there.Count(t, &uow.AuditRow{}, "action = 'coupon.expire'"))

		expired := here.readCoupon(t, due[6])
		require.Equal(t, "expired", expired["status"])
		require.EqualValues(t, 2, expired["version"])
		history := here.Send(t, http.MethodGet, "/coupons/"+due[6]+"/history", nil).Items()
		require.Equal(t, "expire", history[0]["action"])
		require.Equal(t, "coupon expiry", history[0]["changedBy"].(object)["name"])

		require.NoError(t, here.Coupons.ExpireDue(ctx, 3))
		require.EqualValues(t, 2, here.Count(t, &uow.AuditRow{}, "action = 'coupon.expire'"), "a sweep without work leaves no trace")
	})
}

func TestSweepersThatMeetExpireEachCouponOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Issue(t, s.Campaign(t, object{"validTo": world.Opening.Add(time.Minute)}), object{"count": 40})
		s.Clock.Advance(time.Minute)
		errs := make([]error, 4)
		racing.Together(len(errs), func(i int) { errs[i] = s.Coupons.ExpireDue(ctx, 7) })
		for _, err := range errs {
			require.NoError(t, err)
		}
		require.NoError(t, s.Coupons.ExpireDue(ctx, 7))
		require.EqualValues(t, 40, s.Count(t, &coupons.Coupon{}, "status = 3 AND version = 2"))
		require.EqualValues(t, 40, s.Count(t, &coupons.Event{}, "action = 'expire'"))
	})
}

// A sweep between the end and the extension of a campaign does not change the result.
// Proves G2.4.
func TestExtendedCampaignRevivesItsCoupons(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		for _, swept := range []bool{false, true} {
			s := Open(storagetest.Tenant(t), t, db)
			campaign := s.Campaign(t, object{"validTo": world.Opening.Add(time.Minute)})
			codes := s.Issue(t, campaign, object{"count": 3})
			s.Clock.Advance(time.Minute)
			if swept {
				require.NoError(t, s.Coupons.ExpireDue(s.Ctx, 10))
			}
			require.Contains(t, s.redeem(t, codes[0], 5).Body["detail"], "it expired at 2026-11-21T08:01:00Z")
			listed := func(status string) int {
				return len(s.Get(t, "/coupons?status="+status).Items())
			}
			require.Equal(t, [2]int{0, 3}, [2]int{listed("unused"), listed("expired")})

			etag := s.Get(t, CampaignPath(campaign)).Header.Get("ETag")
			edited := s.Send(t, http.MethodPatch, CampaignPath(campaign), object{"validTo": world.Opening.Add(time.Hour)}, "If-Match", etag)
			require.Equal(t, http.StatusOK, edited.Status, edited.Body)
			require.Equal(t, [2]int{3, 0}, [2]int{listed("unused"), listed("expired")})
			count, err := s.Coupons.CountExpiring(s.Ctx, time.Hour)
			require.NoError(t, err)
			require.EqualValues(t, 3, count.N)
			require.NoError(t, s.Coupons.ExpireDue(s.Ctx, 10))
			require.Equal(t, []any{"unused", []any{"redeem", "void"}}, world.Members(s.readCoupon(t, codes[0]), "status", "allowedTransitions"))
			require.Equal(t, http.StatusOK, s.redeem(t, codes[0], 5).Status)
			require.Equal(t, "unused", s.Get(t, "/coupons/"+codes[0]+"/history").Items()[0]["from"])
			s.Post(t, http.StatusOK, "/coupons/"+codes[1]+"/void", nil)
			s.Stock(t, "TEA-1", 1000, Plenty)
			order := s.Create(t, "/orders", object{"userId": Buyer, "couponCode": codes[2], "items": []object{Line("TEA-1", 1)}})
			require.EqualValues(t, 500, order["discount"])

			s.Clock.Advance(time.Hour)
			require.NoError(t, s.Coupons.ExpireDue(s.Ctx, 10))
			require.Equal(t, [2]int{0, 0}, [2]int{listed("unused"), listed("expired")})
		}
	})
}
