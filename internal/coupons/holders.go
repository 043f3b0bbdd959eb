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

// Holder counts one user's coupons of one campaign: the coupons issued to the user, whatever their
// status, and the unbound coupons that the user has redeemed and that no cancelled order has
// returned.
//
// Only this row counts a user's coupons, and its primary key (tenant, campaign, user) makes it
// unique. Each unit that assigns a coupon to a user first increments held, in the same transaction,
// with the statement
//
//	UPDATE coupon_holders SET held = held + 1 WHERE … AND held < perUser
//
// which locks the row until the transaction ends. A second unit waits for the first and reads the
// committed counter, so two units together cannot exceed perUser. The first coupon of a user
// inserts the row; if two units insert it concurrently, the primary key rejects the second one,
// which is retried and finds the row.
type Holder struct {
	TenantID   int64                `gorm:"primaryKey"`
	CampaignID int64                `gorm:"primaryKey"`
	UserID     principal.CustomerID `gorm:"primaryKey"`
	Held       int64
}

// TableName implements gorm's Tabler.
func (Holder) TableName() string { return "coupon_holders" }

// hold counts one more coupon of the campaign for each user, or nothing if one of them has reached
// perUser. Errors: LimitReached, with those users as userIds.
func hold(ctx context.Context, u *uow.Unit, campaign *Campaign, users []principal.CustomerID) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	of := func() *gorm.DB { return tx.Where("campaign_id = ? AND user_id IN ?", campaign.ID, users) }
	var existing []Holder
	err = of().Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Order("user_id").Find(&existing).Error //nolint:forbidigo // held < perUser and the count of rows decide
	if err != nil {
		return fmt.Errorf("read the holders of coupons: %w", err)
	}
	if err := rejectFull(campaign, existing); err != nil {
		return err
	}
	if len(existing) > 0 {
		//nolint:forbidigo // a counter without a version: its condition is the guard
		added := of().Model(&Holder{}).Where("held < ?", campaign.PerUser).UpdateColumn("held", gorm.Expr("held + 1"))
		if added.Error != nil {
			return fmt.Errorf("count the coupons of holders: %w", added.Error)
		}
		if added.RowsAffected != int64(len(existing)) {
			return uow.Retry(fmt.Errorf("count the coupons of holders: %d of %d counted", added.RowsAffected, len(existing)))
		}
	}
	return addHolders(tx, campaign, existing, users)
}

// rejectFull returns LimitReached if a holder has reached the limit of a user.
func rejectFull(campaign *Campaign, existing []Holder) error {
	var full []principal.CustomerID
	for _, holder := range existing {
		if holder.Held >= campaign.PerUser {
			full = append(full, holder.UserID)
		}
	}
	if len(full) == 0 {
		return nil
	}
	return apperr.New(apperr.LimitReached, "The limit of %[2]s is %[1]d per user, and %[3]d of the users have reached it.",
		campaign.PerUser, campaign.Label(), len(full)).
		With("perUser", campaign.PerUser).With("userIds", full)
}

func addHolders(tx *gorm.DB, campaign *Campaign, existing []Holder, users []principal.CustomerID) error {
	const perStatement = 200
	var added []Holder
	for _, user := range users {
		if !slices.ContainsFunc(existing, func(h Holder) bool { return h.UserID == user }) {
			added = append(added, Holder{CampaignID: campaign.ID, UserID: user, Held: 1})
		}
	}
	if len(added) == 0 {
		return nil
	}
	err := tx.CreateInBatches(added, perStatement).Error
	if storage.Is(err, storage.DuplicateKey) {
		return uow.Retry(err)
	}
	if err != nil {
		return fmt.Errorf("add holders of coupons: %w", err)
	}
	return nil
}

// release decrements the number of coupons of the campaign that a user has:
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
