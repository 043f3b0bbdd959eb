package coupons

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Issue gives coupons of a campaign that was just read out and returns their codes:
// one bound to each of the users, or, where there are none, count unbound ones.
//
// The campaign's counter is moved first, by
//
//	UPDATE coupon_campaigns SET issued = issued + n, … WHERE tenant_id = ? AND id = ? AND (issued + n <= total)
//
// so that issuers of one campaign follow each other and each sees what the one
// before has committed.
//
// Errors: LimitReached, with left, when fewer than that are left, and with userIds
// when these hold perUser already; ValidationFailed when the campaign is over.
// Nothing is issued then.
func (s *Service) Issue(ctx context.Context, u *uow.Unit, campaign *Campaign, users []principal.CustomerID, count int) ([]string, error) {
	if !u.Now().Before(campaign.ValidTo) {
		return nil, apperr.Invalid(apperr.Field{Code: "over", Message: "asks for coupons of a campaign that is over"})
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

// countIssued moves the counter and returns the campaign as it is then, locked.
func (s *Service) countIssued(ctx context.Context, u *uow.Unit, campaign *Campaign, count int64) (*Campaign, error) {
	err := guard.Adjust[Campaign](ctx, u, campaign.ID, guard.Set{"issued": guard.Add("issued", count)}, "issued + ? <= total", count)
	switch {
	case errors.Is(err, guard.ErrGone):
		return nil, apperr.New(apperr.NotFound, "%s was deleted meanwhile.", campaign.Label())
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

// exhausted says how many coupons are left, after the rollback.
func (s *Service) exhausted(id, count int64) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := s.Campaign(ctx, id)
		if err != nil {
			return err
		}
		left := current.Total - current.Issued
		refusal := apperr.New(apperr.LimitReached, "%s has %d of its %d coupons left, and %d were asked for; none was issued.",
			current.Label(), left, current.Total, count).
			With("left", left).With("total", current.Total).With("issued", current.Issued)
		if left >= count {
			return uow.Again(refusal)
		}
		return refusal
	})
}

// insert adds the coupons with their first event.
func (s *Service) insert(ctx context.Context, u *uow.Unit, campaign *Campaign, users []principal.CustomerID, count int) ([]string, error) {
	codes, events := make([]string, count), make([]Event, count)
	for i := range codes {
		code, err := drawCode(s.random)
		if err != nil {
			return nil, err
		}
		coupon := &Coupon{CampaignID: campaign.ID, Code: code, Status: unused.Code}
		detail := map[string]any{"campaignId": campaign.ID}
		if len(users) > 0 {
			coupon.UserID, detail["userId"] = &users[i], users[i]
		}
		err = guard.Insert(ctx, u, coupon)
		if storage.IsDuplicate(err, "uq_coupons_code") {
			return nil, uow.Again(fmt.Errorf("draw a free coupon code: %w", err))
		}
		if err != nil {
			return nil, fmt.Errorf("insert coupon: %w", err)
		}
		codes[i] = code
		if events[i], err = eventOf(coupon, "issue", nil, detail); err != nil {
			return nil, err
		}
	}
	return codes, insertEvents(ctx, u, events...)
}
