package coupons

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

type campaignView struct {
	ID int64 `json:"id"`
	Terms
	Currency string `json:"currency"`
	// The number of issued coupons.
	Issued int64 `json:"issued" validate:"min=0"`
	guard.Stamp
}

func campaignViewOf(ctx context.Context, c Campaign) campaignView {
	return campaignView{ID: c.ID, Terms: c.Terms, Currency: principal.CurrencyOf(ctx), Issued: c.Issued, Stamp: c.Stamp()}
}

// editedView is a campaign with the result of a merge.
type editedView struct {
	campaignView
	Merged *change.Merged `json:"merged,omitempty"`
}

type revisionView struct {
	Version int64  `json:"version"`
	Action  string `json:"action" validate:"oneof=create update issue"`
	Terms
	Currency    string           `json:"currency"`
	Issued      int64            `json:"issued" validate:"min=0"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func revisionViewOf(ctx context.Context, r CampaignRevision) revisionView {
	return revisionView{
		Version: r.Version, Action: r.Action, Terms: r.Terms, Currency: principal.CurrencyOf(ctx), Issued: r.Issued,
		ChangedBy: r.By(), ChangedTime: r.ChangedTime,
	}
}

type issuedCoupons struct {
	// In the order of `userIds`.
	Codes []string `json:"codes" validate:"min=1,dive,required"`
}

type couponView struct {
	Code       string `json:"code" validate:"required"`
	CampaignID int64  `json:"campaignId"`
	// Whether `value` is in minor units or in percent. This and the next members are the current
	// terms of the campaign.
	Kind          Kind      `json:"kind"`
	Value         int64     `json:"value" validate:"min=1"`
	MinimumAmount int64     `json:"minimumAmount" validate:"min=0"`
	Currency      string    `json:"currency"`
	ValidFrom     time.Time `json:"validFrom"`
	ValidTo       time.Time `json:"validTo"`

	// The only user who can redeem it; null if any user with the code can.
	UserID             *principal.CustomerID       `json:"userId"`
	Status             status.Name[Coupon]         `json:"status"`
	AllowedTransitions []status.ActionName[Coupon] `json:"allowedTransitions"`
	RedeemedBy         *principal.CustomerID       `json:"redeemedByUserId"`
	// The order that used it.
	OrderID    *int64  `json:"orderId"`
	VoidReason *string `json:"voidReason"`
	guard.Stamp
}

// couponViewOf returns the view of a coupon at a time.
func couponViewOf(ctx context.Context, c Coupon, now time.Time) couponView {
	state := c.state(now)
	v := couponView{
		Code: c.Code, CampaignID: c.CampaignID,
		Kind: c.Campaign.Kind, Value: c.Campaign.Value, MinimumAmount: c.Campaign.MinimumAmount, Currency: principal.CurrencyOf(ctx),
		ValidFrom: c.Campaign.ValidFrom, ValidTo: c.Campaign.ValidTo,
		UserID: c.UserID, Status: status.Name[Coupon](state.Name), AllowedTransitions: status.ActionNames[Coupon](Machine.Allowed(state)),
		RedeemedBy: c.RedeemedBy, OrderID: c.OrderID, Stamp: c.Stamp(),
	}
	if c.VoidReason != "" {
		v.VoidReason = &c.VoidReason
	}
	return v
}

func eventViewOf(e Event) change.EventView[Coupon] { return change.EventViewOf[Coupon](e.Event) }

// Examples of a campaign and its coupon for the contract.
var (
	exampleCampaign = campaignViewOf(exampleContext, sampleCampaign)
	exampleCoupon   = couponViewOf(exampleContext, Coupon{Row: sampleCampaign.Row, CampaignID: 3, Code: "K7QMX-2F9RT-H4WZA-8CNPB", Campaign: &sampleCampaign}, exampleTime)

	exampleContext = principal.With(context.Background(), principal.Principal{Currency: "CNY"})
	exampleTime    = time.Date(2026, time.January, 31, 9, 30, 0, 123456000, time.UTC)
	sampleCampaign = Campaign{
		Row: guard.Row{ID: 3, Version: 1, CreatedTime: exampleTime, UpdatedTime: exampleTime, UpdatedBy: 7, UpdatedByName: "Li"},
		Terms: Terms{
			Name: "Spring", Kind: FixedAmount, Value: 500, MinimumAmount: 2000, Total: 1000, PerUser: 1,
			ValidFrom: time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC), ValidTo: time.Date(2026, time.June, 1, 0, 0, 0, 0, time.UTC),
		},
	}
)
