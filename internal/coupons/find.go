package coupons

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
)

// Found is a search result.
type Found struct {
	Code string
	// Status is the coupon's current status.
	Status string
}

// ByCode returns at most limit coupons with a code that starts with text, ignoring case.
func (s *Service) ByCode(ctx context.Context, text string, limit int) ([]Found, error) {
	rows, err := storage.ByPrefix[Coupon](s.db.Read(ctx), "code", []string{canonical(text)}, limit)
	if err != nil {
		return nil, fmt.Errorf("find coupons by code: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	coupons := make([]*Coupon, len(rows))
	for i := range rows {
		coupons[i] = &rows[i]
	}
	if err := withCampaigns(s.db.Read(ctx), coupons); err != nil {
		return nil, err
	}
	found, now := make([]Found, len(rows)), s.clock.Now()
	for i, coupon := range coupons {
		found[i] = Found{Code: coupon.Code, Status: coupon.state(now).Name}
	}
	return found, nil
}

// CampaignsByName returns at most limit campaigns with a name that starts with text.
func (s *Service) CampaignsByName(ctx context.Context, text string, limit int) ([]Campaign, error) {
	campaigns, err := storage.ByPrefix[Campaign](s.db.Read(ctx), "name", storage.Spellings(text), limit)
	if err != nil {
		return nil, fmt.Errorf("find campaigns by name: %w", err)
	}
	return campaigns, nil
}

// CountExpiring counts the unused coupons that expire within a duration from now; see
// storage.Count:
//
//	SELECT COUNT(*) FROM coupons WHERE tenant_id = ? AND status IN (0, 3)
//	   AND campaign_id IN (SELECT id FROM coupon_campaigns WHERE … valid_to > ? AND valid_to <= ?)
func (s *Service) CountExpiring(ctx context.Context, within time.Duration) (storage.Count, error) {
	now := s.clock.Now()
	ending := s.db.Read(ctx).Model(&Campaign{}).Select("id").Where("valid_to > ? AND valid_to <= ?", now, now.Add(within))
	count, err := storage.CountUpTo[Coupon](s.db.Read(ctx).Where("status IN ? AND campaign_id IN (?)", []int{unused.Code, expired.Code}, ending))
	if err != nil {
		return count, fmt.Errorf("count coupons that expire soon: %w", err)
	}
	return count, nil
}

// Locate returns the id and the stored code of a coupon, ignoring case. It reads only the id.
// Errors: NotFound.
func (s *Service) Locate(ctx context.Context, code string) (id int64, stored string, err error) {
	stored = canonical(code)
	var ids []int64
	if err := s.db.Read(ctx).Model(&Coupon{}).Where("code = ?", stored).Limit(1).Pluck("id", &ids).Error; err != nil {
		return 0, "", fmt.Errorf("locate coupon: %w", err)
	}
	if len(ids) == 0 {
		return 0, "", apperr.MissingRow("coupon", code)
	}
	return ids[0], stored, nil
}
