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

// Coupon is one coupon with the campaign whose terms it has.
type Coupon struct {
	guard.Row
	CampaignID int64
	Code       string
	// UserID is the only user who may redeem it; nil when whoever has the code may.
	UserID *principal.CustomerID
	Status int
	// RedeemedBy is the user who used it and OrderID what for; nil when it is not
	// used, or was used without an order.
	RedeemedBy *principal.CustomerID
	OrderID    *int64
	VoidReason string

	Campaign *Campaign `gorm:"-"`
}

// Label names the coupon for people.
func (c *Coupon) Label() string { return fmt.Sprintf("coupon %q", c.Code) }

// overdue reports whether the coupon was neither used nor voided and its time has passed.
func (c *Coupon) overdue(now time.Time) bool {
	return (c.Status == unused.Code || c.Status == expired.Code) && !now.Before(c.Campaign.ValidTo)
}

// boundToOther reports whether another user than this one alone may redeem the coupon.
func (c *Coupon) boundToOther(user principal.CustomerID) bool {
	return c.UserID != nil && *c.UserID != user
}

// changedAround reports whether a reader who saw the coupon at its present version
// may have seen it otherwise: it has expired by the clock, or its campaign was changed
// after it.
func (c *Coupon) changedAround(now time.Time) bool {
	return c.overdue(now) || c.Campaign.UpdatedTime.After(c.UpdatedTime)
}

// state is the coupon's status at a time. Whether it has expired depends on its campaign alone: a
// coupon that the sweeper expired is unused again once its campaign is extended.
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

// codeAlphabet has no 0, O, 1, I and L, which people take for one another.
const codeAlphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"

// A code has 20 characters of 31, that is 99 bits, in groups for reading aloud.
const (
	codeLength = 20
	codeGroup  = 5
)

// drawCode returns a code such as K7QMX-2F9RT-H4WZA-8CNPB, each as likely as any
// other.
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

// canonical is a code as it is kept, from what a person typed.
func canonical(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }
