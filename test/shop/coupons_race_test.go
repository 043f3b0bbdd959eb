package shop

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
	"interlock/test/world"
)

// redeemAs redeems a coupon in its own unit, as a request does.
func (s *Shop) redeemAs(ctx context.Context, code string, user principal.CustomerID) (*coupons.Coupon, error) {
	var after *coupons.Coupon
	err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		coupon, err := s.Coupons.Coupon(ctx, code)
		if err != nil {
			return err
		}
		after, err = s.Coupons.Redeem(ctx, u, coupon, coupons.Redemption{UserID: user}, nil)
		return err
	})
	return after, err
}

func TestOnlyOneOfAHundredDevicesRedeems(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const devices = 100
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, object{"perUser": 1})
		for range 5 {
			code := s.Issue(t, campaign, object{"count": 1})[0]
			errs := make([]error, devices)
			racing.Together(devices, func(i int) {
				_, errs[i] = s.redeemAs(s.Actor(int64(1000+i), fmt.Sprintf("Device %d", i)), code, principal.CustomerID(fmt.Sprintf("user-%d", i)))
			})
			final, err := s.Coupons.Coupon(ctx, code)
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
					continue // this device won an earlier round
				}
				require.Equal(t, "used", refusal.Members["currentStatus"])
				require.Equal(t, principal.Person{ID: final.UpdatedBy, Name: final.UpdatedByName}, refusal.Members["changedBy"])
				require.True(t, final.UpdatedTime.Equal(world.Opening), "when")
				require.Contains(t, refusal.Members, "changedTime")
			}
			require.Equal(t, 1, winners)
			require.EqualValues(t, 2, s.Count(t, &coupons.Event{}, "coupon_id = ?", final.ID))
			require.EqualValues(t, 1, s.Count(t, &uow.AuditRow{}, "resource = ?", "coupons/"+code))
		}
	})
}

// A coupon that an order used and returned is unused again. Only the version shows that it changed since
// it was read.
// Proves G2.6.
func TestStaleRedemptionRunsAgainOnTheNewestVersion(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		codes := s.Issue(t, s.Campaign(t, nil), object{"count": 2})
		for i, guarded := range []bool{false, true} {
			code := codes[i]
			runs := 0
			var after *coupons.Coupon
			var ifMatch *guard.Precondition
			err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				coupon, err := s.Coupons.Coupon(ctx, code)
				if err != nil {
					return err
				}
				if runs++; runs == 1 {
					s.useAndReturn(t, code)
				}
				if guarded && runs == 1 {
					ifMatch = &guard.Precondition{Ref: coupon.Ref()}
				}
				after, err = s.Coupons.Redeem(ctx, u, coupon, coupons.Redemption{UserID: "5"}, ifMatch)
				return err
			})
			final, readErr := s.Coupons.Coupon(ctx, code)
			require.NoError(t, readErr)
			require.Equal(t, final.Version, s.Count(t, &coupons.Event{}, "coupon_id = ?", final.ID), "each version has one row of history")
			if guarded {
				require.Truef(t, apperr.Has(err, apperr.VersionConflict), "%v", err)
				require.Equal(t, "unused", coupons.Machine.Of(final.Status).Name)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, 2, runs)
			require.Equal(t, after.Ref(), final.Ref(), "the redeemer got the stored version")
		}
	})
}

// useAndReturn redeems a coupon for an order and returns it.
func (s *Shop) useAndReturn(t *testing.T, code string) {
	t.Helper()
	const user, order = "user-4", 17
	for _, act := range []func(ctx context.Context, u *uow.Unit) error{
		func(ctx context.Context, u *uow.Unit) error {
			coupon, _, err := s.Coupons.Quote(ctx, u, code, user, 1000)
			if err != nil {
				return err
			}
			return s.Coupons.RedeemForOrder(ctx, u, coupon, user, order)
		},
		func(ctx context.Context, u *uow.Unit) error { return s.Coupons.ReturnFromOrder(ctx, u, code, order) },
	} {
		require.NoError(t, s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
			u.Audit(uow.Entry{Action: "order.test", Resource: "orders/17"})
			return act(ctx, u)
		}))
	}
}

// Proves G2.3.
func TestRacingIssuersNeverPassTheTotal(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const total, each, issuers = 50, 7, 16
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, object{"total": total})
		answers := make([]httpapitest.Answer, issuers)
		racing.Together(issuers, func(i int) {
			answers[i] = s.Send(t, http.MethodPost, CampaignPath(campaign)+"/coupons", object{"count": each})
		})
		require.Equal(t, map[int]int{http.StatusCreated: total / each, http.StatusConflict: issuers - total/each}, world.Tally(answers))
		for _, a := range answers {
			if a.Status == http.StatusConflict {
				require.Less(t, a.Body["left"], float64(each))
			}
		}
		require.EqualValues(t, total/each*each, s.Count(t, &coupons.Coupon{}, "1 = 1"))
		now := s.Send(t, http.MethodGet, CampaignPath(campaign), nil).Body
		require.EqualValues(t, total/each*each, now["issued"])
		require.EqualValues(t, now["version"], s.Count(t, &coupons.CampaignRevision{}, "1 = 1"), "each version is stored")
	})
}

// Proves G2.3.
func TestConcurrentIssuesRespectTheLimitPerUser(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const perUser, issuers = 3, 16
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, object{"perUser": perUser})
		answers := make([]httpapitest.Answer, issuers)
		racing.Together(issuers, func(i int) {
			// Each issuer issues to user 5 and to one other user.
			answers[i] = s.Send(t, http.MethodPost, CampaignPath(campaign)+"/coupons", object{"userIds": []int{100 + i, 5}})
		})
		require.Equal(t, map[int]int{http.StatusCreated: perUser, http.StatusConflict: issuers - perUser}, world.Tally(answers))
		require.EqualValues(t, perUser, s.Count(t, &coupons.Coupon{}, "user_id = '5'"))
		require.EqualValues(t, perUser, s.Count(t, &coupons.Coupon{}, "user_id <> '5'"), "a rejected issue creates no coupon")
		require.EqualValues(t, 2*perUser, s.Send(t, http.MethodGet, CampaignPath(campaign), nil).Body["issued"])
		require.EqualValues(t, 1+perUser, s.Count(t, &coupons.Holder{}, "1 = 1"))
	})
}

func TestConcurrentRedemptionsRespectTheLimitPerUser(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const perUser, codes = 2, 12
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, object{"perUser": perUser})
		unbound := s.Issue(t, campaign, object{"count": codes})
		answers := make([]httpapitest.Answer, codes)
		racing.Together(codes, func(i int) { answers[i] = s.redeem(t, unbound[i], 5) })
		require.Equal(t, map[int]int{http.StatusOK: perUser, http.StatusConflict: codes - perUser}, world.Tally(answers))
		for i, a := range answers {
			if a.Status == http.StatusConflict {
				require.Equal(t, "limit_reached", a.Body["code"], a.Body)
				require.Equal(t, "unused", s.readCoupon(t, unbound[i])["status"], "it is left for another user")
			}
		}
		require.EqualValues(t, perUser, s.Count(t, &coupons.Coupon{}, "redeemed_by = '5'"))
		s.Post(t, http.StatusConflict, CampaignPath(campaign)+"/coupons", object{"userIds": []int{5}})
	})
}

func TestReportedRemainingCouponsAreIssuable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, object{"total": 10})
		id := int64(campaign["id"].(float64))
		err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			row, err := s.Coupons.Campaign(ctx, id)
			if err != nil {
				return err
			}
			_, err = s.Coupons.Issue(ctx, u, row, nil, 11)
			return err
		})
		var refusal *apperr.Error
		require.True(t, errors.As(err, &refusal))
		require.EqualValues(t, 10, refusal.Members["left"])
		require.EqualValues(t, 0, refusal.Members["issued"])
	})
}
