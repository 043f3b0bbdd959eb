package approvals

import (
	"context"

	"interlock/internal/core/uow"
)

// ApplyDueOf is ApplyDue for one tenant: tests that share a database have separate clocks.
func (s *Service) ApplyDueOf(ctx context.Context, tenant int64, limit int) error {
	return uow.InBatches(ctx, applier, []int64{tenant}, limit, s.applyBatch)
}

// ApplyScheduled applies one change, like a sweep that has read it as due.
func (s *Service) ApplyScheduled(ctx context.Context, a *Approval) error {
	return s.applyScheduled(ctx, a)
}
