// Package coupons issues coupons in campaigns and redeems each at most once.
//
// Invariants:
//
//   - A coupon is used at most once at a time: unused → used happens by one guarded
//     UPDATE, however many devices try.
//   - issued = number of the campaign's coupons ≤ total. The counter moves by one
//     conditional UPDATE in the unit that inserts the coupons.
//   - No user holds more than perUser coupons of a campaign. What a user holds is
//     counted in coupon_holders, which says how and why it cannot be overrun
//     (holders.go).
//   - A coupon that was neither used nor voided is expired if and only if its campaign's
//     validTo has passed, by the clock. The status that the sweeper writes decides nothing: when
//     the campaign is extended its expired coupons are unused again.
//   - Every version of a campaign and of a coupon has one row of history, written
//     in the same transaction.
package coupons

import (
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/naming"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

const (
	// ReadPermission is also what the search, the dashboard and the live feed ask.
	ReadPermission  = "coupons:read"
	writePermission = "coupons:write"
)

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See coupon campaigns, coupons and their history."},
	{Name: writePermission, Meaning: "Run coupon campaigns, and issue, redeem and void coupons."},
}

// The kinds of coupon.
const (
	// FixedAmount takes value minor units off.
	FixedAmount = "amount"
	// Percent takes value percent off.
	Percent = "percent"
)

const (
	longestName  = 100
	wholePercent = 100
)

// Terms are the part of a campaign that an edit may change.
type Terms struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Value is in minor units or in percent, by kind.
	Value int64 `json:"value"`
	// MinimumAmount is the smallest total, in minor units, that a coupon works on.
	MinimumAmount int64 `json:"minimumAmount"`
	// Total is how many coupons may be issued, PerUser how many one user may hold.
	Total   int64 `json:"total"`
	PerUser int64 `json:"perUser"`
	// Coupons work from ValidFrom on and until just before ValidTo.
	ValidFrom time.Time `json:"validFrom"`
	ValidTo   time.Time `json:"validTo"`
}

// check returns the places that break a rule.
func (t Terms) check(issued int64) []apperr.Field {
	broken := naming.Check("/name", t.Name, longestName)
	broken.Check(t.Kind == FixedAmount || t.Kind == Percent, "/kind", "oneof", "must be one of amount, percent")
	broken.Check(t.Value >= 1, "/value", "min", "must be at least 1")
	broken.Check(t.Kind != Percent || t.Value <= wholePercent, "/value", "max", "must be at most 100 percent")
	broken.Check(t.MinimumAmount >= 0, "/minimumAmount", "min", "must be at least 0")
	broken.Check(t.Total >= 1, "/total", "min", "must be at least 1")
	broken.Check(t.Total >= issued, "/total", "min", fmt.Sprintf("must be at least the %d coupons already issued", issued))
	broken.Check(t.PerUser >= 1, "/perUser", "min", "must be at least 1")
	broken.Check(t.ValidFrom.Before(t.ValidTo), "/validTo", "gtfield", "must be after validFrom")
	return broken
}

// discount is what a coupon takes off a total, in minor units: percentages are
// rounded half up, and nothing is ever taken beyond the total. total is at least 0.
func (t Terms) discount(total int64) int64 {
	if t.Kind == FixedAmount {
		return min(t.Value, total)
	}
	// In two parts, so that total × value cannot overflow.
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

// Label names the campaign for people.
func (c *Campaign) Label() string { return fmt.Sprintf("campaign %q", c.Name) }

// CampaignRevision is one version of a campaign.
type CampaignRevision struct {
	ID         int64
	TenantID   int64
	CampaignID int64
	// Its Action is create, update or issue.
	change.Revision
	Terms
	Issued int64
}

// TableName implements gorm's Tabler.
func (CampaignRevision) TableName() string { return "coupon_campaign_histories" }

// restore returns the campaign as it was at the revision.
func (r CampaignRevision) restore(campaign *Campaign) *Campaign {
	then := *campaign
	then.Terms, then.Issued = r.Terms, r.Issued
	r.Restore(&then.Row)
	return &then
}
