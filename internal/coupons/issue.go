package coupons

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Issue issues coupons of a campaign that was just read and returns their codes: one coupon bound
// to each of the users, or, without users, count unbound coupons.
//
// It first increments the campaign's counter, with the statement
//
//	UPDATE coupon_campaigns SET issued = issued + n, … WHERE tenant_id = ? AND id = ? AND (issued + n <= total)
//
// so that issues of one campaign run one after the other and each reads the committed counter.
//
// Errors: LimitReached, with the member left if the campaign has fewer coupons left, or with the
// member userIds if these users have reached perUser; ValidationFailed if the campaign has ended.
// Nothing is issued then.
func (s *Service) Issue(ctx context.Context, u *uow.Unit, campaign *Campaign, users []principal.CustomerID, count int) ([]string, error) {
	if !u.Now().Before(campaign.ValidTo) {
		return nil, apperr.Invalid(apperr.Field{Code: "over", Message: "is for a campaign that has ended"})
	}
	if len(users) > 0 {
		count = len(users)
	}
	campaign, err := s.countIssued(ctx, u, campaign, int64(count))
	if err != nil {
		return nil, err
	}
	if len(users) > 0 {
		if err := hold(ctx, u, campaign, users); err != nil {
			return nil, err
		}
	}
	codes, err := s.insert(ctx, u, campaign, users, count)
	if err != nil {
		return nil, err
	}
	s.recordCampaign(u, "issue", campaign, map[string]any{"version": campaign.Version, "count": count, "issued": campaign.Issued})
	s.announceMany(u, "issue", unused)
	return codes, nil
}

// countIssued increments the counter and returns the updated campaign, locked.
func (s *Service) countIssued(ctx context.Context, u *uow.Unit, campaign *Campaign, count int64) (*Campaign, error) {
	err := guard.Adjust[Campaign](ctx, u, campaign.ID, guard.Set{"issued": guard.Add("issued", count)}, "issued + ? <= total", count)
	switch {
	case errors.Is(err, guard.ErrDeleted):
		return nil, apperr.New(apperr.NotFound, "%s was deleted concurrently.", campaign.Label())
	case errors.Is(err, guard.ErrRefused):
		return nil, s.exhausted(campaign.ID, count)
	case err != nil:
		return nil, fmt.Errorf("count issued coupons: %w", err)
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	after, err := findCampaign(tx, campaign.ID)
	if err != nil {
		return nil, fmt.Errorf("read the counted campaign: %w", err)
	}
	return after, insertCampaignHistory(ctx, u, after, "issue")
}

// exhausted returns LimitReached with the number of coupons that are left, read after the rollback.
// If enough are left by then, the unit is retried.
func (s *Service) exhausted(id, count int64) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := s.Campaign(ctx, id)
		if err != nil {
			return err
		}
		left := current.Total - current.Issued
		rejection := apperr.New(apperr.LimitReached, "%s has %d of its %d coupons left, and %d were requested; none was issued.",
			current.Label(), left, current.Total, count).
			With("left", left).With("total", current.Total).With("issued", current.Issued)
		if left >= count {
			return uow.Retry(rejection)
		}
		return rejection
	})
}

// insert inserts the coupons with their first events, many per statement, because the campaign's
// row is locked until the commit.
func (s *Service) insert(ctx context.Context, u *uow.Unit, campaign *Campaign, users []principal.CustomerID, count int) ([]string, error) {
	codes, issued := make([]string, count), make([]Coupon, count)
	for i := range issued {
		var err error
		if codes[i], err = drawCode(s.random); err != nil {
			return nil, err
		}
		u.AuditUnder(resource(codes[i]))
		issued[i] = Coupon{CampaignID: campaign.ID, Code: codes[i], Status: unused.Code}
		if len(users) > 0 {
			issued[i].UserID = &users[i]
		}
	}
	err := guard.InsertMany(ctx, u, issued, rowsPerStatement)
	if storage.IsDuplicate(err, "uq_coupons_code") {
		return nil, uow.Retry(fmt.Errorf("draw free coupon codes: %w", err))
	}
	if err != nil {
		return nil, fmt.Errorf("insert coupons: %w", err)
	}
	if err := readIDs(ctx, u, codes, issued); err != nil {
		return nil, err
	}
	events := make([]Event, count)
	for i := range issued {
		detail := map[string]any{"campaignId": campaign.ID}
		if len(users) > 0 {
			detail["userId"] = users[i]
		}
		if events[i], err = eventOf(&issued[i], "issue", nil, detail); err != nil {
			return nil, err
		}
	}
	return codes, insertEvents(ctx, u, events...)
}

// readIDs reads the ids of inserted coupons. They cannot be derived from the first id, because some
// engines increment ids in steps:
//
//	SELECT id, code FROM coupons WHERE tenant_id = ? AND code IN (…)
func readIDs(ctx context.Context, u *uow.Unit, codes []string, issued []Coupon) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	ids := make(map[string]int64, len(codes))
	for part := range slices.Chunk(codes, 500) {
		var found []Coupon
		if err := tx.Select("id", "code").Where("code IN ?", part).Find(&found).Error; err != nil {
			return fmt.Errorf("read new coupons: %w", err)
		}
		for _, row := range found {
			ids[row.Code] = row.ID
		}
	}
	for i := range issued {
		if issued[i].ID = ids[issued[i].Code]; issued[i].ID == 0 {
			return fmt.Errorf("coupon %s is missing after its insertion", issued[i].Code)
		}
	}
	return nil
}
