// Package coupons issues coupons in campaigns and redeems each at most once.
//
// Invariants:
//
//   - A coupon is used at most once at a time: one guarded UPDATE moves it from unused to
//     used, however many devices try.
//   - issued = number of the campaign's coupons ≤ total. One conditional UPDATE, in the unit
//     that inserts the coupons, increments the counter.
//   - No user has more than perUser coupons of a campaign. coupon_holders counts a user's
//     coupons and enforces the limit (holders.go).
//   - A coupon that was neither used nor voided is expired if and only if its campaign's validTo
//     has passed, by the clock. The status that the sweeper writes is not decisive: if the
//     campaign is extended, its expired coupons are unused again.
//   - Every version of a campaign and of a coupon has one row of history, written in the same
//     transaction.
package coupons

import (
	"errors"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

const (
	// ReadPermission is also checked by the search, the dashboard and the live feed.
	ReadPermission  = "coupons:read"
	writePermission = "coupons:write"
)

// Kind is the kind of the coupons of a campaign.
type Kind string

const (
	// FixedAmount subtracts value minor units.
	FixedAmount Kind = "amount"
	// Percent subtracts value percent.
	Percent Kind = "percent"
)

// Enum returns the kinds.
func (Kind) Enum() []string { return []string{string(FixedAmount), string(Percent)} }

// SchemaName returns the name in the contract.
func (Kind) SchemaName() string { return "CampaignKind" }

const hundredPercent = 100

// Terms are the part of a campaign that an edit may change.
type Terms struct {
	Name string `json:"name" validate:"name=100"`
	// Whether `value` is in minor units or in percent.
	Kind Kind `json:"kind" validate:"enum"`
	// The discount of a coupon, in minor units or percent; never more than the total.
	Value int64 `json:"value" validate:"min=1"`
	// The minimum total for a coupon, in minor units.
	MinimumAmount int64 `json:"minimumAmount" validate:"min=0" default:"0"`
	// The maximum number of coupons.
	Total int64 `json:"total" validate:"min=1"`
	// The maximum number of coupons for one user.
	PerUser int64 `json:"perUser" validate:"min=1"`
	// Coupons are valid from this time on.
	ValidFrom time.Time `json:"validFrom" validate:"required"`
	// Coupons are valid until just before this time.
	ValidTo time.Time `json:"validTo" validate:"required"`
}

// check validates the terms. issued is the number of issued coupons.
func (t Terms) check(issued int64) []apperr.Field {
	var violations apperr.Fields
	var invalid *apperr.Error
	if errors.As(httpapi.Validate(t), &invalid) {
		violations = invalid.Fields
	}
	violations.Check(t.Kind != Percent || t.Value <= hundredPercent, "/value", "max", "must be at most 100 percent")
	violations.Check(t.Total >= issued, "/total", "min", fmt.Sprintf("must be at least the %d coupons already issued", issued))
	violations.Check(t.ValidFrom.Before(t.ValidTo), "/validTo", "gtfield", "must be after validFrom")
	return violations
}

// discount returns the discount on a total, in minor units: percentages are rounded half up, and
// the discount is at most the total. total is at least 0.
func (t Terms) discount(total int64) int64 {
	if t.Kind == FixedAmount {
		return min(t.Value, total)
	}
	// Two parts, so that total × value cannot overflow.
	whole, rest := total/hundredPercent, total%hundredPercent
	return whole*t.Value + (rest*t.Value+hundredPercent/2)/hundredPercent
}

// Campaign is a coupon campaign.
type Campaign struct {
	guard.Row
	Terms
	// Issued counts the campaign's coupons.
	Issued int64
}

// TableName implements gorm's Tabler.
func (Campaign) TableName() string { return "coupon_campaigns" }

// Label returns a name for messages.
func (c *Campaign) Label() string { return fmt.Sprintf("campaign %q", c.Name) }

// CampaignRevision is one version of a campaign.
type CampaignRevision struct {
	ID         int64
	TenantID   int64
	CampaignID int64
	// Revision's Action is create, update or issue.
	change.Revision
	Terms
	Issued int64
}

// TableName implements gorm's Tabler.
func (CampaignRevision) TableName() string { return "coupon_campaign_histories" }

// restore returns the campaign at the revision.
func (r CampaignRevision) restore(campaign *Campaign) *Campaign {
	restored := *campaign
	restored.Terms, restored.Issued = r.Terms, r.Issued
	r.Restore(&restored.Row)
	return &restored
}
