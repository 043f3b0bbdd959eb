package demo

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
)

const (
	fortnight = 14 * 24 * time.Hour
	// unpaid is the age of the oldest unpaid order; orders must be paid within thirty minutes.
	unpaid = 20 * time.Minute
)

// date is a clock that is behind the embedded clock by the duration ago.
type date struct {
	clock.Clock
	ago time.Duration
}

// Now implements clock.Clock.
func (d *date) Now() time.Time { return clock.Stored(d.Clock.Now().Add(-d.ago)) }

// visit is the time, as an age, at which an order has completed the first steps of its journey. At
// a visit with 0 steps the order is placed.
type visit struct {
	order, steps int
	ago          time.Duration
}

// busy is the relative number of orders on each day of the fortnight.
var busy = []int{6, 7, 6, 8, 9, 13, 12, 7, 6, 8, 7, 10, 14, 11}

// placed returns the age of order i of n.
func placed(i, n int) time.Duration {
	all := 0
	for _, orders := range busy {
		all += orders
	}
	at := float64(i) / float64(n) * float64(all)
	day := 0
	for at >= float64(busy[day]) {
		at -= float64(busy[day])
		day++
	}
	return fortnight - time.Duration((float64(day)+at/float64(busy[day]))*float64(24*time.Hour))
}

// visits returns all steps of the orders in order of time: an order is paid immediately, shipped
// six hours later, and completed or shipped again a day after that.
//
// An order that is older than the payment timeout is overdue from its placement until it is paid a
// moment later. If a running server cancels it in between, it remains cancelled.
func (l *Loader) visits() []visit {
	var all []visit
	for i := range l.Size.Orders {
		ago, steps := placed(i, l.Size.Orders), l.journey(i)
		if len(steps) == 0 {
			ago = unpaid * time.Duration(l.Size.Orders-i) / time.Duration(l.Size.Orders)
		}
		for n := range len(steps) + 1 {
			later := []time.Duration{0, 0, 6 * time.Hour, 30 * time.Hour}[n]
			all = append(all, visit{order: i, steps: n, ago: max(ago-later, 0)})
		}
	}
	slices.SortStableFunc(all, func(a, b visit) int { return cmp.Compare(b.ago, a.ago) })
	return all
}

// loadOrders places one order per buyer and advances each order along its journey. It resumes
// orders of an interrupted run.
func (l *Loader) loadOrders(ctx context.Context) error {
	l.Progress.Begin("orders", l.Size.Orders)
	inProgress := map[int]*orders.Order{}
	for _, v := range l.visits() {
		l.date.ago = v.ago
		order, err := l.advance(ctx, inProgress[v.order], v)
		if err != nil {
			return fmt.Errorf("load order %d: %w", v.order, err)
		}
		if v.steps < len(l.journey(v.order)) {
			inProgress[v.order] = order
			continue
		}
		delete(inProgress, v.order)
		l.Progress.Step()
	}
	return nil
}

// advance performs a visit of an order. If order is nil, it finds or places the order.
func (l *Loader) advance(ctx context.Context, order *orders.Order, v visit) (*orders.Order, error) {
	if order == nil {
		listing, err := l.Orders.List(ctx, orders.Filter{UserID: buyer(v.order)}, storage.Page{Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(listing.Rows) == 0 {
			return l.place(ctx, v.order)
		}
		order = &listing.Rows[0]
	}
	// An interrupted run may have made the first shipment, which is the second step.
	if v.steps == 0 || v.steps == 2 && order.FulfilmentStatus() != orders.NoneShipped {
		return order, nil
	}
	return l.transition(ctx, order, l.journey(v.order)[v.steps-1])
}

func (l *Loader) place(ctx context.Context, i int) (order *orders.Order, err error) {
	random := rand.New(rand.NewPCG(uint64(i), 7)) //nolint:gosec // realistic, not secret
	lines := make([]orders.LineRequest, 0, 3)
	first := random.IntN(l.Size.Items)
	for n := range 1 + random.IntN(min(3, l.Size.Items)) {
		sku, _ := itemNumber((first + n*7) % l.Size.Items)
		lines = append(lines, orders.LineRequest{SKU: sku, Quantity: int64(1 + random.IntN(3))})
	}
	err = l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		order, _, err = l.Orders.Place(ctx, u, orders.Placement{UserID: buyer(i), Lines: lines})
		return err
	})
	return order, err
}

// transition performs one step of an order, unless the order is past it.
func (l *Loader) transition(ctx context.Context, order *orders.Order, step orders.Step) (after *orders.Order, err error) {
	err = l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		after, err = l.Orders.Transition(ctx, u, order, step, nil)
		return err
	})
	if apperr.Has(err, apperr.TransitionNotAllowed) {
		return order, nil
	}
	return after, err
}

// journey returns the steps of order i: of ten orders, one is pending, two are paid, two shipped
// (one of them in two parcels), four completed and one cancelled. A buyer with a wallet pays from it.
func (l *Loader) journey(i int) []orders.Step {
	pay := orders.Payment{Method: "external", Reference: "psp-" + strconv.Itoa(100_000+i)}
	if i < l.Size.Wallets {
		pay = orders.Payment{Method: "wallet"}
	}
	ship := orders.Shipment{Carrier: []string{"SF Express", "DHL", "UPS"}[i%3], TrackingNo: fmt.Sprintf("TRK%08d", 7919*i%100_000_000)}
	switch i % 10 {
	case 0:
		return nil
	case 1, 2:
		return []orders.Step{pay}
	case 3:
		return []orders.Step{pay, ship}
	case 4:
		first := ship.Of(orders.ShipmentLine{LineID: 1, Quantity: 1})
		ship.TrackingNo += "-2"
		return []orders.Step{pay, first, ship}
	case 9:
		return []orders.Step{orders.Cancellation{Reason: []string{"ordered twice", "changed my mind", "found it cheaper"}[i/10%3]}}
	default:
		return []orders.Step{pay, ship, orders.Completion{}}
	}
}
