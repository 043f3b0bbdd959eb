package shop

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/world"
)

func (s *Shop) redeem(t *testing.T, code string, user int) httpapitest.Answer {
	t.Helper()
	return s.Send(t, http.MethodPost, "/coupons/"+code+"/redeem", object{"userId": user})
}

func (s *Shop) readCoupon(t *testing.T, code string) object {
	t.Helper()
	a := s.Get(t, "/coupons/"+code)
	return a.Body
}

func TestCampaignIsStartedEditedAndDeleted(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		started := s.Send(t, http.MethodPost, "/coupon-campaigns", CampaignSpec(object{"kind": "percent", "value": 10}))
		require.Equal(t, http.StatusCreated, started.Status, started.Body)
		path := CampaignPath(started.Body)
		require.Equal(t, "/api/v1"+path, started.Header.Get("Location"))
		require.EqualValues(t, 0, started.Body["issued"])
		require.Equal(t, "2026-11-21T07:00:00.000000Z", started.Body["validFrom"])
		require.Equal(t, started.Body, s.Send(t, http.MethodGet, path, nil).Body)

		// The same instant in another zone is no change.
		same := s.Send(t, http.MethodPatch, path, object{"validFrom": "2026-11-21T08:00:00+01:00"}, "If-Match", started.Header.Get("ETag"))
		require.Equal(t, http.StatusOK, same.Status, same.Body)
		require.EqualValues(t, 1, same.Body["version"])

		edited := s.Send(t, http.MethodPatch, path, object{"name": "Summer", "validTo": "2026-12-01T00:00:00Z"}, "If-Match", started.Header.Get("ETag"))
		require.Equal(t, http.StatusOK, edited.Status, edited.Body)
		require.Equal(t, "Summer", edited.Body["name"])
		require.Equal(t, "2026-12-01T00:00:00.000000Z", edited.Body["validTo"])

		stale := s.Send(t, http.MethodPatch, path, object{"name": "Autumn"}, "If-Match", started.Header.Get("ETag"))
		require.Equal(t, http.StatusPreconditionFailed, stale.Status)
		require.Equal(t, "Spring", stale.Body["base"].(object)["name"])
		require.Len(t, stale.Body["conflicts"], 1)

		history := s.Send(t, http.MethodGet, path+"/history", nil).Items()
		require.Len(t, history, 2)
		require.Equal(t, "update", history[0]["action"])
		require.Equal(t, "Spring", history[1]["name"])

		require.Equal(t, http.StatusNoContent, s.Send(t, http.MethodDelete, path, nil, "If-Match", edited.Header.Get("ETag")).Status)
		require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodGet, path, nil).Status)
		require.EqualValues(t, 3, s.Count(t, &uow.AuditRow{}, "resource = ?", strings.TrimPrefix(path, "/")))
	})
}

func TestCampaignWithCouponsIsEditableButNotDeletable(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, nil)
		path := CampaignPath(campaign)
		s.Issue(t, campaign, object{"count": 3})

		stale := s.Send(t, http.MethodDelete, path, nil, "If-Match", campaign["etag"].(string))
		require.Equal(t, http.StatusPreconditionFailed, stale.Status)
		require.NotNil(t, stale.Body["base"], "an issue is a version too")
		now := s.Send(t, http.MethodGet, path, nil)
		require.EqualValues(t, 3, now.Body["issued"])
		used := s.Send(t, http.MethodDelete, path, nil, "If-Match", now.Header.Get("ETag"))
		require.Equal(t, http.StatusConflict, used.Status)
		require.Equal(t, "in_use", used.Body["code"])

		few := s.Send(t, http.MethodPatch, path, object{"total": 2}, "If-Match", now.Header.Get("ETag"))
		require.Equal(t, http.StatusUnprocessableEntity, few.Status)
		require.Equal(t, "/total", few.Pointer())
		merged := s.Send(t, http.MethodPatch, path+"?merge=disjoint", object{"total": 3}, "If-Match", campaign["etag"].(string))
		require.Equal(t, http.StatusOK, merged.Status, merged.Body)
		require.EqualValues(t, 3, merged.Body["total"])
		require.EqualValues(t, 3, merged.Body["issued"])
		require.Equal(t, object{"fromVersion": 1.0, "keptTheirs": []any{}}, merged.Body["merged"])
	})
}

func TestInvalidCampaignIsRejectedByField(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	cases := []struct {
		name    string
		terms   object
		status  int
		pointer string
	}{
		{"no name", object{"name": ""}, 422, "/name"},
		{"a name of 101 characters", object{"name": strings.Repeat("é", 101)}, 422, "/name"},
		{"an unknown kind", object{"kind": "gift"}, 422, "/kind"},
		{"a value of 0", object{"value": 0}, 422, "/value"},
		{"101 percent", object{"kind": "percent", "value": 101}, 422, "/value"},
		{"a negative minimum", object{"minimumAmount": -1}, 422, "/minimumAmount"},
		{"a total of 0", object{"total": 0}, 422, "/total"},
		{"none a user", object{"perUser": 0}, 422, "/perUser"},
		{"an end before the beginning", object{"validTo": "2026-11-21T07:00:00Z"}, 422, "/validTo"},
		{"an end beyond year 9999", object{"validTo": "9999-12-31T23:59:59-01:00"}, 422, "/validTo"},
		{"a beginning in year 0", object{"validFrom": "0000-01-01T00:00:00Z"}, 422, "/validFrom"},
		{"a time that is none", object{"validFrom": "tomorrow"}, 400, "/validFrom"},
		{"a counter that is not the caller's", object{"issued": 5}, 400, "/issued"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, "/coupon-campaigns", CampaignSpec(tc.terms))
			require.Equal(t, tc.status, a.Status, a.Body)
			require.Equal(t, tc.pointer, a.Pointer())
		})
	}
	for name := range CampaignSpec(nil) {
		if name == "minimumAmount" {
			continue
		}
		without := CampaignSpec(nil)
		delete(without, name)
		require.Equal(t, "/"+name, s.Send(t, http.MethodPost, "/coupon-campaigns", without).Pointer())
	}
	require.Zero(t, s.Count(t, &coupons.Campaign{}, "1 = 1"))
}

func TestCouponsAreIssuedToUsersOrByNumber(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, object{"total": 6, "perUser": 2})
		codes := s.Issue(t, campaign, object{"userIds": []int{5, 6}})
		require.Len(t, codes, 2)
		require.Equal(t, "6", s.readCoupon(t, codes[1])["userId"])
		unbound := s.Issue(t, campaign, object{"count": 2})
		require.Nil(t, s.readCoupon(t, unbound[0])["userId"])

		path := CampaignPath(campaign) + "/coupons"
		for body, pointer := range map[string]string{
			`{}`: "", `{"count":1,"userIds":[1]}`: "", `{"count":0}`: "/count", `{"count":1001}`: "/count",
			`{"userIds":[1,"1"]}`: "/userIds", `{"userIds":[""]}`: "/userIds/0", `{"userIds":["a","a b"]}`: "/userIds/1", `{"userIds":[]}`: "",
		} {
			a := s.Send(t, http.MethodPost, path, body)
			require.Equal(t, http.StatusUnprocessableEntity, a.Status, body)
			require.Equal(t, pointer, a.Pointer(), body)
		}
		few := s.Post(t, http.StatusConflict, path, object{"count": 3})
		require.Equal(t, "limit_reached", few["code"])
		require.EqualValues(t, 2, few["left"])
		s.Issue(t, campaign, object{"userIds": []int{5}})
		full := s.Post(t, http.StatusConflict, path, object{"userIds": []int{5}})
		require.Equal(t, []any{"5"}, full["userIds"])

		require.EqualValues(t, 5, s.Send(t, http.MethodGet, CampaignPath(campaign), nil).Body["issued"], "a rejected issue counts nothing")
		require.EqualValues(t, 5, s.Count(t, &coupons.Coupon{}, "1 = 1"))
		require.EqualValues(t, 5, s.Count(t, &coupons.Event{}, "action = 'issue'"))
		s.Clock.Advance(time.Hour)
		s.Post(t, http.StatusUnprocessableEntity, path, object{"count": 1})
	})
}

func TestRedemptionIsRecordedInTheHistory(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		code := s.Issue(t, s.Campaign(t, nil), object{"userIds": []int{5}})[0]
		fresh := s.readCoupon(t, code)
		require.Equal(t, "unused", fresh["status"])
		require.Equal(t, []any{"redeem", "void"}, fresh["allowedTransitions"])

		other := s.redeem(t, code, 6)
		require.Equal(t, http.StatusUnprocessableEntity, other.Status)
		require.Equal(t, "/userId", other.Pointer())
		require.Equal(t, fresh, s.readCoupon(t, code))

		s.Stock(t, "TEA-1", 100, Plenty)
		order := s.Create(t, "/orders", object{"userId": 5, "items": []object{Line("TEA-1", 1)}})["id"]
		for id, whose := range map[any]string{s.Place(t)["id"]: "another user's", 999_999: "none"} {
			refused := s.Send(t, http.MethodPost, "/coupons/"+code+"/redeem", object{"userId": 5, "orderId": id})
			require.Equal(t, []any{http.StatusUnprocessableEntity, "/orderId"}, []any{refused.Status, refused.Pointer()}, whose)
		}
		require.Equal(t, fresh, s.readCoupon(t, code))
		used := s.Send(t, http.MethodPost, "/coupons/"+strings.ToLower(code)+"/redeem", object{"userId": 5, "orderId": order}, "If-Match", fresh["etag"].(string))
		require.Equal(t, http.StatusOK, used.Status, used.Body)
		require.Equal(t, used.Body["etag"], used.Header.Get("ETag"))
		require.Equal(t, "used", used.Body["status"])
		require.Equal(t, "5", used.Body["redeemedByUserId"])
		require.Equal(t, order, used.Body["orderId"])
		require.Equal(t, []any{}, used.Body["allowedTransitions"])

		again := s.redeem(t, code, 5)
		require.Equal(t, http.StatusConflict, again.Status)
		require.Equal(t, "transition_not_allowed", again.Body["code"])
		require.Equal(t, "used", again.Body["currentStatus"])
		require.Equal(t, object{"id": 7.0, "name": "Tester"}, again.Body["changedBy"])
		require.Equal(t, used.Body["updatedTime"], again.Body["changedTime"])
		require.Equal(t, used.Body, again.Body["current"])
		s.Post(t, http.StatusPreconditionFailed, "/coupons/"+code+"/void", nil, "If-Match", fresh["etag"].(string))

		stale := []string{"If-Match", fresh["etag"].(string)}
		require.Equal(t, "/userId", s.Send(t, http.MethodPost, "/coupons/"+code+"/redeem", object{}, stale...).Pointer(), "shape before precondition")
		require.Equal(t, http.StatusPreconditionFailed, s.Send(t, http.MethodPost, "/coupons/"+code+"/redeem", object{"userId": 6}, stale...).Status, "precondition before rules")

		history := s.Send(t, http.MethodGet, "/coupons/"+code+"/history", nil).Items()
		require.Len(t, history, 2)
		require.Equal(t, "redeem", history[0]["action"])
		require.Equal(t, "unused", history[0]["from"])
		require.Equal(t, object{"userId": "5", "orderId": order}, history[0]["detail"])
		require.Nil(t, history[1]["from"])
		require.EqualValues(t, 1, s.Count(t, &uow.AuditRow{}, "resource = ?", "coupons/"+code))
	})
}

func TestVoidedCouponHasAReasonAndIsNotRedeemable(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		code := s.Issue(t, s.Campaign(t, nil), object{"count": 1})[0]
		s.Post(t, http.StatusUnprocessableEntity, "/coupons/"+code+"/void", object{"reason": strings.Repeat("r", 501)})
		voided := s.Post(t, http.StatusOK, "/coupons/"+code+"/void", object{"reason": "leaked"})
		require.Equal(t, "leaked", voided["voidReason"])
		refused := s.redeem(t, code, 5)
		require.Equal(t, http.StatusConflict, refused.Status)
		require.Equal(t, "void", refused.Body["currentStatus"])
	})
}

func TestRejectedCouponReturnsItsReason(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		codes := s.Issue(t, s.Campaign(t, nil), object{"count": 3})
		require.Equal(t, http.StatusOK, s.redeem(t, codes[0], 5).Status)
		s.Post(t, http.StatusOK, "/coupons/"+codes[1]+"/void", nil)
		reason := func(code string) string {
			err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				_, _, err := s.Coupons.Quote(ctx, u, code, "5", 1000)
				return err
			})
			var refusal *apperr.Error
			require.ErrorAs(t, err, &refusal)
			require.NotContains(t, fmt.Sprint(refusal.Members), "Tester")
			return refusal.Fields[0].Message
		}
		require.Equal(t, "cannot be used: it was redeemed on 2026-11-21 at 08:00 UTC", reason(codes[0]))
		require.Equal(t, "cannot be used: it was voided on 2026-11-21 at 08:00 UTC", reason(codes[1]))
		s.Clock.Advance(time.Hour)
		const late = "cannot be used: it expired at 2026-11-21T09:00:00Z"
		require.Equal(t, late, reason(codes[2]), "the sweeper has not been there")
		require.NoError(t, s.Coupons.ExpireDue(ctx, 10))
		require.Equal(t, late, reason(codes[2]))
	})
}

func TestCouponIsValidFromStartUntilBeforeEnd(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, object{"validFrom": world.Opening.Add(time.Minute), "validTo": world.Opening.Add(time.Hour)})
		codes := s.Issue(t, campaign, object{"count": 3})

		early := s.redeem(t, codes[0], 5)
		require.Equal(t, http.StatusConflict, early.Status)
		require.Equal(t, "transition_not_allowed", early.Body["code"])
		require.Equal(t, "unused", early.Body["currentStatus"])
		require.Contains(t, early.Body["detail"], "2026-11-21T08:01:00Z")
		require.Zero(t, s.Count(t, &coupons.Holder{}, "1 = 1"))

		s.Clock.Advance(time.Minute)
		require.Equal(t, http.StatusOK, s.redeem(t, codes[0], 5).Status)
		s.Clock.Advance(59*time.Minute - time.Microsecond)
		require.Equal(t, http.StatusOK, s.redeem(t, codes[1], 5).Status)
		s.Clock.Advance(time.Microsecond)
		require.Equal(t, "expired", s.readCoupon(t, codes[2])["status"], "the sweeper has not been there")
		require.Equal(t, []any{}, s.readCoupon(t, codes[2])["allowedTransitions"])
		late := s.redeem(t, codes[2], 5)
		require.Equal(t, http.StatusConflict, late.Status)
		require.Equal(t, "transition_not_allowed", late.Body["code"])
		require.Equal(t, "expired", late.Body["currentStatus"])
		require.Contains(t, late.Body["detail"], "expired at 2026-11-21T09:00:00Z")
		require.Equal(t, "used", s.readCoupon(t, codes[1])["status"], "a used coupon stays used")
	})
}

func TestCouponsAreListedByFilterAndTheClock(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		short := s.Campaign(t, object{"name": "Short 50%_!", "validTo": world.Opening.Add(time.Minute)})
		long := s.Campaign(t, object{"name": "Long"})
		bound := s.Issue(t, short, object{"userIds": []int{5, 6}})
		s.Issue(t, long, object{"count": 3})
		require.Equal(t, http.StatusOK, s.redeem(t, bound[0], 5).Status)
		list := func(query string) int {
			a := s.Get(t, "/coupons?"+query)
			require.EqualValues(t, a.Body["total"], len(a.Items()))
			return len(a.Items())
		}
		require.Equal(t, 5, list(""))
		require.Equal(t, 2, list(fmt.Sprintf("campaignId=%d", int64(short["id"].(float64)))))
		require.Equal(t, 1, list("userId=6"))
		require.Equal(t, 1, list("status=used"))
		require.Equal(t, 4, list("status=unused"))
		require.Equal(t, 0, list("status=expired"))
		by := func(after time.Duration) string {
			return "expiresBy=" + url.QueryEscape(world.Opening.Add(after).Format(time.RFC3339))
		}
		require.Equal(t, 2, list(by(time.Minute)))
		require.Equal(t, 0, list(by(time.Minute-time.Second)))
		require.Equal(t, 1, list("status=unused&"+by(time.Minute)))
		s.Clock.Advance(time.Minute)
		require.Equal(t, 0, list("status=unused&"+by(time.Minute)), "an ended coupon does not expire again")
		require.Equal(t, 3, list("status=unused"))
		require.Equal(t, 1, list("status=expired"))
		require.Equal(t, 0, list("status=expired&userId=5"))
		for _, query := range []string{"status=lost", "userId=a+b", "campaignId=x", "expiresBy=soon", "sort=code", "createdFrom=2026-11-21T08:00:00Z"} {
			require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodGet, "/coupons?"+query, nil).Status, query)
		}

		named := s.Send(t, http.MethodGet, "/coupon-campaigns?q=50%25_%21", nil)
		require.Len(t, named.Items(), 1)
		s.Campaign(t, object{"name": "ÜBER"})
		require.Len(t, s.Send(t, http.MethodGet, "/coupon-campaigns?q="+url.QueryEscape("ÜBER"), nil).Items(), 1)
		sorted := s.Send(t, http.MethodGet, "/coupon-campaigns?sort=validTo&limit=1", nil)
		require.Equal(t, "Short 50%_!", sorted.Items()[0]["name"])
		rest := s.Send(t, http.MethodGet, "/coupon-campaigns?sort=validTo&limit=1&cursor="+sorted.Body["nextCursor"].(string), nil)
		require.Equal(t, "Long", rest.Items()[0]["name"])
	})
}

func TestCouponIsFreshAfterItsTermsOrTimeChanged(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, object{"validTo": world.Opening.Add(time.Hour)})
		code := s.Issue(t, campaign, object{"count": 1})[0]
		tag := s.readCoupon(t, code)["etag"].(string)
		ask := func() httpapitest.Answer {
			return s.Send(t, http.MethodGet, "/coupons/"+code, nil, "If-None-Match", tag)
		}
		require.Equal(t, http.StatusNotModified, ask().Status)

		s.Clock.Advance(time.Minute)
		issued := s.Send(t, http.MethodGet, CampaignPath(campaign), nil).Header.Get("ETag")
		require.Equal(t, http.StatusOK, s.Send(t, http.MethodPatch, CampaignPath(campaign), `{"value":7}`, "If-Match", issued).Status)
		require.EqualValues(t, 7, ask().Body["value"])

		other := s.Issue(t, s.Campaign(t, object{"validTo": world.Opening.Add(time.Hour)}), object{"count": 1})[0]
		code, tag = other, s.readCoupon(t, other)["etag"].(string)
		require.Equal(t, http.StatusNotModified, ask().Status)
		s.Clock.Advance(time.Hour)
		require.Equal(t, "expired", ask().Body["status"])
	})
}

func TestAnotherTenantsCouponsAreNotFound(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		campaign := s.Campaign(t, nil)
		code := s.Issue(t, campaign, object{"count": 1})[0]
		stranger := Open(storagetest.Tenant(t), t, db)
		etag := campaign["etag"].(string)
		for _, request := range [][2]string{
			{http.MethodGet, CampaignPath(campaign)}, {http.MethodGet, CampaignPath(campaign) + "/history"},
			{http.MethodPatch, CampaignPath(campaign)}, {http.MethodDelete, CampaignPath(campaign)},
			{http.MethodPost, CampaignPath(campaign) + "/coupons"},
			{http.MethodGet, "/coupons/" + code}, {http.MethodGet, "/coupons/" + code + "/history"},
			{http.MethodPost, "/coupons/" + code + "/redeem"}, {http.MethodPost, "/coupons/" + code + "/void"},
		} {
			a := stranger.Send(t, request[0], request[1], `{}`, "If-Match", etag)
			require.Equal(t, http.StatusNotFound, a.Status, request)
		}
		require.Empty(t, stranger.Send(t, http.MethodGet, "/coupons", nil).Items())
		require.Equal(t, "unused", s.readCoupon(t, code)["status"])
	})
}
