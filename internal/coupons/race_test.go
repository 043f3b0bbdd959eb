package coupons_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/racing"
)

// redeemAs redeems in a unit of its own, as a request does.
func (c *counter) redeemAs(ctx context.Context, code string, user principal.CustomerID) (*coupons.Coupon, error) {
	var after *coupons.Coupon
	err := c.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		coupon, err := c.coupons.Coupon(ctx, code)
		if err != nil {
			return err
		}
		after, err = c.coupons.Redeem(ctx, u, coupon, coupons.Redemption{UserID: user}, nil)
		return err
	})
	return after, err
}

func TestOfAHundredDevicesOneRedeemsAndTheOthersAreToldWhoAndWhen(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const devices = 100
		c := open(ctx, t, db)
		campaign := c.campaign(t, object{"perUser": 1})
		for range 5 {
			code := c.issue(t, campaign, object{"count": 1})[0]
			errs := make([]error, devices)
			racing.Together(devices, func(i int) {
				_, errs[i] = c.redeemAs(c.as(int64(1000+i), fmt.Sprintf("Device %d", i)), code, principal.CustomerID(fmt.Sprintf("user-%d", i)))
			})
			final, err := c.coupons.Coupon(ctx, code)
			require.NoError(t, err)
			winners := 0
			for i, err := range errs {
				if err == nil {
					winners++
					require.EqualValues(t, 1000+i, final.UpdatedBy)
					require.EqualValues(t, fmt.Sprintf("user-%d", i), *final.RedeemedBy)
					continue
				}
				var refusal *apperr.Error
				require.ErrorAs(t, err, &refusal)
				require.Contains(t, []apperr.Code{apperr.TransitionNotAllowed, apperr.StatusChanged, apperr.LimitReached}, refusal.Code)
				if refusal.Code == apperr.LimitReached {
					continue // a device that has won an earlier round
				}
				require.Equal(t, "used", refusal.Members["currentStatus"])
				require.Equal(t, principal.Person{ID: final.UpdatedBy, Name: final.UpdatedByName}, refusal.Members["changedBy"])
				require.True(t, final.UpdatedTime.Equal(opening), "when")
				require.Contains(t, refusal.Members, "changedTime")
			}
			require.Equal(t, 1, winners)
			require.EqualValues(t, 2, c.count(t, &coupons.Event{}, "coupon_id = ?", final.ID))
			require.EqualValues(t, 1, c.count(t, &uow.AuditRow{}, "resource = ?", "coupons/"+code))
		}
	})
}

// A coupon that an order used and gave back is unused again. Only the version can tell that
// it is not the coupon that was read any more.
func TestAStepOnAnOlderVersionOfTheSameStatusIsRunAgainOnTheNewest(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		c := open(ctx, t, db)
		codes := c.issue(t, c.campaign(t, nil), object{"count": 2})
		for i, guarded := range []bool{false, true} {
			code := codes[i]
			runs := 0
			var after *coupons.Coupon
			var ifMatch *guard.Precondition
			err := c.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				coupon, err := c.coupons.Coupon(ctx, code)
				if err != nil {
					return err
				}
				if runs++; runs == 1 {
					c.useAndReturn(t, code)
				}
				if guarded && runs == 1 {
					ifMatch = &guard.Precondition{Ref: coupon.Ref()}
				}
				after, err = c.coupons.Redeem(ctx, u, coupon, coupons.Redemption{UserID: "5"}, ifMatch)
				return err
			})
			final, readErr := c.coupons.Coupon(ctx, code)
			require.NoError(t, readErr)
			require.Equal(t, final.Version, c.count(t, &coupons.Event{}, "coupon_id = ?", final.ID), "each version has one row of history")
			if guarded {
				require.Truef(t, apperr.Has(err, apperr.VersionConflict), "%v", err)
				require.Equal(t, "unused", coupons.Machine.Of(final.Status).Name)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, 2, runs)
			require.Equal(t, after.Ref(), final.Ref(), "who redeemed it was told the version that is there")
		}
	})
}

// useAndReturn lets an order use a coupon and give it back.
func (c *counter) useAndReturn(t *testing.T, code string) {
	t.Helper()
	const user, order = "user-4", 17
	for _, act := range []func(ctx context.Context, u *uow.Unit) error{
		func(ctx context.Context, u *uow.Unit) error {
			coupon, _, err := c.coupons.Quote(ctx, u, code, user, 1000)
			if err != nil {
				return err
			}
			return c.coupons.RedeemForOrder(ctx, u, coupon, user, order)
		},
		func(ctx context.Context, u *uow.Unit) error { return c.coupons.ReturnFromOrder(ctx, u, code, order) },
	} {
		require.NoError(t, c.runner.Do(c.ctx, func(ctx context.Context, u *uow.Unit) error {
			u.Audit(uow.Entry{Action: "order.test", Resource: "orders/17"})
			return act(ctx, u)
		}))
	}
}

func TestRacingIssuersNeverPassTheTotal(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const total, each, issuers = 50, 7, 16
		c := open(ctx, t, db)
		campaign := c.campaign(t, object{"total": total})
		answers := make([]httpapitest.Answer, issuers)
		racing.Together(issuers, func(i int) {
			answers[i] = c.Send(t, http.MethodPost, campaignPath(campaign)+"/coupons", object{"count": each})
		})
		require.Equal(t, map[int]int{http.StatusCreated: total / each, http.StatusConflict: issuers - total/each}, tally(answers))
		for _, a := range answers {
			if a.Status == http.StatusConflict {
				require.Less(t, a.Body["left"], float64(each))
			}
		}
		require.EqualValues(t, total/each*each, c.count(t, &coupons.Coupon{}, "1 = 1"))
		now := c.Send(t, http.MethodGet, campaignPath(campaign), nil).Body
		require.EqualValues(t, total/each*each, now["issued"])
		require.EqualValues(t, now["version"], c.count(t, &coupons.CampaignRevision{}, "1 = 1"), "each version is kept")
	})
}

func TestRacingIssuersNeverPassWhatOneUserMayHold(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const perUser, issuers = 3, 16
		c := open(ctx, t, db)
		campaign := c.campaign(t, object{"perUser": perUser})
		answers := make([]httpapitest.Answer, issuers)
		racing.Together(issuers, func(i int) {
			// Everyone issues to user 5, and to somebody of its own.
			answers[i] = c.Send(t, http.MethodPost, campaignPath(campaign)+"/coupons", object{"userIds": []int{100 + i, 5}})
		})
		require.Equal(t, map[int]int{http.StatusCreated: perUser, http.StatusConflict: issuers - perUser}, tally(answers))
		require.EqualValues(t, perUser, c.count(t, &coupons.Coupon{}, "user_id = '5'"))
		require.EqualValues(t, perUser, c.count(t, &coupons.Coupon{}, "user_id <> '5'"), "a refused issue gives nobody anything")
		require.EqualValues(t, 2*perUser, c.Send(t, http.MethodGet, campaignPath(campaign), nil).Body["issued"])
		require.EqualValues(t, 1+perUser, c.count(t, &coupons.Holder{}, "1 = 1"))
	})
}

func TestAUserRedeemsNoMoreUnboundCouponsThanAllowedHoweverManyAtOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const perUser, codes = 2, 12
		c := open(ctx, t, db)
		campaign := c.campaign(t, object{"perUser": perUser})
		unbound := c.issue(t, campaign, object{"count": codes})
		answers := make([]httpapitest.Answer, codes)
		racing.Together(codes, func(i int) { answers[i] = c.redeem(t, unbound[i], 5) })
		require.Equal(t, map[int]int{http.StatusOK: perUser, http.StatusConflict: codes - perUser}, tally(answers))
		for i, a := range answers {
			if a.Status == http.StatusConflict {
				require.Equal(t, "limit_reached", a.Body["code"], a.Body)
				require.Equal(t, "unused", c.coupon(t, unbound[i])["status"], "it is left for somebody else")
			}
		}
		require.EqualValues(t, perUser, c.count(t, &coupons.Coupon{}, "redeemed_by = '5'"))
		require.Equal(t, http.StatusConflict, c.Send(t, http.MethodPost, campaignPath(campaign)+"/coupons", object{"userIds": []int{5}}).Status)
	})
}

func TestEveryIssuerToldThatCouponsAreLeftWasToldTheTruth(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		c := open(ctx, t, db)
		campaign := c.campaign(t, object{"total": 10})
		id := int64(campaign["id"].(float64))
		err := c.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			row, err := c.coupons.Campaign(ctx, id)
			if err != nil {
				return err
			}
			_, err = c.coupons.Issue(ctx, u, row, nil, 11)
			return err
		})
		var refusal *apperr.Error
		require.True(t, errors.As(err, &refusal))
		require.EqualValues(t, 10, refusal.Members["left"])
		require.EqualValues(t, 0, refusal.Members["issued"])
	})
}
