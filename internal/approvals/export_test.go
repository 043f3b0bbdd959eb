package approvals

import (
	"context"

	"interlock/internal/core/uow"
)

// ApplyDueOf is ApplyDue for one tenant: tests that share a database do not share their clocks.
func (s *Service) ApplyDueOf(ctx context.Context, tenant int64, limit int) error {
	return uow.InBatches(ctx, applier, []int64{tenant}, limit, s.applyBatch)
}

// ApplyScheduled makes one change, as a sweep does that has found it due.
func (s *Service) ApplyScheduled(ctx context.Context, a *Approval) error {
	return s.applyScheduled(ctx, a)
}
