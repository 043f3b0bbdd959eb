package approvals

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// sweeper is the name under which overdue approvals are expired.
const sweeper = "approval expiry"

// ExpireDue writes down that approvals have expired, of all tenants, in batches of at most
// limit, each a unit of its own with one audit entry. Until then such approvals are shown
// and refused as expired all the same. Several processes may do it at once: the guard lets
// each expire once. What fails for one tenant keeps no other from its turn.
func (s *Service) ExpireDue(ctx context.Context, limit int) error {
	var tenants []int64
	err := s.db.Read(storage.AcrossTenants(ctx)).Model(&Approval{}).Distinct("tenant_id").
		Where("status = ? AND expires_time <= ?", pending.Code, s.clock.Now()).Order("tenant_id").Pluck("tenant_id", &tenants).Error
	if err != nil {
		return fmt.Errorf("look for overdue approvals: %w", err)
	}
	return uow.InBatches(ctx, sweeper, tenants, limit, s.expireBatch)
}

// expireBatch expires up to limit approvals of the tenant of ctx and returns how many it did.
func (s *Service) expireBatch(ctx context.Context, limit int) (int, error) {
	var moved int
	err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		moved = 0
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		var due []Approval
		err = tx.Omit("content").Where("status = ? AND expires_time <= ?", pending.Code, u.Now()).Order("id").Limit(limit).Find(&due).Error
		if err != nil {
			return fmt.Errorf("read overdue approvals: %w", err)
		}
		for i := range due {
			err := s.expireRow(ctx, u, &due[i])
			if errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrGone) {
				continue
			}
			if err != nil {
				return err
			}
			moved++
		}
		if moved > 0 {
			u.Audit(uow.Entry{Action: "approval.expire", Resource: Topic, Detail: map[string]any{"count": moved}})
		}
		return nil
	})
	return moved, err
}

// expireRow writes down that an approval has expired.
func (s *Service) expireRow(ctx context.Context, u *uow.Unit, a *Approval) error {
	after := *a
	after.Status = expired.Code
	return s.record(ctx, u, a, &after, "expire", nil)
}
