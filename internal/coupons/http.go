package coupons

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of coupons and their campaigns.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	byID := httpapi.Numbered("coupon campaign", s.Campaign)
	campaigns := r.About(httpapi.Resource{Tag: "Coupons", Noun: "campaign", Example: exampleCampaign})
	httpapi.Get(campaigns, "/coupon-campaigns", ReadPermission, h.campaigns).
		Doc("List campaigns", "").With(httpapi.Contract{ID: "listCampaigns", Sorts: campaignSorts})
	httpapi.Mutation(campaigns, http.MethodPost, "/coupon-campaigns", writePermission, h.start).
		Doc("Create a campaign", "A campaign defines the discount, the users and the validity period of its coupons. Coupons are issued from it afterwards.").
		With(httpapi.Contract{Body: exampleCampaign.Terms})
	httpapi.GetOf(campaigns, "/coupon-campaigns/:id", ReadPermission, byID, h.campaign).Doc("Get a campaign", "")
	httpapi.MutationOf(campaigns, http.MethodPatch, "/coupon-campaigns/:id", writePermission, byID, h.edit).
		Doc("Update a campaign", "A merge patch (RFC 7396). The new terms also apply to coupons already issued, and `total` is at least their number.").
		With(httpapi.Contract{ID: "editCampaign", Body: map[string]any{"name": "Spring sale"}})
	httpapi.MutationOf(campaigns, http.MethodDelete, "/coupon-campaigns/:id", writePermission, byID, h.delete).
		Doc("Delete a campaign", "Only before its first coupon is issued (409 `in_use` afterwards): end it by its `validTo` instead.").
		With(httpapi.Contract{Rejections: []httpapi.Rejection{{Code: apperr.InUse}}})
	httpapi.GetOf(campaigns, "/coupon-campaigns/:id/history", ReadPermission, byID, h.campaignHistory).
		Doc("List the versions of a campaign", "Newest first.").With(httpapi.Contract{Sorts: change.HistorySorts})

	r = r.About(httpapi.Resource{Tag: "Coupons", Noun: "coupon", Machine: Machine, Example: exampleCoupon})
	httpapi.MutationOf(r, http.MethodPost, "/coupon-campaigns/:id/coupons", writePermission, byID, h.issue).
		Doc("Issue coupons", "Issues either one coupon for each of `userIds`, which only that user can redeem, or `count` coupons that any user with the code can redeem. "+
			"409 `limit_reached` if the campaign has fewer left (`left`) or users have their maximum (`userIds`); no coupon is issued then.").
		With(httpapi.Contract{
			ID: "issueCoupons", Success: "Issued.", Body: map[string]any{"count": 2}, Reply: issuedCoupons{[]string{"K7QMX-2F9RT-H4WZA-8CNPB", "4HXWC-QAZ7M-29BTR-KFDJ3"}},
			Rejections: []httpapi.Rejection{{Code: apperr.LimitReached}},
		})
	myRoutes(r, h)
	byCode := httpapi.Named("code", s.Coupon)
	httpapi.Get(r, "/coupons", ReadPermission, h.coupons).Doc("List coupons", "").With(httpapi.Contract{Sorts: couponSorts})
	httpapi.GetOf(r, "/coupons/:code", ReadPermission, byCode, h.coupon).Doc("Get a coupon", "")
	httpapi.GetOf(r, "/coupons/:code/history", ReadPermission, byCode, h.history).
		Doc("List the history of a coupon", "Newest first. `return`: the order that used it was cancelled.").With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.Transition(r.Critical(), "/coupons/:code", "redeem", writePermission, byCode, h.redeem).
		Doc("Redeem a coupon", "Once, however many devices try concurrently: the others return 409 with the author of the successful request. "+
			"422 at `/userId` if the coupon was issued to another user. An order with `couponCode` redeems its coupon itself.").
		With(httpapi.Contract{Body: Redemption{UserID: "user-12"}, Rejections: []httpapi.Rejection{
			{Code: apperr.LimitReached, Cause: "the user has the maximum number of coupons of the campaign"},
		}})
	httpapi.Transition(r, "/coupons/:code", "void", writePermission, byCode, h.void).
		Doc("Void a coupon", "The coupon can never be redeemed.").With(httpapi.Contract{Body: Voiding{"Sent to the wrong person."}})
}

type handler struct{ service *Service }

type campaignsRequest struct {
	// Substring of the name, ignoring case.
	Search httpapi.Search `query:"q"`
	httpapi.Page
}

func (h handler) campaigns(ctx context.Context, in campaignsRequest) (httpapi.List[campaignView], error) {
	listing, err := h.service.Campaigns(ctx, string(in.Search), in.Page.Page())
	return httpapi.ListOf(listing, func(campaign Campaign) campaignView { return campaignViewOf(ctx, campaign) }), err
}

type startRequest struct{ Body startBody }

// startBody has the terms of a campaign, nil if absent.
type startBody struct {
	Name          string     `json:"name" validate:"required"`
	Kind          Kind       `json:"kind" validate:"required"`
	Value         *int64     `json:"value" validate:"required"`
	MinimumAmount int64      `json:"minimumAmount"`
	Total         *int64     `json:"total" validate:"required"`
	PerUser       *int64     `json:"perUser" validate:"required"`
	ValidFrom     *time.Time `json:"validFrom" validate:"required"`
	ValidTo       *time.Time `json:"validTo" validate:"required"`
}

// create has the members of startBody with the rules of Terms, for the contract.
type create struct{ Terms }

// Content returns a value of the type with the members in the contract.
func (startBody) Content() any { return create{} }

func (h handler) start(ctx context.Context, u *uow.Unit, in startRequest) (httpapi.Created[campaignView], error) {
	b := in.Body
	campaign, err := h.service.Start(ctx, u, Terms{
		Name: b.Name, Kind: b.Kind, Value: *b.Value, MinimumAmount: b.MinimumAmount,
		Total: *b.Total, PerUser: *b.PerUser, ValidFrom: *b.ValidFrom, ValidTo: *b.ValidTo,
	})
	if err != nil {
		return httpapi.Created[campaignView]{}, err
	}
	return httpapi.Created[campaignView]{Location: fmt.Sprintf("/coupon-campaigns/%d", campaign.ID), Body: campaignViewOf(ctx, *campaign)}, nil
}

func (h handler) campaign(ctx context.Context, campaign *Campaign, _ httpapi.None) (campaignView, error) {
	return campaignViewOf(ctx, *campaign), nil
}

type editRequest struct{ httpapi.Edit[Terms] }

func (h handler) edit(ctx context.Context, u *uow.Unit, campaign *Campaign, in editRequest) (editedView, error) {
	edited, err := h.service.Edit(ctx, u, campaign, in.Change())
	if err != nil {
		return editedView{}, err
	}
	return editedView{campaignView: campaignViewOf(ctx, *edited.Row), Merged: edited.Merged}, nil
}

func (h handler) delete(ctx context.Context, u *uow.Unit, campaign *Campaign, in httpapi.Guarded) (httpapi.None, error) {
	return httpapi.None{}, h.service.Delete(ctx, u, campaign, in.IfMatch)
}

func (h handler) campaignHistory(ctx context.Context, campaign *Campaign, in httpapi.Page) (httpapi.List[revisionView], error) {
	listing, err := h.service.CampaignHistory(ctx, campaign, in.Page())
	return httpapi.ListOf(listing, func(r CampaignRevision) revisionView { return revisionViewOf(ctx, r) }), err
}

type issueRequest struct{ Body issueCoupons }

type issueCoupons struct {
	// Exactly one of `userIds` and `count` is required.
	UserIDs []principal.CustomerID `json:"userIds" validate:"max=1000,unique,dive,pattern"`
	Count   *int                   `json:"count" validate:"omitempty,min=1,max=1000"`
}

// Check validates that the request has either users or a count.
func (in *issueRequest) Check() error {
	if (len(in.Body.UserIDs) > 0) == (in.Body.Count != nil) {
		return apperr.Invalid(apperr.Field{Code: "exactly_one", Message: "must have exactly one of userIds and count"})
	}
	return nil
}

func (h handler) issue(ctx context.Context, u *uow.Unit, campaign *Campaign, in issueRequest) (httpapi.Created[issuedCoupons], error) {
	var count int
	if in.Body.Count != nil {
		count = *in.Body.Count
	}
	codes, err := h.service.Issue(ctx, u, campaign, in.Body.UserIDs, count)
	return httpapi.Created[issuedCoupons]{Location: fmt.Sprintf("/coupons?campaignId=%d", campaign.ID), Body: issuedCoupons{codes}}, err
}

type couponsRequest struct {
	CampaignID int64 `query:"campaignId"`
	// Coupons issued to this user.
	UserID principal.CustomerID `query:"userId"`
	Status status.Param[Coupon] `query:"status"`
	// Coupons that end at or before this time; with `status=unused`, those that expire by then.
	ExpiresBy *time.Time `query:"expiresBy"`
	httpapi.Page
}

func (h handler) coupons(ctx context.Context, in couponsRequest) (httpapi.List[couponView], error) {
	listing, err := h.service.Coupons(ctx, Filter{
		CampaignID: in.CampaignID, UserID: in.UserID, Status: in.Status.State, ExpiresBy: in.ExpiresBy,
	}, in.Page.Page())
	now := h.service.clock.Now()
	return httpapi.ListOf(listing, func(coupon Coupon) couponView { return couponViewOf(ctx, coupon, now) }), err
}

func (h handler) coupon(ctx context.Context, coupon *Coupon, _ httpapi.None) (httpapi.Fresh[couponView], error) {
	now := h.service.clock.Now()
	return httpapi.Fresh[couponView]{Body: couponViewOf(ctx, *coupon, now), Changed: coupon.changedAround(now)}, nil
}

func (h handler) history(ctx context.Context, coupon *Coupon, in httpapi.Page) (httpapi.List[change.EventView[Coupon]], error) {
	listing, err := h.service.History(ctx, coupon, in.Page())
	return httpapi.ListOf(listing, eventViewOf), err
}

type redeemRequest struct {
	Body    Redemption
	IfMatch *guard.Precondition
}

func (h handler) redeem(ctx context.Context, u *uow.Unit, coupon *Coupon, in redeemRequest) (couponView, error) {
	after, err := h.service.Redeem(ctx, u, coupon, in.Body, in.IfMatch)
	if err != nil {
		return couponView{}, err
	}
	return couponViewOf(ctx, *after, u.Now()), nil
}

type voidRequest struct {
	Body    *Voiding
	IfMatch *guard.Precondition
}

func (h handler) void(ctx context.Context, u *uow.Unit, coupon *Coupon, in voidRequest) (couponView, error) {
	var voiding Voiding
	if in.Body != nil {
		voiding = *in.Body
	}
	after, err := h.service.Void(ctx, u, coupon, voiding, in.IfMatch)
	if err != nil {
		return couponView{}, err
	}
	return couponViewOf(ctx, *after, u.Now()), nil
}
