package client

import (
	"context"
	"encoding/json"
	"net/url"
	"time"
)

// Coupons are what campaigns have issued.
type Coupons struct{ client *Client }

// CouponStatus is where a coupon stands.
type CouponStatus string

// The statuses of coupons.
const (
	CouponUnused  CouponStatus = "unused"
	CouponUsed    CouponStatus = "used"
	CouponVoid    CouponStatus = "void"
	CouponExpired CouponStatus = "expired"
)

// Coupon is one coupon, with the terms of its campaign.
type Coupon struct {
	Stamp
	Code          string       `json:"code"`
	CampaignID    int64        `json:"campaignId"`
	Kind          CampaignKind `json:"kind"`
	Value         int64        `json:"value"`
	MinimumAmount int64        `json:"minimumAmount"`
	Currency      string       `json:"currency"`
	ValidFrom     time.Time    `json:"validFrom"`
	ValidTo       time.Time    `json:"validTo"`
	// UserID is whose it is, nil for whoever has the code.
	UserID             *string      `json:"userId"`
	Status             CouponStatus `json:"status"`
	AllowedTransitions []string     `json:"allowedTransitions"`
	RedeemedByUserID   *string      `json:"redeemedByUserId"`
	OrderID            *int64       `json:"orderId"`
	VoidReason         *string      `json:"voidReason"`
}

// CouponFilter narrows a list of coupons.
type CouponFilter struct {
	Paging
	CampaignID int64
	UserID     string
	Status     CouponStatus
}

// CouponEvent is one change of a coupon. From is "" when it was issued.
type CouponEvent struct {
	Version     int64           `json:"version"`
	Action      string          `json:"action"`
	From        CouponStatus    `json:"from"`
	To          CouponStatus    `json:"to"`
	Detail      json.RawMessage `json:"detail"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
}

// Redemption is the user who uses a coupon, and for which of their orders if any.
type Redemption struct {
	UserID  string `json:"userId"`
	OrderID *int64 `json:"orderId,omitempty"`
}

func couponPath(code string) string { return "/coupons/" + url.PathEscape(code) }

// List lists coupons, newest first, or as the filter's Sort says.
func (s *Coupons) List(f CouponFilter) List[Coupon] {
	return List[Coupon]{s.client, "/coupons", f.parameters().
		number("campaignId", f.CampaignID).text("userId", f.UserID).text("status", string(f.Status))}
}

// Get reads a coupon.
func (s *Coupons) Get(ctx context.Context, code string, options ...CallOption) (Coupon, error) {
	return get[Coupon](ctx, s.client, couponPath(code), options)
}

// History lists a coupon's changes, newest first.
func (s *Coupons) History(code string, p Paging) List[CouponEvent] {
	return List[CouponEvent]{s.client, couponPath(code) + "/history", p.parameters()}
}

// Redeem uses a coupon; [TransitionRejected] when it is not unused any more.
func (s *Coupons) Redeem(ctx context.Context, code string, r Redemption, options ...CallOption) (Coupon, error) {
	return transition[Coupon](ctx, s.client, couponPath(code)+"/redeem", r, options)
}

// Void makes a coupon worthless; [TransitionRejected] when it is not unused any more.
func (s *Coupons) Void(ctx context.Context, code, reason string, options ...CallOption) (Coupon, error) {
	body := struct {
		Reason string `json:"reason,omitempty"`
	}{reason}
	return transition[Coupon](ctx, s.client, couponPath(code)+"/void", body, options)
}
