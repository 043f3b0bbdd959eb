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

// applier is the name under which changes are refused whose time has come.
const applier = "scheduled changes"

// NextScheduled returns when the next scheduled change is to be made, of all tenants the earliest;
// a zero time when none is scheduled:
//
//	SELECT effective_time FROM approvals WHERE status = ? ORDER BY effective_time LIMIT 1
func (s *Service) NextScheduled(ctx context.Context) (time.Time, error) {
	var next []time.Time
	err := s.db.Read(storage.AcrossTenants(ctx)).Model(&Approval{}).Where("status = ?", scheduled.Code).
		Order("effective_time").Limit(1).Pluck("effective_time", &next).Error
	if err != nil {
		return time.Time{}, fmt.Errorf("look when the next scheduled change is to be made: %w", err)
	}
	if len(next) == 0 {
		next = []time.Time{{}}
	}
	s.deadlines.note(scheduled.Name, next[0])
	return next[0], nil
}

// ApplyDue makes the scheduled changes whose time has come, of all tenants, each in a unit of
// its own and those of a tenant in the order of their times; at most limit are read at once.
//
// Several processes may run it at once: a lease lets one of them work on a tenant, and the guard
// of the approval lets each change be made once, even when the lease was lost. A change that a
// rule refuses becomes stale, with the reason. One that fails for a transient reason is tried
// again at the next run, and so are later ones of the same resources, to keep their order; all
// others go on.
func (s *Service) ApplyDue(ctx context.Context, limit int) error {
	var tenants []int64
	err := s.db.Read(storage.AcrossTenants(ctx)).Model(&Approval{}).Distinct("tenant_id").
		Where("status = ? AND effective_time <= ?", scheduled.Code, s.clock.Now()).Order("tenant_id").Pluck("tenant_id", &tenants).Error
	if err != nil {
		return fmt.Errorf("look for scheduled changes: %w", err)
	}
	return uow.InBatches(ctx, applier, tenants, limit, s.applyBatch)
}

// applyBatch makes up to limit changes of the tenant of ctx that are due, and returns how many
// were made or refused for good.
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

// errLeased says that another process works on the tenant.
var errLeased = errors.New("approvals: another process makes the scheduled changes of the tenant")

// applyScheduled makes the change of one scheduled approval in a unit that acts for its author, or
// makes the approval stale when the change is refused for good. An approval that is not due, or
// has changed since it was read, is left as it is.
func (s *Service) applyScheduled(ctx context.Context, a *Approval) error {
	var refused string
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
		if refused, err = s.whyRefused(ctx, u, a); err != nil {
			return err
		}
		current, err := s.reread(ctx, u, a)
		switch {
		case err != nil:
			return err
		case current.Ref() != a.Ref():
			return errSettled
		case refused != "":
			return errRefused
		}
		_, err = s.apply(ctx, u, a, guard.Precondition{Ref: a.Ref()}, applied{action: "apply"})
		return err
	})
	switch {
	case errors.Is(err, errSettled):
		return nil
	case errors.Is(err, errRefused):
		return s.markRefused(ctx, a, refused)
	}
	if sentence, final := isFinal(err); final {
		return s.markRefused(ctx, a, sentence)
	}
	return err
}

// Why a unit that makes a scheduled change is rolled back.
var (
	errSettled = errors.New("approvals: the scheduled approval has changed since it was read")
	errRefused = errors.New("approvals: the scheduled change may not be made any more")
)

// acquireLease lets one process at a time make the scheduled changes of a tenant. It keeps the
// order and saves the others their attempts; that a change is made once rests on the guard, so
// changes are made also while the locks are unavailable. Errors: errLeased.
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

// markRefused makes a scheduled approval stale, with a sentence that says why. One that has
// changed since it was read is left as it is.
func (s *Service) markRefused(ctx context.Context, a *Approval, why string) error {
	err := s.runner.Do(principal.With(ctx, principal.System(a.TenantID, applier)), func(ctx context.Context, u *uow.Unit) error {
		after := *a
		after.Status, after.Reason = stale.Code, clip.Text(why, maxReason-1)
		told := after
		told.Version++
		u.Audit(entry("outdate", &told, nil, after.Reason))
		return s.record(ctx, u, a, &after, "outdate", map[string]any{"reason": after.Reason})
	})
	if errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrGone) {
		return nil
	}
	return err
}
