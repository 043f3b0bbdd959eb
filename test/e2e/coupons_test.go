package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// newCoupons creates a campaign and issues n coupons of it.
func newCoupons(t *testing.T, c *apptest.Caller, n int) (campaign object, codes []string) {
	t.Helper()
	now := time.Now().UTC()
	campaign = create(t, c, "/api/v1/coupon-campaigns", object{
		"name": "Spring", "kind": "amount", "value": 500, "minimumAmount": 0, "total": n, "perUser": n,
		"validFrom": now.Add(-time.Hour).Format(time.RFC3339), "validTo": now.Add(time.Hour).Format(time.RFC3339),
	})
	path := fmt.Sprintf("/api/v1/coupon-campaigns/%d/coupons", int64(campaign["id"].(float64)))
	for _, code := range create(t, c, path, object{"count": n})["codes"].([]any) {
		codes = append(codes, code.(string))
	}
	require.Len(t, codes, n)
	return campaign, codes
}

// Proves G2.2.
func TestOneOfAHundredRedemptionsSucceeds(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		const devices = 100
		c := p.Admin(t)
		_, codes := newCoupons(t, c, 1)
		path := "/api/v1/coupons/" + codes[0]

		answers := race(t, devices, func(ctx context.Context, i int) (apptest.Answer, error) {
			return c.Try(ctx, http.MethodPost, path+"/redeem", object{"userId": 1 + i})
		})

		won, lost := split(answers, http.StatusOK)
		require.Len(t, won, 1)
		winner := won[0].JSON(t)
		require.Equal(t, "used", winner["status"])
		for _, answer := range lost {
			require.Equalf(t, http.StatusConflict, answer.Status, "%s", answer.Body)
			require.Contains(t, []string{"status_changed", "transition_not_allowed"}, answer.Code())
			require.Equal(t, "used", answer.JSON(t)["currentStatus"])
			require.Equal(t, winner["updatedBy"], answer.JSON(t)["changedBy"])
		}
		require.Equal(t, winner, read(t, c, path))
		require.EqualValues(t, 1, rows(t, c, "audit_entries", "resource = ? AND action = 'coupon.redeem'", "coupons/"+codes[0]))
	})
}

func TestCouponIsRedeemedOrVoidedButNotBoth(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		const rounds, clients = 5, 20
		c := p.Admin(t)
		_, codes := newCoupons(t, c, rounds)
		for _, code := range codes {
			path := "/api/v1/coupons/" + code
			answers := race(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
				if i%2 == 0 {
					return c.Try(ctx, http.MethodPost, path+"/redeem", object{"userId": 7})
				}
				return c.Try(ctx, http.MethodPost, path+"/void", nil)
			})
			won, lost := split(answers, http.StatusOK)
			require.Len(t, won, 1)
			for _, answer := range lost {
				require.Equalf(t, http.StatusConflict, answer.Status, "%s", answer.Body)
			}
			require.Equal(t, won[0].JSON(t)["status"], read(t, c, path)["status"])
			require.EqualValues(t, 2, version(read(t, c, path)))
		}
	})
}

func TestCampaignNeverExceedsItsTotal(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		const total, each, clients = 50, 7, 16
		c := p.Admin(t)
		now := time.Now().UTC()
		campaign := create(t, c, "/api/v1/coupon-campaigns", object{
			"name": "Few", "kind": "percent", "value": 10, "minimumAmount": 0, "total": total, "perUser": total,
			"validFrom": now.Add(-time.Hour).Format(time.RFC3339), "validTo": now.Add(time.Hour).Format(time.RFC3339),
		})
		id := int64(campaign["id"].(float64))
		answers := race(t, clients, func(ctx context.Context, _ int) (apptest.Answer, error) {
			return c.Try(ctx, http.MethodPost, fmt.Sprintf("/api/v1/coupon-campaigns/%d/coupons", id), object{"count": each})
		})
		issued, refused := split(answers, http.StatusCreated)
		require.Len(t, issued, total/each)
		for _, answer := range refused {
			requireProblem(t, answer, http.StatusConflict, "limit_reached")
		}
		require.EqualValues(t, total/each*each, rows(t, c, "coupons", "campaign_id = ?", id))
	})
}
