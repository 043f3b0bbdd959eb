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
	httpapi.Get(r, "/coupon-campaigns", ReadPermission, h.campaigns)
	httpapi.Mutation(r, http.MethodPost, "/coupon-campaigns", writePermission, h.start)
	httpapi.GetOf(r, "/coupon-campaigns/:id", ReadPermission, byID, h.campaign)
	httpapi.MutationOf(r, http.MethodPatch, "/coupon-campaigns/:id", writePermission, byID, h.edit)
	httpapi.MutationOf(r, http.MethodDelete, "/coupon-campaigns/:id", writePermission, byID, h.delete)
	httpapi.GetOf(r, "/coupon-campaigns/:id/history", ReadPermission, byID, h.campaignHistory)
	httpapi.MutationOf(r, http.MethodPost, "/coupon-campaigns/:id/coupons", writePermission, byID, h.issue)

	byCode := httpapi.Named("code", s.Coupon)
	httpapi.Get(r, "/coupons", ReadPermission, h.coupons)
	httpapi.GetOf(r, "/coupons/:code", ReadPermission, byCode, h.coupon)
	httpapi.GetOf(r, "/coupons/:code/history", ReadPermission, byCode, h.history)
	httpapi.Transition(r.Critical(), "/coupons/:code", "redeem", writePermission, byCode, h.redeem)
	httpapi.Transition(r, "/coupons/:code", "void", writePermission, byCode, h.void)
}

type handler struct{ service *Service }

type campaignsRequest struct {
	Search httpapi.Search `query:"q"`
	httpapi.Page
}

func (h handler) campaigns(ctx context.Context, in campaignsRequest) (httpapi.List[campaignView], error) {
	listing, err := h.service.Campaigns(ctx, string(in.Search), in.Page.Page())
	return httpapi.ListOf(listing, func(campaign Campaign) campaignView { return campaignViewOf(ctx, campaign) }), err
}

type startRequest struct {
	Body struct {
		Name          string     `json:"name" validate:"required"`
		Kind          string     `json:"kind" validate:"required"`
		Value         *int64     `json:"value" validate:"required"`
		MinimumAmount int64      `json:"minimumAmount"`
		Total         *int64     `json:"total" validate:"required"`
		PerUser       *int64     `json:"perUser" validate:"required"`
		ValidFrom     *time.Time `json:"validFrom" validate:"required"`
		ValidTo       *time.Time `json:"validTo" validate:"required"`
	}
}

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

type issueRequest struct {
	Body struct {
		UserIDs []principal.CustomerID `json:"userIds" validate:"max=1000,unique,dive,pattern"`
		Count   *int                   `json:"count" validate:"omitempty,min=1,max=1000"`
	}
}

// Check validates that the request has either users or a count.
func (in *issueRequest) Check() error {
	if (len(in.Body.UserIDs) > 0) == (in.Body.Count != nil) {
		return apperr.Invalid(apperr.Field{Code: "exactly_one", Message: "must have exactly one of userIds and count"})
	}
	return nil
}

func (h handler) issue(ctx context.Context, u *uow.Unit, campaign *Campaign, in issueRequest) (httpapi.Created[issuedView], error) {
	var count int
	if in.Body.Count != nil {
		count = *in.Body.Count
	}
	codes, err := h.service.Issue(ctx, u, campaign, in.Body.UserIDs, count)
	return httpapi.Created[issuedView]{Location: fmt.Sprintf("/coupons?campaignId=%d", campaign.ID), Body: issuedView{codes}}, err
}

type couponsRequest struct {
	CampaignID int64                `query:"campaignId"`
	UserID     principal.CustomerID `query:"userId"`
	Status     status.Param[Coupon] `query:"status"`
	ExpiresBy  *time.Time           `query:"expiresBy"`
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
