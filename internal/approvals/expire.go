package approvals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// sweeper is the actor that expires overdue approvals.
const sweeper = "approval expiry"

// ExpireDue sets overdue approvals of all tenants to expired, in batches of at most limit, each in
// a separate unit with one audit entry. Before that, such approvals are already shown and rejected
// as expired. Several processes may run it concurrently: the guard expires each approval once. A
// failure for one tenant does not stop the others.
func (s *Service) ExpireDue(ctx context.Context, limit int) error {
	first, err := s.nextDecision(ctx)
	if err != nil || first.IsZero() || first.After(s.clock.Now()) {
		return err
	}
	var tenants []int64
	err = s.db.Read(storage.AcrossTenants(ctx)).Model(&Approval{}).Distinct("tenant_id").
		Where("status = ? AND expires_time <= ?", pending.Code, s.clock.Now()).Order("tenant_id").Pluck("tenant_id", &tenants).Error
	if err != nil {
		return fmt.Errorf("read the tenants with overdue approvals: %w", err)
	}
	return uow.InBatches(ctx, sweeper, tenants, limit, s.expireBatch)
}

// nextDecision returns the earliest expiry of the pending approvals of all tenants; a zero time if
// none is pending. It also reads the earliest expiry of the stale approvals, for the metric.
func (s *Service) nextDecision(ctx context.Context) (time.Time, error) {
	const first = "SELECT status, expires_time FROM (SELECT status, expires_time FROM approvals WHERE status = ? ORDER BY expires_time LIMIT 1) "
	var found []struct {
		Status      int
		ExpiresTime time.Time
	}
	err := s.db.Read(storage.AcrossTenants(ctx)).Raw(first+"p UNION ALL "+first+"s", pending.Code, stale.Code).Scan(&found).Error
	if err != nil {
		return time.Time{}, fmt.Errorf("read the earliest expiry of approvals: %w", err)
	}
	due := map[int]time.Time{}
	for _, one := range found {
		due[one.Status] = one.ExpiresTime
	}
	s.deadlines.note(pending.Name, due[pending.Code])
	s.deadlines.note(stale.Name, due[stale.Code])
	return due[pending.Code], nil
}

// expireBatch expires up to limit approvals of the tenant of ctx and returns their number.
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
			if errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrDeleted) {
				continue
			}
			if err != nil {
				return err
			}
			u.AuditUnder(due[i].path())
			moved++
		}
		if moved > 0 {
			u.Audit(uow.Entry{Action: "approval.expire", Resource: Topic, Detail: map[string]any{"count": moved}})
		}
		return nil
	})
	return moved, err
}

func (s *Service) expireRow(ctx context.Context, u *uow.Unit, a *Approval) error {
	after := *a
	after.Status = expired.Code
	return s.record(ctx, u, a, &after, "expire", nil)
}
