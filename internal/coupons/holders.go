package coupons

import (
	"context"
	"fmt"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Holder counts what one user holds of one campaign: the coupons issued to the
// user, whatever became of them, and the unbound ones that the user has redeemed
// and that were not returned.
//
// The row is the only place where a user's coupons are counted, and its primary
// key (tenant, campaign, user) lets there be only one. Whoever gives a user a
// coupon first adds to held, in the same transaction, by
//
//	UPDATE coupon_holders SET held = held + 1 WHERE … AND held < perUser
//
// which takes the row's lock until the transaction ends. So a second giver waits
// for the first and then sees what it committed, and two together cannot pass
// perUser. The first coupon of a user inserts the row; of two that do so at once
// the primary key refuses the later, and its unit is run again and finds the row.
type Holder struct {
	TenantID   int64                `gorm:"primaryKey"`
	CampaignID int64                `gorm:"primaryKey"`
	UserID     principal.CustomerID `gorm:"primaryKey"`
	Held       int64
}

// TableName implements gorm's Tabler.
func (Holder) TableName() string { return "coupon_holders" }

// hold counts one more coupon of the campaign for each user, or nothing when one of
// them has perUser already: that is LimitReached, with those users as userIds.
func hold(ctx context.Context, u *uow.Unit, campaign *Campaign, users []principal.CustomerID) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	of := func() *gorm.DB { return tx.Where("campaign_id = ? AND user_id IN ?", campaign.ID, users) }
	var known []Holder
	err = of().Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Order("user_id").Find(&known).Error //nolint:forbidigo // held < perUser and the count of rows decide
	if err != nil {
		return fmt.Errorf("read the holders of coupons: %w", err)
	}
	if err := refuseFull(campaign, known); err != nil {
		return err
	}
	if len(known) > 0 {
		//nolint:forbidigo // a counter without a version: its condition is the guard
		added := of().Model(&Holder{}).Where("held < ?", campaign.PerUser).UpdateColumn("held", gorm.Expr("held + 1"))
		if added.Error != nil {
			return fmt.Errorf("count the coupons of holders: %w", added.Error)
		}
		if added.RowsAffected != int64(len(known)) {
			return uow.Retry(fmt.Errorf("count the coupons of holders: %d of %d counted", added.RowsAffected, len(known)))
		}
	}
	return addHolders(tx, campaign, known, users)
}

// refuseFull is LimitReached when a holder has all that one user may hold.
func refuseFull(campaign *Campaign, known []Holder) error {
	var full []principal.CustomerID
	for _, holder := range known {
		if holder.Held >= campaign.PerUser {
			full = append(full, holder.UserID)
		}
	}
	if len(full) == 0 {
		return nil
	}
	return apperr.New(apperr.LimitReached, "One user may have %d of %s, and %d of the users have that many already.",
		campaign.PerUser, campaign.Label(), len(full)).
		With("perUser", campaign.PerUser).With("userIds", full)
}

func addHolders(tx *gorm.DB, campaign *Campaign, known []Holder, users []principal.CustomerID) error {
	const perStatement = 200
	var fresh []Holder
	for _, user := range users {
		if !slices.ContainsFunc(known, func(h Holder) bool { return h.UserID == user }) {
			fresh = append(fresh, Holder{CampaignID: campaign.ID, UserID: user, Held: 1})
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	err := tx.CreateInBatches(fresh, perStatement).Error
	if storage.Is(err, storage.DuplicateKey) {
		return uow.Retry(err)
	}
	if err != nil {
		return fmt.Errorf("add holders of coupons: %w", err)
	}
	return nil
}

// release counts one coupon of the campaign less for a user:
//
//	UPDATE coupon_holders SET held = held - 1 WHERE … AND held > 0
func release(ctx context.Context, u *uow.Unit, campaignID int64, user principal.CustomerID) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	//nolint:forbidigo // a counter without a version: its condition is the guard
	err = tx.Model(&Holder{}).Where("campaign_id = ? AND user_id = ? AND held > 0", campaignID, user).
		UpdateColumn("held", gorm.Expr("held - 1")).Error
	if err != nil {
		return fmt.Errorf("count a returned coupon: %w", err)
	}
	return nil
}
