package coupons

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// sweeper is the actor that expires overdue coupons.
const sweeper = "coupon expiry"

// ExpireDue sets overdue coupons of all tenants to expired, in batches of at most limit, each in a
// separate unit with one audit entry. Before that, such coupons are already shown as expired.
// Several processes may run it concurrently: the guard expires each coupon once. A failure for one
// tenant does not stop the others.
func (s *Service) ExpireDue(ctx context.Context, limit int) error {
	tenants, err := s.tenantsWithOverdue(ctx)
	if err != nil {
		return err
	}
	return uow.InBatches(ctx, sweeper, tenants, limit, s.expireBatch)
}

// tenantsWithOverdue returns the tenants with overdue coupons:
//
//	SELECT DISTINCT tenant_id FROM coupon_campaigns
//	 WHERE valid_to <= ? AND EXISTS (SELECT 1 FROM coupons WHERE … status = 0)
func (s *Service) tenantsWithOverdue(ctx context.Context) ([]int64, error) {
	var tenants []int64
	err := s.db.Read(storage.AcrossTenants(ctx)).Model(&Campaign{}).Distinct("tenant_id").
		Where("valid_to <= ?", s.clock.Now()).
		Where("EXISTS (SELECT 1 FROM coupons c WHERE c.tenant_id = coupon_campaigns.tenant_id AND c.campaign_id = coupon_campaigns.id AND c.status = ?)", unused.Code).
		Order("tenant_id").Pluck("tenant_id", &tenants).Error
	if err != nil {
		return nil, fmt.Errorf("read the tenants with overdue coupons: %w", err)
	}
	return tenants, nil
}

// expireBatch expires up to limit coupons of the tenant of ctx and returns their number.
func (s *Service) expireBatch(ctx context.Context, limit int) (int, error) {
	var moved int
	err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		moved = 0
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		var due []Coupon
		over := tx.Model(&Campaign{}).Select("id").Where("valid_to <= ?", u.Now())
		if err := tx.Where("status = ? AND campaign_id IN (?)", unused.Code, over).Order("id").Limit(limit).Find(&due).Error; err != nil {
			return fmt.Errorf("read overdue coupons: %w", err)
		}
		moved, err = s.expire(ctx, u, due)
		return err
	})
	return moved, err
}

func (s *Service) expire(ctx context.Context, u *uow.Unit, due []Coupon) (int, error) {
	var events []Event
	for i := range due {
		before := &due[i]
		after, err := move(ctx, u, before, expired, func(*Coupon) {})
		if errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrDeleted) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("expire coupon: %w", err)
		}
		event, err := eventOf(after, "expire", &before.Status, struct{}{})
		if err != nil {
			return 0, err
		}
		events = append(events, event)
		u.AuditUnder(resource(after.Code))
	}
	if len(events) == 0 {
		return 0, nil
	}
	u.Audit(uow.Entry{Action: "coupon.expire", Resource: Topic, Detail: map[string]any{"count": len(events)}})
	s.announceMany(u, "expire", expired)
	return len(events), insertEvents(ctx, u, events...)
}
