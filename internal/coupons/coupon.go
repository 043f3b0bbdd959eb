package coupons

import (
	"fmt"
	"io"
	"strings"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// Coupon is one coupon with its campaign.
type Coupon struct {
	guard.Row
	CampaignID int64
	Code       string
	// UserID is the only user that may redeem it; nil if every user with the code may.
	UserID *principal.CustomerID
	Status int
	// RedeemedBy and OrderID are the user and the order that used it; nil if it is unused or was
	// used without an order.
	RedeemedBy *principal.CustomerID
	OrderID    *int64
	VoidReason string

	Campaign *Campaign `gorm:"-"`
}

// Label returns a name for messages.
func (c *Coupon) Label() string { return fmt.Sprintf("coupon %q", c.Code) }

// overdue reports whether the coupon was neither used nor voided and its validity has ended.
func (c *Coupon) overdue(now time.Time) bool {
	return (c.Status == unused.Code || c.Status == expired.Code) && !now.Before(c.Campaign.ValidTo)
}

// boundToOther reports whether only another user may redeem the coupon.
func (c *Coupon) boundToOther(user principal.CustomerID) bool {
	return c.UserID != nil && *c.UserID != user
}

// changedAround reports whether the view of the coupon may have changed at the same version: it has
// expired by the clock, or its campaign was changed later.
func (c *Coupon) changedAround(now time.Time) bool {
	return c.overdue(now) || c.Campaign.UpdatedTime.After(c.UpdatedTime)
}

// state returns the coupon's status at a time. Its expiry depends only on its campaign: a coupon
// that the sweeper expired is unused again once its campaign is extended.
func (c *Coupon) state(now time.Time) status.State {
	switch {
	case c.overdue(now):
		return expired
	case c.Status == expired.Code:
		return unused
	}
	return Machine.Of(c.Status)
}

// Event is one row of a coupon's history.
type Event struct {
	ID       int64
	TenantID int64
	CouponID int64
	change.Event
}

// TableName implements gorm's Tabler.
func (Event) TableName() string { return "coupon_histories" }

// codeAlphabet omits 0, O, 1, I and L, which are easily confused.
const codeAlphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"

// A code has 20 characters of 31, i.e. 99 bits, in groups for reading aloud.
const (
	codeLength = 20
	codeGroup  = 5
)

// drawCode returns a random code such as K7QMX-2F9RT-H4WZA-8CNPB, uniformly distributed.
func drawCode(random io.Reader) (string, error) {
	// Bytes at or above the largest multiple of 31 would favour some characters.
	const fair = 256 / len(codeAlphabet) * len(codeAlphabet)
	var code strings.Builder
	var raw [2 * codeLength]byte
	for drawn := 0; drawn < codeLength; {
		if _, err := io.ReadFull(random, raw[:]); err != nil {
			return "", fmt.Errorf("draw a coupon code: %w", err)
		}
		for _, b := range raw {
			if int(b) >= fair || drawn == codeLength {
				continue
			}
			if drawn > 0 && drawn%codeGroup == 0 {
				code.WriteByte('-')
			}
			code.WriteByte(codeAlphabet[int(b)%len(codeAlphabet)])
			drawn++
		}
	}
	return code.String(), nil
}

// canonical returns the stored form of a code.
func canonical(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }
