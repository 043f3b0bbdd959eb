// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Campaigns calls the operations on campaigns.
type Campaigns struct{ client *Client }

// Coupons calls the operations on coupons.
type Coupons struct{ client *Client }

// Campaign is a row of [Campaigns.List].
type Campaign struct {
	Stamp
	originState
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// Whether `value` is in minor units or in percent.
	Kind CampaignKind `json:"kind"`
	// The discount of a coupon, in minor units or percent; never more than the total.
	Value int64 `json:"value"`
	// The minimum total for a coupon, in minor units.
	MinimumAmount int64 `json:"minimumAmount"`
	// The maximum number of coupons.
	Total int64 `json:"total"`
	// The maximum number of coupons for one user.
	PerUser int64 `json:"perUser"`
	// Coupons are valid from this time on.
	ValidFrom time.Time `json:"validFrom"`
	// Coupons are valid until just before this time.
	ValidTo time.Time `json:"validTo"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The number of issued coupons.
	Issued int64   `json:"issued"`
	Merged *Merged `json:"merged,omitzero"`
}

func (*Campaign) editable() []string {
	return []string{"name", "kind", "value", "minimumAmount", "total", "perUser", "validFrom", "validTo"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *Campaign) UnmarshalJSON(text []byte) error {
	type members Campaign
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = Campaign(decoded)
	return setOrigin(v)
}

// CampaignKind is part of [Campaign].
type CampaignKind string

// The values of CampaignKind.
const (
	CampaignKindAmount  CampaignKind = "amount"
	CampaignKindPercent CampaignKind = "percent"
)

// CampaignFilter selects rows of [Campaigns.List].
type CampaignFilter struct {
	Paging
	// Substring of the name, ignoring case.
	Q string
}

// CampaignCreate is the request body of [Campaigns.Create].
type CampaignCreate struct {
	Name string `json:"name"`
	// Whether `value` is in minor units or in percent.
	Kind CampaignKind `json:"kind"`
	// The discount of a coupon, in minor units or percent; never more than the total.
	Value int64 `json:"value"`
	// The minimum total for a coupon, in minor units.
	MinimumAmount int64 `json:"minimumAmount,omitzero"`
	// The maximum number of coupons.
	Total int64 `json:"total"`
	// The maximum number of coupons for one user.
	PerUser int64 `json:"perUser"`
	// Coupons are valid from this time on.
	ValidFrom time.Time `json:"validFrom"`
	// Coupons are valid until just before this time.
	ValidTo time.Time `json:"validTo"`
}

// CampaignRevision is a row of [Campaigns.History].
type CampaignRevision struct {
	Version int64                  `json:"version"`
	Action  CampaignRevisionAction `json:"action"`
	Name    string                 `json:"name"`
	// Whether `value` is in minor units or in percent.
	Kind CampaignKind `json:"kind"`
	// The discount of a coupon, in minor units or percent; never more than the total.
	Value int64 `json:"value"`
	// The minimum total for a coupon, in minor units.
	MinimumAmount int64 `json:"minimumAmount"`
	// The maximum number of coupons.
	Total int64 `json:"total"`
	// The maximum number of coupons for one user.
	PerUser int64 `json:"perUser"`
	// Coupons are valid from this time on.
	ValidFrom time.Time `json:"validFrom"`
	// Coupons are valid until just before this time.
	ValidTo time.Time `json:"validTo"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency    string    `json:"currency"`
	Issued      int64     `json:"issued"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

// CampaignRevisionAction is part of [CampaignRevision].
type CampaignRevisionAction string

// The values of CampaignRevisionAction.
const (
	CampaignRevisionActionCreate CampaignRevisionAction = "create"
	CampaignRevisionActionUpdate CampaignRevisionAction = "update"
	CampaignRevisionActionIssue  CampaignRevisionAction = "issue"
)

// IssueCoupons is the request body of [Campaigns.IssueCoupons].
type IssueCoupons struct {
	// Exactly one of `userIds` and `count` is required.
	UserIDs []string `json:"userIds,omitzero"`
	Count   *int64   `json:"count,omitzero"`
}

// IssuedCoupons is returned by [Campaigns.IssueCoupons].
type IssuedCoupons struct {
	// In the order of `userIds`.
	Codes []string `json:"codes"`
}

// Coupon is a row of [Coupons.List].
type Coupon struct {
	Stamp
	Code       string `json:"code"`
	CampaignID int64  `json:"campaignId"`
	// Whether `value` is in minor units or in percent. This and the next members are the current
	// terms of the campaign.
	Kind          CampaignKind `json:"kind"`
	Value         int64        `json:"value"`
	MinimumAmount int64        `json:"minimumAmount"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency  string    `json:"currency"`
	ValidFrom time.Time `json:"validFrom"`
	ValidTo   time.Time `json:"validTo"`
	// The only user who can redeem it; null if any user with the code can.
	UserID             *string        `json:"userId"`
	Status             CouponStatus   `json:"status"`
	AllowedTransitions []CouponAction `json:"allowedTransitions"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	RedeemedByUserID *string `json:"redeemedByUserId"`
	// The order that used it.
	OrderID    *int64  `json:"orderId"`
	VoidReason *string `json:"voidReason"`
}

// CouponAction is part of [Coupon].
type CouponAction string

// The values of CouponAction.
const (
	CouponActionRedeem CouponAction = "redeem"
	CouponActionVoid   CouponAction = "void"
)

// CouponFilter selects rows of [Coupons.List].
type CouponFilter struct {
	Paging
	CampaignID int64
	// Coupons issued to this user.
	UserID string
	Status CouponStatus
	// Coupons that end at or before this time; with `status=unused`, those that expire by then.
	ExpiresBy time.Time
}

// CouponEvent is a row of [Coupons.History].
type CouponEvent struct {
	Version int64           `json:"version"`
	Action  CouponEventName `json:"action"`
	// Null for the event that created the resource.
	From *CouponStatus `json:"from"`
	To   CouponStatus  `json:"to"`
	// The fields of the request.
	Detail      json.RawMessage `json:"detail"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
}

// CouponEventName is part of [CouponEvent].
type CouponEventName string

// The values of CouponEventName.
const (
	CouponEventNameIssue  CouponEventName = "issue"
	CouponEventNameRedeem CouponEventName = "redeem"
	CouponEventNameVoid   CouponEventName = "void"
	CouponEventNameExpire CouponEventName = "expire"
	CouponEventNameReturn CouponEventName = "return"
)

// Redemption is the request body of [Coupons.Redeem].
type Redemption struct {
	// A `CustomerId`. An integer is converted to its decimal text, `42` to `"42"`, and replies
	// contain the text.
	UserID string `json:"userId"`
	// The order of this user for which the coupon is used. 422 at `/orderId` if the user has no
	// such order.
	OrderID *int64 `json:"orderId,omitzero"`
}

// Voiding is the request body of [Coupons.Void].
type Voiding struct {
	Reason string `json:"reason,omitzero"`
}

// List lists campaigns.
func (s *Campaigns) List(f CampaignFilter) List[Campaign] {
	return List[Campaign]{s.client, "/coupon-campaigns", f.parameters().set("q", f.Q)}
}

// Create creates a campaign.
//
// A campaign defines the discount, the users and the validity period of its coupons. Coupons are
// issued from it afterwards.
func (s *Campaigns) Create(ctx context.Context, body CampaignCreate, options ...CallOption) (Campaign, error) {
	return call[Campaign](ctx, s.client, request{method: http.MethodPost, path: "/coupon-campaigns", body: body}, options)
}

// Get returns a campaign.
func (s *Campaigns) Get(ctx context.Context, id int64, options ...CallOption) (Campaign, error) {
	return call[Campaign](ctx, s.client, request{method: http.MethodGet, path: "/coupon-campaigns/" + segment(id)}, options)
}

// Save updates a campaign.
//
// A merge patch (RFC 7396). The new terms also apply to coupons already issued, and `total` is at
// least their number.
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (s *Campaigns) Save(ctx context.Context, value *Campaign, options ...CallOption) error {
	return save(ctx, s.client, "/coupon-campaigns/"+segment(value.ID), value, options)
}

// Delete deletes a campaign.
//
// Only before its first coupon is issued (409 `in_use` afterwards): end it by its `validTo`
// instead.
func (s *Campaigns) Delete(ctx context.Context, read Campaign, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/coupon-campaigns/" + segment(read.ID), ifMatch: read.ETag}, nil, options)
}

// History lists the versions of a campaign.
//
// Newest first.
func (s *Campaigns) History(id int64, p Paging) List[CampaignRevision] {
	return List[CampaignRevision]{s.client, "/coupon-campaigns/" + segment(id) + "/history", p.parameters()}
}

// IssueCoupons issues coupons.
//
// Issues either one coupon for each of `userIds`, which only that user can redeem, or `count`
// coupons that any user with the code can redeem. 409 `limit_reached` if the campaign has fewer
// left (`left`) or users have their maximum (`userIds`); no coupon is issued then.
func (s *Campaigns) IssueCoupons(ctx context.Context, id int64, body IssueCoupons, options ...CallOption) (IssuedCoupons, error) {
	return call[IssuedCoupons](ctx, s.client, request{method: http.MethodPost, path: "/coupon-campaigns/" + segment(id) + "/coupons", body: body}, options)
}

// List lists coupons.
func (s *Coupons) List(f CouponFilter) List[Coupon] {
	return List[Coupon]{s.client, "/coupons", f.parameters().set("campaignId", f.CampaignID).set("userId", f.UserID).set("status", f.Status).set("expiresBy", f.ExpiresBy)}
}

// Get returns a coupon.
func (s *Coupons) Get(ctx context.Context, code string, options ...CallOption) (Coupon, error) {
	return call[Coupon](ctx, s.client, request{method: http.MethodGet, path: "/coupons/" + segment(code)}, options)
}

// History lists the history of a coupon.
//
// Newest first. `return`: the order that used it was cancelled.
func (s *Coupons) History(code string, p Paging) List[CouponEvent] {
	return List[CouponEvent]{s.client, "/coupons/" + segment(code) + "/history", p.parameters()}
}

// Redeem redeems a coupon.
//
// `unused` → `used`. Once, however many devices try concurrently: the others return 409 with the
// author of the successful request. 422 at `/userId` if the coupon was issued to another user. An
// order with `couponCode` redeems its coupon itself.
func (s *Coupons) Redeem(ctx context.Context, code string, body Redemption, options ...CallOption) (Coupon, error) {
	return call[Coupon](ctx, s.client, request{method: http.MethodPost, path: "/coupons/" + segment(code) + "/redeem", body: body}, options)
}

// Void voids a coupon.
//
// `unused` → `void`. The coupon can never be redeemed.
func (s *Coupons) Void(ctx context.Context, code string, body Voiding, options ...CallOption) (Coupon, error) {
	return call[Coupon](ctx, s.client, request{method: http.MethodPost, path: "/coupons/" + segment(code) + "/void", body: body}, options)
}
