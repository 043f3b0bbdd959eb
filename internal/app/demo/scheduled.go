package demo

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// banner is the number of the config with a scheduled change.
const banner = 9

// loadScheduled schedules changes of a banner and of the sale's quantity for the next days, as the
// planner: a scheduled change is applied with its author's permissions.
func (l *Loader) loadScheduled(ctx context.Context) error {
	if l.Planner.ID == 0 {
		return nil
	}
	day := 24 * time.Hour
	l.Progress.Begin("scheduled", 2)
	key, _ := configNumber(banner)
	weekend := map[string]any{"value": "Free shipping this weekend"}
	err := l.schedule(ctx, "configs/"+key, 2*day, weekend, func(ctx context.Context, u *uow.Unit, patch any) error {
		row, err := l.Configs.Get(ctx, key)
		if err != nil {
			return err
		}
		_, err = l.Configs.Edit(ctx, u, row, change.Edit{IfMatch: guard.Precondition{Ref: row.Ref()}, Patch: patch})
		return err
	})
	if err != nil && !apperr.Has(err, apperr.NotFound) {
		return fmt.Errorf("schedule a change of config %q: %w", key, err)
	}
	l.Progress.Step()
	sale, err := l.saleNamed(ctx, saleTerms(l.Clock.Now()).Name)
	if err != nil || sale == nil {
		return err
	}
	more := map[string]any{"quantity": sale.Quantity + 100}
	err = l.schedule(ctx, fmt.Sprintf("flash-sales/%d", sale.ID), 3*day, more, func(ctx context.Context, u *uow.Unit, patch any) error {
		_, err := l.Sales.Edit(ctx, u, sale, change.Edit{IfMatch: guard.Precondition{Ref: sale.Ref()}, Patch: patch})
		return err
	})
	if err != nil && !apperr.Has(err, apperr.TransitionNotAllowed) {
		return fmt.Errorf("schedule a change of flash sale %q: %w", sale.Name, err)
	}
	l.Progress.Step()
	return nil
}

// schedule schedules a change of a resource, unless an approval of that resource exists.
func (l *Loader) schedule(
	ctx context.Context, resource string, in time.Duration, patch map[string]any, edit func(ctx context.Context, u *uow.Unit, patch any) error,
) error {
	existing, err := l.Approvals.List(ctx, approvals.Filter{Resource: resource}, storage.Page{Limit: 1})
	if err != nil || len(existing.Rows) > 0 {
		return err
	}
	tree, err := merge.Tree(patch)
	if err != nil {
		return err
	}
	caller, _ := principal.From(ctx)
	caller.UserID, caller.Name = l.Planner.ID, l.Planner.Name
	at := l.Clock.Now().Truncate(time.Hour).Add(in)
	return l.Runner.Do(approvals.Scheduling(principal.With(ctx, caller), &at), func(ctx context.Context, u *uow.Unit) error {
		return edit(ctx, u, tree)
	})
}
