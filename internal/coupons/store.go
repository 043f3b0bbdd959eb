package coupons

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// rowsPerStatement bounds the rows of one INSERT.
const rowsPerStatement = 200

var campaignSorts = storage.Sorts{
	Columns: map[string]string{
		"id": "id", "name": "name", "validFrom": "valid_from", "validTo": "valid_to",
		"createdTime": "created_time", "updatedTime": "updated_time",
	},
	Default: "-id",
}

var couponSorts = storage.Sorts{
	Columns: map[string]string{"id": "id", "createdTime": "created_time", "updatedTime": "updated_time"},
	Default: "-id",
}

// Filter narrows a list of coupons. Fields with the zero value do not filter.
type Filter struct {
	CampaignID int64
	// Status is nil for all.
	Status *status.State
	// UserID is the user that a coupon is bound to.
	UserID principal.CustomerID
	// ExpiresBy selects coupons that expire at or before a time.
	ExpiresBy *time.Time
}

func findCampaign(db *gorm.DB, id int64) (*Campaign, error) {
	var campaign Campaign
	if err := db.Where("id = ?", id).Take(&campaign).Error; err != nil {
		return nil, err
	}
	return &campaign, nil
}

func findCoupon(db *gorm.DB, condition string, arg any) (*Coupon, error) {
	var coupon Coupon
	if err := db.Where(condition, arg).Take(&coupon).Error; err != nil {
		return nil, err
	}
	if err := withCampaigns(db, []*Coupon{&coupon}); err != nil {
		return nil, err
	}
	return &coupon, nil
}

// inUnit reads a coupon in the unit's transaction.
func inUnit(ctx context.Context, u *uow.Unit, code string) (*Coupon, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	return findCoupon(tx, "code = ?", canonical(code))
}

// withCampaigns reads the campaigns of all coupons in one query.
func withCampaigns(db *gorm.DB, coupons []*Coupon) error {
	ids := make([]int64, len(coupons))
	for i, coupon := range coupons {
		ids[i] = coupon.CampaignID
	}
	var campaigns []Campaign
	if err := db.Where("id IN ?", ids).Find(&campaigns).Error; err != nil {
		return fmt.Errorf("read the campaigns of coupons: %w", err)
	}
	byID := make(map[int64]*Campaign, len(campaigns))
	for i := range campaigns {
		byID[campaigns[i].ID] = &campaigns[i]
	}
	for _, coupon := range coupons {
		if coupon.Campaign = byID[coupon.CampaignID]; coupon.Campaign == nil {
			return fmt.Errorf("coupon %d: its campaign %d is missing", coupon.ID, coupon.CampaignID)
		}
	}
	return nil
}

// ended is the SQL query for the ids of a tenant's campaigns that end at or before a time.
const ended = "SELECT c.id FROM coupon_campaigns c WHERE c.tenant_id = ? AND c.valid_to <= ?"

// filters returns the filters of a list, the most selective first. The stored statuses unused and
// expired are distinguished by the campaign's end.
func (f Filter) filters(tenant int64, now time.Time) (filters []storage.Filter) {
	if f.UserID != "" {
		filters = append(filters, storage.Equal("user_id", f.UserID))
	}
	if f.CampaignID != 0 {
		filters = append(filters, storage.Equal("campaign_id", f.CampaignID).OrderedBy())
	}
	if f.ExpiresBy != nil {
		filters = append(filters, storage.Indexed("campaign_id", "IN ("+ended+")", tenant, *f.ExpiresBy))
	}
	if f.Status == nil {
		return filters
	}
	switch *f.Status {
	case unused:
		return append(filters, open("NOT IN", tenant, now))
	case expired:
		return append(filters, open("IN", tenant, now))
	}
	return append(filters, storage.Equal("status", f.Status.Code))
}

// open returns the filter for coupons that were neither used nor voided. among is "IN" for coupons
// of ended campaigns and "NOT IN" for coupons of the others.
func open(among string, tenant int64, now time.Time) storage.Filter {
	condition := "= ? AND campaign_id " + among + " (" + ended + ")"
	return storage.Either(
		storage.Indexed("status", condition, unused.Code, tenant, now),
		storage.Indexed("status", condition, expired.Code, tenant, now),
	)
}

func insertCampaignHistory(ctx context.Context, u *uow.Unit, c *Campaign, action string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	revision := CampaignRevision{CampaignID: c.ID, Revision: change.RevisionOf(c.Row, action), Terms: c.Terms, Issued: c.Issued}
	if err := storage.InsertDeferred(tx, revision); err != nil {
		return fmt.Errorf("insert campaign history: %w", err)
	}
	return nil
}

func (t Terms) columns() guard.Set {
	return guard.Set{
		"name": t.Name, "kind": t.Kind, "value": t.Value, "minimum_amount": t.MinimumAmount,
		"total": t.Total, "per_user": t.PerUser, "valid_from": t.ValidFrom, "valid_to": t.ValidTo,
	}
}

// eventOf returns the history row of the coupon's current version. from is nil for a new coupon.
func eventOf(coupon *Coupon, action string, from *int, detail any) (Event, error) {
	event, err := change.EncodeEvent(coupon.Row, action, from, coupon.Status, detail)
	return Event{CouponID: coupon.ID, Event: event}, err
}

func insertEvents(ctx context.Context, u *uow.Unit, events ...Event) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if err := storage.InsertDeferred(tx, events...); err != nil {
		return fmt.Errorf("insert coupon history: %w", err)
	}
	return nil
}

// move issues the guarded UPDATE of a transition and returns the changed coupon. fill sets the
// other columns of the transition.
//
//	UPDATE coupons SET status = ?, redeemed_by = ?, order_id = ?, void_reason = ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND status = ? AND version = ?
func move(ctx context.Context, u *uow.Unit, before *Coupon, to status.State, fill func(*Coupon)) (*Coupon, error) {
	after := *before
	after.Status = to.Code
	fill(&after)
	err := guard.Transition[Coupon](ctx, guard.Deferred(u), before.Ref(), Machine.Of(before.Status), to, guard.Set{
		"redeemed_by": after.RedeemedBy,
		"order_id":    after.OrderID,
		"void_reason": after.VoidReason,
	})
	if err != nil {
		return nil, err
	}
	return &after, guard.Advance(ctx, u, &after)
}
