package demo

import (
	"context"
	"fmt"
	"strconv"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
	"interlock/internal/payments"
	"interlock/internal/refunds"
)

// loadRefunds refunds some of the completed orders, with every possible outcome. An order with a
// refund gets no second one.
func (l *Loader) loadRefunds(ctx context.Context) error {
	var numbers []int
	for i := range l.Size.Orders {
		if i%10 == 5 && i/10%2 == 0 {
			numbers = append(numbers, i)
		}
	}
	l.Progress.Begin("refunds", len(numbers))
	for n, i := range numbers {
		if err := l.loadRefund(ctx, buyer(i), n); err != nil {
			return fmt.Errorf("load the refund of order %d: %w", i, err)
		}
		l.Progress.Step()
	}
	return nil
}

// loadRefund advances the refund of the latest order of a buyer along journey n.
func (l *Loader) loadRefund(ctx context.Context, user principal.CustomerID, n int) error {
	order, err := l.Orders.LatestOf(ctx, user)
	if err != nil || order == nil {
		return err
	}
	if order, err = l.Orders.Order(ctx, order.ID); err != nil {
		return err
	}
	listing, err := l.Refunds.List(ctx, refunds.Filter{OrderID: order.ID}, storage.Page{Limit: 1, Sort: "id"})
	if err != nil {
		return err
	}
	var refund *refunds.Refund
	if len(listing.Rows) > 0 {
		refund = &listing.Rows[0]
	} else if refund, err = l.requestRefund(ctx, order, n); err != nil {
		return err
	}
	// A refund of an interrupted run continues; a settled one remains.
	if state := refunds.Machine.Of(refund.Status).Name; state != "requested" && state != "approved" {
		return nil
	}
	for _, step := range refundJourney(n, refund.Method == payments.FromWallet) {
		var after *refunds.Refund
		err := l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
			after, err = l.Refunds.Transition(ctx, u, refund, step, nil)
			return err
		})
		switch {
		case err == nil:
			refund = after
		case !apperr.Has(err, apperr.TransitionNotAllowed):
			return err
		}
	}
	return nil
}

// requestRefund requests one unit of the first line, with or without restocking, or an amount.
func (l *Loader) requestRefund(ctx context.Context, order *orders.Order, n int) (refund *refunds.Refund, err error) {
	request := refunds.Request{
		Reason: []string{"arrived broken", "one item is missing", "late", "returned unopened"}[n%4],
		Lines:  []refunds.LineRequest{{SKU: order.Lines[0].SKU, Quantity: 1, Restock: n%4 == 3}},
	}
	if n%4 == 2 {
		amount := min(order.Refundable(), 500)
		request.Amount, request.Lines = &amount, nil
	}
	err = l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		refund, err = l.Refunds.Request(ctx, u, order, request)
		return err
	})
	return refund, err
}

// refundJourney returns the steps of refund n. Approval settles a refund to a wallet.
func refundJourney(n int, wallet bool) []refunds.Step {
	reference := refunds.Settlement{Reference: "psp-re-" + strconv.Itoa(700_000+n)}
	switch {
	case n%6 == 0:
		return nil
	case n%6 == 1:
		return []refunds.Step{refunds.Rejection{Reason: "the tracking shows that it arrived in time"}}
	case wallet:
		return []refunds.Step{refunds.Approval{}}
	case n%6 == 2:
		return []refunds.Step{refunds.Approval{}, refunds.UnknownOutcome{Reason: "the provider did not respond in time"}}
	case n%6 == 3:
		return []refunds.Step{refunds.Approval{}, refunds.Failure{Reason: "the card has expired"}}
	case n%6 == 4:
		return []refunds.Step{refunds.Approval{}}
	}
	return []refunds.Step{refunds.Approval{}, reference}
}
