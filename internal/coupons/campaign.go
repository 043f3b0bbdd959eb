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
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/naming"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

const (
	// ReadPermission is also checked by the search, the dashboard and the live feed.
	ReadPermission  = "coupons:read"
	writePermission = "coupons:write"
)

// The kinds of coupon.
const (
	// FixedAmount subtracts value minor units.
	FixedAmount = "amount"
	// Percent subtracts value percent.
	Percent = "percent"
)

const (
	maxName      = 100
	wholePercent = 100
)

// Terms are the part of a campaign that an edit may change.
type Terms struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Value is in minor units or in percent, by kind.
	Value int64 `json:"value"`
	// MinimumAmount is the smallest total, in minor units, that a coupon applies to.
	MinimumAmount int64 `json:"minimumAmount"`
	// Total bounds the coupons to issue, PerUser the coupons of one user.
	Total   int64 `json:"total"`
	PerUser int64 `json:"perUser"`
	// Coupons are valid in ValidFrom <= t < ValidTo.
	ValidFrom time.Time `json:"validFrom"`
	ValidTo   time.Time `json:"validTo"`
}

// check validates the terms. issued is the number of issued coupons.
func (t Terms) check(issued int64) []apperr.Field {
	violations := naming.Check("/name", t.Name, maxName)
	violations.Check(t.Kind == FixedAmount || t.Kind == Percent, "/kind", "oneof", "must be one of amount, percent")
	violations.Check(t.Value >= 1, "/value", "min", "must be at least 1")
	violations.Check(t.Kind != Percent || t.Value <= wholePercent, "/value", "max", "must be at most 100 percent")
	violations.Check(t.MinimumAmount >= 0, "/minimumAmount", "min", "must be at least 0")
	violations.Check(t.Total >= 1, "/total", "min", "must be at least 1")
	violations.Check(t.Total >= issued, "/total", "min", fmt.Sprintf("must be at least the %d coupons already issued", issued))
	violations.Check(t.PerUser >= 1, "/perUser", "min", "must be at least 1")
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
	whole, rest := total/wholePercent, total%wholePercent
	return whole*t.Value + (rest*t.Value+wholePercent/2)/wholePercent
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
