package demo

import (
	"context"
	"fmt"

	"interlock/internal/core/uow"
	"interlock/internal/orders"
	"interlock/internal/returns"
)

// loadReturns requests a return of some completed orders without a refund: one is received, one
// stays requested, and one is rejected, in turn.
func (l *Loader) loadReturns(ctx context.Context) error {
	var numbers []int
	for i := range min(l.Size.Orders, 200) {
		if i%10 == 5 && i/10%2 == 1 {
			numbers = append(numbers, i)
		}
	}
	l.Progress.Begin("returns", len(numbers))
	for n, i := range numbers {
		order, err := l.Orders.LatestOf(ctx, buyer(i))
		if err == nil && order != nil {
			err = l.loadReturn(ctx, order.ID, n)
		}
		if err != nil {
			return fmt.Errorf("load the return of order %d: %w", i, err)
		}
		l.Progress.Step()
	}
	return nil
}

// loadReturn requests a return of one unit of an order, unless the order has one, and makes its
// next step.
func (l *Loader) loadReturn(ctx context.Context, id int64, n int) error {
	if requested, err := l.Returns.CountOf(ctx, id); err != nil || requested > 0 {
		return err
	}
	order, err := l.Orders.Order(ctx, id)
	if err != nil || order.Lines[0].Shipped == 0 {
		return err
	}
	row, err := l.requestReturn(ctx, order)
	if err != nil {
		return err
	}
	return l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		switch n % 3 {
		case 0:
			_, err = l.Returns.Receive(ctx, u, row, returns.Receipt{Lines: []returns.ReceivedLine{{LineID: 1, Quantity: 1, Restock: true}}}, nil)
		case 2:
			_, err = l.Returns.Reject(ctx, u, row, returns.Rejection{Reason: "the tea was opened"}, nil)
		}
		return err
	})
}

func (l *Loader) requestReturn(ctx context.Context, order *orders.Order) (row *returns.Return, err error) {
	err = l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		row, err = l.Returns.Request(ctx, u, order, returns.Request{Lines: []returns.LineRequest{{LineID: 1, Quantity: 1}}, Reason: "ordered the wrong size"})
		return err
	})
	return row, err
}
