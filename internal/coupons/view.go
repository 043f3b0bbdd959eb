package coupons

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

type campaignView struct {
	ID int64 `json:"id"`
	Terms
	// Currency is of the value of an amount, and of the minimum amount.
	Currency string `json:"currency"`
	Issued   int64  `json:"issued"`
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
	Action  string `json:"action"`
	Terms
	Currency    string           `json:"currency"`
	Issued      int64            `json:"issued"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func revisionViewOf(ctx context.Context, r CampaignRevision) revisionView {
	return revisionView{
		Version: r.Version, Action: r.Action, Terms: r.Terms, Currency: principal.CurrencyOf(ctx), Issued: r.Issued,
		ChangedBy: r.By(), ChangedTime: r.ChangedTime,
	}
}

type issuedView struct {
	Codes []string `json:"codes"`
}

type couponView struct {
	Code       string `json:"code"`
	CampaignID int64  `json:"campaignId"`
	// The current terms of the campaign.
	Kind          string    `json:"kind"`
	Value         int64     `json:"value"`
	MinimumAmount int64     `json:"minimumAmount"`
	Currency      string    `json:"currency"`
	ValidFrom     time.Time `json:"validFrom"`
	ValidTo       time.Time `json:"validTo"`

	UserID             *principal.CustomerID `json:"userId"`
	Status             string                `json:"status"`
	AllowedTransitions []string              `json:"allowedTransitions"`
	RedeemedBy         *principal.CustomerID `json:"redeemedByUserId"`
	OrderID            *int64                `json:"orderId"`
	VoidReason         *string               `json:"voidReason"`
	guard.Stamp
}

// couponViewOf returns the view of a coupon at a time.
func couponViewOf(ctx context.Context, c Coupon, now time.Time) couponView {
	state := c.state(now)
	v := couponView{
		Code: c.Code, CampaignID: c.CampaignID,
		Kind: c.Campaign.Kind, Value: c.Campaign.Value, MinimumAmount: c.Campaign.MinimumAmount, Currency: principal.CurrencyOf(ctx),
		ValidFrom: c.Campaign.ValidFrom, ValidTo: c.Campaign.ValidTo,
		UserID: c.UserID, Status: state.Name, AllowedTransitions: Machine.Allowed(state),
		RedeemedBy: c.RedeemedBy, OrderID: c.OrderID, Stamp: c.Stamp(),
	}
	if c.VoidReason != "" {
		v.VoidReason = &c.VoidReason
	}
	return v
}

func eventViewOf(e Event) change.EventView[Coupon] { return change.EventViewOf[Coupon](e.Event) }
