package demo

import (
	"context"
	"fmt"

	"interlock/internal/core/uow"
	"interlock/internal/orders"
	"interlock/internal/payments"
)

// loadPayments records a deposit for every second pending order, and one payment that no order can
// take: its buyer paid twice.
func (l *Loader) loadPayments(ctx context.Context) error {
	deposits := (l.Size.Orders + 19) / 20
	l.Progress.Begin("payments", deposits+1)
	for i := range deposits {
		if err := l.loadPayment(ctx, i*20, fmt.Sprintf("psp-deposit-%d", i), func(o *orders.Order) int64 { return (o.Amount + 1) / 2 }); err != nil {
			return fmt.Errorf("load the deposit of order %d: %w", i*20, err)
		}
		l.Progress.Step()
	}
	if err := l.loadPayment(ctx, min(5, l.Size.Orders-1), "psp-twice", func(o *orders.Order) int64 { return o.Amount }); err != nil {
		return fmt.Errorf("load the unmatched payment: %w", err)
	}
	l.Progress.Step()
	return nil
}

// loadPayment records a payment of order i, unless it is already recorded.
func (l *Loader) loadPayment(ctx context.Context, i int, reference string, amount func(*orders.Order) int64) error {
	order, err := l.Orders.LatestOf(ctx, buyer(i))
	if err != nil || order == nil {
		return err
	}
	sum := amount(order)
	return l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		_, _, err := l.Orders.Receive(ctx, u, order.ID, orders.Receipt{Method: payments.External, Reference: reference, Amount: &sum})
		return err
	})
}
