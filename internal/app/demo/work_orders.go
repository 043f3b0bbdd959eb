package demo

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/core/uow"
	"interlock/internal/workorders"
)

// loadWorkOrders opens work orders and advances them along their steps. A work order is identified
// by its title.
func (l *Loader) loadWorkOrders(ctx context.Context) error {
	tasks := workOrders(l.Clock.Now())
	l.Progress.Begin("work orders", len(tasks))
	for n, task := range tasks {
		found, err := l.WorkOrders.ByTitle(ctx, task.Title, 1)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			if err := l.loadWorkOrder(ctx, task, n); err != nil {
				return fmt.Errorf("load work order %q: %w", task.Title, err)
			}
		}
		l.Progress.Step()
	}
	return nil
}

func (l *Loader) loadWorkOrder(ctx context.Context, task workorders.Opening, n int) error {
	steps := [][]workorders.Step{
		nil, {workorders.Claim{}}, nil,
		{workorders.Resolution{Resolution: "Refunded, and the parcel is returning."}},
		{workorders.Resolution{Resolution: "Counted again; the shelf was right."}, workorders.Closing{}},
	}[n%5]
	var order *workorders.WorkOrder
	err := l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		order, err = l.WorkOrders.Open(ctx, u, task)
		return err
	})
	for _, step := range steps {
		if err != nil {
			return err
		}
		var after *workorders.WorkOrder
		err = l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
			after, err = l.WorkOrders.Transition(ctx, u, order, step, nil)
			return err
		})
		order = after
	}
	return err
}

// workOrders returns the tasks, some of them due tomorrow.
func workOrders(now time.Time) []workorders.Opening {
	tomorrow := now.Truncate(time.Hour).Add(24 * time.Hour)
	sku, _ := itemNumber(0)
	// Priority 0 is the most urgent.
	return []workorders.Opening{
		{Title: "Call the courier about the parcels of Friday", Body: "Eleven parcels have not moved since.", Priority: 1, DueTime: &tomorrow},
		{Title: "A customer has paid twice", Body: "Check both payments, and refund one of them.", Priority: 0, DueTime: &tomorrow, Links: []workorders.Resource{workorders.Resource("wallets/" + string(buyer(0)))}},
		{Title: "Reorder the best-selling items", Priority: 2, Links: []workorders.Resource{workorders.Resource("inventory/" + sku)}},
		{Title: "A teapot arrived broken", Priority: 2},
		{Title: "Count the shelf by the door", Priority: 3},
	}
}
