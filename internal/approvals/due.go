package approvals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"interlock/internal/base/clip"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
)

// applier is the actor that makes scheduled changes stale if they are rejected.
const applier = "scheduled changes"

// NextScheduled returns the earliest effective time of the scheduled changes of all tenants; a zero
// time if none is scheduled:
//
//	SELECT effective_time FROM approvals WHERE status = ? ORDER BY effective_time LIMIT 1
func (s *Service) NextScheduled(ctx context.Context) (time.Time, error) {
	var next []time.Time
	err := s.db.Read(storage.AcrossTenants(ctx)).Model(&Approval{}).Where("status = ?", scheduled.Code).
		Order("effective_time").Limit(1).Pluck("effective_time", &next).Error
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time of the next scheduled change: %w", err)
	}
	if len(next) == 0 {
		next = []time.Time{{}}
	}
	s.deadlines.note(scheduled.Name, next[0])
	return next[0], nil
}

// ApplyDue applies the scheduled changes that are due, of all tenants, each in a separate unit, and
// the changes of one tenant in the order of their times. It reads at most limit approvals per
// batch.
//
// Several processes may run it concurrently: a lease admits one of them per tenant, and the guard
// of the approval applies each change once, even if the lease was lost. A change that a rule
// rejects becomes stale, with the reason. A change that fails for a transient reason is retried by
// the next run, together with later changes of the same resources, to preserve their order; the
// other changes are applied.
func (s *Service) ApplyDue(ctx context.Context, limit int) error {
	var tenants []int64
	err := s.db.Read(storage.AcrossTenants(ctx)).Model(&Approval{}).Distinct("tenant_id").
		Where("status = ? AND effective_time <= ?", scheduled.Code, s.clock.Now()).Order("tenant_id").Pluck("tenant_id", &tenants).Error
	if err != nil {
		return fmt.Errorf("read the tenants with scheduled changes: %w", err)
	}
	return uow.InBatches(ctx, applier, tenants, limit, s.applyBatch)
}

// applyBatch applies up to limit due changes of the tenant of ctx, and returns the number of those
// that were applied or finally rejected.
func (s *Service) applyBatch(ctx context.Context, limit int) (int, error) {
	var due []int64
	err := s.db.Read(ctx).Model(&Approval{}).Where("status = ? AND effective_time <= ?", scheduled.Code, s.clock.Now()).
		Order("effective_time, id").Limit(limit).Pluck("id", &due).Error
	if err != nil {
		return 0, fmt.Errorf("read scheduled changes: %w", err)
	}
	var failures []error
	var blocked []string
	ended := 0
	for _, id := range due {
		a, err := s.Approval(ctx, id)
		if err != nil {
			return ended, err
		}
		if slices.ContainsFunc(a.Targets, func(target string) bool { return slices.Contains(blocked, target) }) {
			blocked = append(blocked, a.Targets...)
			continue
		}
		switch err := s.applyScheduled(ctx, a); {
		case errors.Is(err, errLeased):
			return ended, errors.Join(failures...)
		case err != nil:
			failures = append(failures, fmt.Errorf("%s: %w", a.label(), err))
			blocked = append(blocked, a.Targets...)
		default:
			ended++
		}
	}
	return ended, errors.Join(failures...)
}

// errLeased is returned if another process applies the tenant's changes.
var errLeased = errors.New("approvals: another process applies the scheduled changes of the tenant")

// applyScheduled applies one scheduled approval in a unit that acts for its author, or makes it
// stale if the change is finally rejected. It does nothing if the approval is not due or has
// changed since it was read.
func (s *Service) applyScheduled(ctx context.Context, a *Approval) error {
	var rejection string
	err := s.runner.Do(asScheduler(ctx, a), func(ctx context.Context, u *uow.Unit) (err error) {
		if ctx, err = acquireLease(ctx, u, a.TenantID); err != nil {
			return err
		}
		if a.Status != scheduled.Code || a.waitsForItsTime(u.Now()) {
			return nil
		}
		if ctx, err = s.lock(ctx, u, a); err != nil {
			return err
		}
		if rejection, err = s.reasonToReject(ctx, u, a); err != nil {
			return err
		}
		current, err := s.reread(ctx, u, a)
		switch {
		case err != nil:
			return err
		case current.Ref() != a.Ref():
			return errSettled
		case rejection != "":
			return errRejected
		}
		_, err = s.apply(ctx, u, a, guard.Precondition{Ref: a.Ref()}, applied{action: "apply"})
		return err
	})
	switch {
	case errors.Is(err, errSettled):
		return nil
	case errors.Is(err, errRejected):
		return s.markRejected(ctx, a, rejection)
	}
	if sentence, final := isFinal(err); final {
		return s.markRejected(ctx, a, sentence)
	}
	return err
}

// Reasons to roll back the unit of a scheduled change.
var (
	errSettled  = errors.New("approvals: the scheduled approval has changed since it was read")
	errRejected = errors.New("approvals: the scheduled change is no longer allowed")
)

// acquireLease admits one process at a time to the scheduled changes of a tenant. It preserves
// their order and saves the other processes their attempts. The guard alone ensures that a change
// is applied once, so changes are applied also while the locks are unavailable. Errors: errLeased.
func acquireLease(ctx context.Context, u *uow.Unit, tenant int64) (context.Context, error) {
	held, err := u.Lock(ctx, 0, "scheduled-changes/"+strconv.FormatInt(tenant, 10))
	switch {
	case errors.Is(err, lock.ErrNotAcquired):
		return ctx, errLeased
	case errors.Is(err, lock.ErrUnavailable):
		return ctx, nil
	}
	return held, err
}

// markRejected makes a scheduled approval stale with a reason. It does nothing if the approval has
// changed since it was read.
func (s *Service) markRejected(ctx context.Context, a *Approval, reason string) error {
	err := s.runner.Do(principal.With(ctx, principal.System(a.TenantID, applier)), func(ctx context.Context, u *uow.Unit) error {
		after := *a
		after.Status, after.Reason = stale.Code, clip.Text(reason, maxReason-1)
		audited := after
		audited.Version++
		u.Audit(entry("outdate", &audited, nil, after.Reason))
		return s.record(ctx, u, a, &after, "outdate", map[string]any{"reason": after.Reason})
	})
	if errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrDeleted) {
		return nil
	}
	return err
}
