package coupons

import (
	"context"
	"fmt"
	"strconv"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Start adds a campaign. Errors: ValidationFailed.
func (s *Service) Start(ctx context.Context, u *uow.Unit, terms Terms) (*Campaign, error) {
	if violations := terms.check(0); len(violations) > 0 {
		return nil, apperr.Invalid(violations...)
	}
	campaign := &Campaign{Terms: terms}
	if err := guard.Insert(ctx, u, campaign); err != nil {
		return nil, fmt.Errorf("insert coupon campaign: %w", err)
	}
	s.recordCampaign(u, "create", campaign, map[string]any{"version": campaign.Version, "terms": terms})
	return campaign, insertCampaignHistory(ctx, u, campaign, "create")
}

// Edit changes a campaign that was just read; see change.Editable.Apply for its errors. Issued
// coupons follow the new terms.
func (s *Service) Edit(ctx context.Context, u *uow.Unit, campaign *Campaign, edit change.Edit) (change.Edited[*Campaign], error) {
	return s.editable().Apply(ctx, u, campaign, edit)
}

// Delete deletes a campaign that was just read and has issued no coupon. An issue increments the
// version, so a concurrent issue makes the deletion stale. Errors: VersionConflict, InUse.
func (s *Service) Delete(ctx context.Context, u *uow.Unit, campaign *Campaign, ifMatch guard.Precondition) error {
	s.recordCampaign(u, "delete", campaign, map[string]any{"version": campaign.Version, "terms": campaign.Terms})
	return s.editable().Delete(ctx, u, campaign, ifMatch, func() error {
		if campaign.Issued > 0 {
			return apperr.New(apperr.InUse, "%s has issued %d coupons, so it cannot be deleted. End it instead: set its validTo.", campaign.Label(), campaign.Issued)
		}
		return guard.Delete[Campaign](ctx, u, campaign.Ref())
	})
}

// recordCampaign writes the unit's audit entry, and publishes the change after commit.
func (s *Service) recordCampaign(u *uow.Unit, verb string, campaign *Campaign, detail any) {
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "coupon_campaign", Topic: CampaignTopic, Key: strconv.FormatInt(campaign.ID, 10), Detail: detail,
		Change: events.Change{Version: campaign.Version, ETag: campaign.Ref().ETag(), Action: verb, Label: campaign.Name},
	})
}

// editable declares campaigns to package change.
func (s *Service) editable() change.Editable[Campaign, *Campaign] {
	return change.Editable[Campaign, *Campaign]{
		Rows: change.Rows[Campaign, *Campaign]{
			DB: s.db, Label: (*Campaign).Label, View: func(ctx context.Context, c *Campaign) any { return campaignViewOf(ctx, *c) },
		},
		Document:  func(c *Campaign) (any, error) { return merge.Tree(c.Terms) },
		Revise:    revise,
		AtVersion: s.at,
		Record: func(ctx context.Context, u *uow.Unit, before, after *Campaign, _ *change.Overwrite) error {
			s.recordCampaign(u, "update", after, map[string]any{
				"fromVersion": before.Version, "version": after.Version, "before": before.Terms, "after": after.Terms,
			})
			return insertCampaignHistory(ctx, u, after, "update")
		},
	}
}

// revise returns the campaign of an edited document. Errors: ValidationFailed.
func revise(campaign *Campaign, document any) (*Campaign, guard.Set, error) {
	var terms Terms
	if err := merge.Decode(document, &terms); err != nil {
		return nil, nil, fmt.Errorf("read an edited campaign: %w", err)
	}
	if violations := terms.check(campaign.Issued); len(violations) > 0 {
		return nil, nil, apperr.Invalid(violations...)
	}
	after := *campaign
	after.Terms = terms
	return &after, terms.columns(), nil
}

// at returns an earlier version of a campaign.
func (s *Service) at(ctx context.Context, campaign *Campaign, version int64) (*Campaign, error) {
	var revision CampaignRevision
	err := s.db.Read(ctx).Where("campaign_id = ? AND version = ?", campaign.ID, version).Take(&revision).Error
	if err != nil {
		return nil, err
	}
	return revision.restore(campaign), nil
}
