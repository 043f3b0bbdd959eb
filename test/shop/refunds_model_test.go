package shop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/inventory"
	"interlock/internal/orders"
	"interlock/internal/payments"
	"interlock/internal/refunds"
	"interlock/internal/returns"
	"interlock/test/tier"
	"interlock/test/world"
)

// The order of the model: three units at 1,000, and as many in stock.
const (
	modelUnits = 3
	modelPrice = 1000
)

// trial is one order, with a separate item, on which steps are tried.
type trial struct {
	*Shop
	sku   string
	order int64
	user  principal.CustomerID
	funds int64
}

// trial returns a trial of an order of Buyer; see [Shop.trialOf].
func (s *Shop) trial(t testing.TB, number int, method string) *trial {
	t.Helper()
	return s.trialOf(t, Buyer, fmt.Sprintf("MODEL-%s-%d", method, number), method)
}

// trialOf returns a trial of a user's order that was paid by a method; shipped: paid from outside and
// shipped except for one unit; unpaid, and by invoice: not paid.
func (s *Shop) trialOf(t testing.TB, user principal.CustomerID, sku, method string) *trial {
	t.Helper()
	s.Stock(t, sku, modelPrice, modelUnits)
	tr := &trial{Shop: s, sku: sku, user: user, funds: s.Balance(t, user)}
	order := s.Create(t, "/orders", object{"userId": user, "items": []object{Line(sku, modelUnits)}})
	tr.order = world.ID(order)
	switch method {
	case "unpaid":
		return tr
	case "wallet":
		s.Post(t, 200, OrderPath(order)+"/pay", object{"method": method})
		return tr
	case "external", "shipped":
		s.Post(t, 200, OrderPath(order)+"/pay", Outside())
		if method == "shipped" {
			s.Post(t, 201, shipmentsPath(order), parcel("1", units(1, modelUnits-1)))
		}
		return tr
	}
	if method == "invoice" {
		s.onTerms(t, order, orders.Invoice)
		return tr
	}
	require.NoError(t, tr.receive(s.Ctx, tr.order, payments.FromWallet, modelPrice))
	if method == "mixed" {
		require.NoError(t, tr.receive(s.Ctx, tr.order, payments.External, 2*modelPrice))
	}
	return tr
}

// receive records a payment that names an order.
func (tr *trial) receive(ctx context.Context, order int64, method string, amount int64) error {
	return tr.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		_, _, err := tr.Orders.Receive(ctx, u, order, orders.Receipt{Method: method, Reference: outside().Reference, Amount: &amount})
		return err
	})
}

// apply applies the newest unmatched payment to the order.
func (tr *trial) apply(ctx context.Context) error {
	if err := tr.receive(ctx, 1<<40, payments.External, modelPrice); err != nil {
		return err
	}
	return tr.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		var newest payments.Payment
		if err := tr.DB.Read(ctx).Where("status = 0").Order("id DESC").Limit(1).Take(&newest).Error; err != nil {
			return err
		}
		_, err := tr.Orders.ApplyPayment(ctx, u, &newest, orders.Application{OrderID: tr.order}, nil)
		return err
	})
}

// productSteps are the steps of an order, of its newest refund and of its newest return, in the product of
// their machines.
var productSteps = map[string]func(ctx context.Context, tr *trial) error{
	"request units":  func(ctx context.Context, tr *trial) error { return tr.requestUnits(ctx, 2) },
	"request amount": func(ctx context.Context, tr *trial) error { return tr.requestAmount(ctx, modelPrice) },
	"request all":    func(ctx context.Context, tr *trial) error { return tr.requestUnits(ctx, modelUnits) },
	"receive": func(ctx context.Context, tr *trial) error {
		return tr.receive(ctx, tr.order, payments.External, modelPrice)
	},
	"apply":   func(ctx context.Context, tr *trial) error { return tr.apply(ctx) },
	"approve": func(ctx context.Context, tr *trial) error { return tr.refund(ctx, refunds.Approval{}) },
	"settle": func(ctx context.Context, tr *trial) error {
		return tr.refund(ctx, refunds.Settlement{Reference: outside().Reference})
	},
	"reject": func(ctx context.Context, tr *trial) error { return tr.refund(ctx, refunds.Rejection{Reason: "no"}) },
	"fail":   func(ctx context.Context, tr *trial) error { return tr.refund(ctx, refunds.Failure{Reason: "bounced"}) },
	"unknown": func(ctx context.Context, tr *trial) error {
		return tr.refund(ctx, refunds.UnknownOutcome{Reason: "time-out"})
	},
	"pay":            func(ctx context.Context, tr *trial) error { return tr.step(ctx, outside()) },
	"ship":           func(ctx context.Context, tr *trial) error { return tr.step(ctx, anyway) },
	"ship part":      func(ctx context.Context, tr *trial) error { return tr.step(ctx, anyway.Of(units(1, 1))) },
	"complete":       func(ctx context.Context, tr *trial) error { return tr.step(ctx, orders.Completion{}) },
	"cancel":         func(ctx context.Context, tr *trial) error { return tr.step(ctx, orders.Cancellation{Reason: "no"}) },
	"request return": func(ctx context.Context, tr *trial) error { return tr.requestReturn(ctx) },
	"take back":      func(ctx context.Context, tr *trial) error { return tr.arrive(ctx, true) },
	"write off":      func(ctx context.Context, tr *trial) error { return tr.arrive(ctx, false) },
	"close return": func(ctx context.Context, tr *trial) error {
		return tr.ofReturn(ctx, func(ctx context.Context, u *uow.Unit, row *returns.Return) error {
			_, err := tr.Returns.Close(ctx, u, row, returns.Closing{}, nil)
			return err
		})
	},
	"reject return": func(ctx context.Context, tr *trial) error {
		return tr.ofReturn(ctx, func(ctx context.Context, u *uow.Unit, row *returns.Return) error {
			_, err := tr.Returns.Reject(ctx, u, row, returns.Rejection{Reason: "used"}, nil)
			return err
		})
	},
	"refund return": func(ctx context.Context, tr *trial) error {
		return tr.ofReturn(ctx, func(ctx context.Context, u *uow.Unit, row *returns.Return) error {
			_, err := tr.Returns.Refund(ctx, u, row, nil)
			return err
		})
	},
	"expire": func(ctx context.Context, tr *trial) error { return tr.expire(ctx) },
}

// anyway ships an order, also a refunded one.
var anyway = orders.Shipment{Carrier: "C", TrackingNo: "1", ShipRefunded: true}

// offered maps steps of an order to their actions in its allowed transitions.
var offered = map[string]string{"pay": "pay", "ship": "ship", "ship part": "ship", "complete": "complete", "cancel": "cancel"}

func (tr *trial) requestUnits(ctx context.Context, units int64) error {
	return tr.requestRefund(ctx, refunds.Request{Reason: "broken", Lines: []refunds.LineRequest{{SKU: tr.sku, Quantity: units, Restock: true}}})
}

func (tr *trial) requestAmount(ctx context.Context, amount int64) error {
	return tr.requestRefund(ctx, refunds.Request{Reason: "late", Amount: &amount})
}

func (tr *trial) requestRefund(ctx context.Context, request refunds.Request) error {
	return tr.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		order, err := tr.Orders.Order(ctx, tr.order)
		if err != nil {
			return err
		}
		_, err = tr.Shop.Refunds.Request(ctx, u, order, request)
		return err
	})
}

func (tr *trial) step(ctx context.Context, step orders.Step) error {
	return tr.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		order, err := tr.Orders.Order(ctx, tr.order)
		if err != nil {
			return err
		}
		_, err = tr.Orders.Transition(ctx, u, order, step, nil)
		return err
	})
}

// refund performs a step of the order's newest refund, as an admin that requested none.
func (tr *trial) refund(ctx context.Context, step refunds.Step) error {
	caller, _ := principal.From(ctx)
	caller.UserID, caller.Name = 8, "Ana"
	return tr.Runner.Do(principal.With(ctx, caller), func(ctx context.Context, u *uow.Unit) error {
		var newest refunds.Refund
		if err := tr.DB.Read(ctx).Where("order_id = ?", tr.order).Order("id DESC").Limit(1).Find(&newest).Error; err != nil || newest.ID == 0 {
			return errors.Join(err, apperr.New(apperr.NotFound, "no refund"))
		}
		refund, err := tr.Shop.Refunds.Refund(ctx, newest.ID)
		if err != nil {
			return err
		}
		_, err = tr.Shop.Refunds.Transition(ctx, u, refund, step, nil)
		return err
	})
}

// back are the facts about a line's units that returns and refunds record.
type back struct {
	// states describes the returns.
	states string
	// restocked and writtenOff are shipped units, and unshipped those that a refund put back.
	restocked, inReturns, writtenOff, unshipped int64
	// restockedByRefunds are the shipped units of open and settled refunds with restock.
	restockedByRefunds int64
}

// cameBack reads the returns and the refunds of the order.
func (tr *trial) cameBack(t require.TestingT) (b back) {
	db := tr.DB.Read(tr.Ctx)
	var rows []returns.Return
	require.NoError(t, db.Where("order_id = ?", tr.order).Order("id").Find(&rows).Error)
	for _, row := range rows {
		current, err := tr.Returns.Return(tr.Ctx, row.ID)
		require.NoError(t, err)
		line, state := current.Lines[0], returns.Machine.Of(row.Status).Name
		b.states += fmt.Sprint(state, line.Quantity, line.Received, line.Restocked, row.RefundID != nil, ";")
		switch state {
		case "requested":
			b.inReturns += line.Quantity
		case "received", "closed":
			b.inReturns += line.Received
		}
		b.restocked += line.Restocked
		b.writtenOff += line.Received - line.Restocked
	}
	var repaid []refunds.Refund
	require.NoError(t, db.Where("order_id = ?", tr.order).Find(&repaid).Error)
	for _, row := range repaid {
		refund, err := tr.Shop.Refunds.Refund(tr.Ctx, row.ID)
		require.NoError(t, err)
		for _, line := range refund.Lines {
			if !line.Restock {
				continue
			}
			switch refunds.Machine.Of(row.Status).Name {
			case "settled":
				b.unshipped += line.Unshipped
				b.restocked += line.Quantity - line.Unshipped
				b.restockedByRefunds += line.Quantity - line.Unshipped
			case "requested", "approved", "unknown":
				b.restockedByRefunds += line.Quantity - line.Unshipped
			}
		}
	}
	return b
}

// requestReturn requests the return of one unit.
func (tr *trial) requestReturn(ctx context.Context) error {
	return tr.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		order, err := tr.Orders.Order(ctx, tr.order)
		if err != nil {
			return err
		}
		_, err = tr.Returns.Request(ctx, u, order, returns.Request{Lines: []returns.LineRequest{{LineID: 1, Quantity: 1}}, Reason: "too small"})
		return err
	})
}

// ofReturn performs a step of the order's newest return.
func (tr *trial) ofReturn(ctx context.Context, step func(ctx context.Context, u *uow.Unit, row *returns.Return) error) error {
	return tr.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		var newest returns.Return
		if err := tr.DB.Read(ctx).Where("order_id = ?", tr.order).Order("id DESC").Limit(1).Find(&newest).Error; err != nil || newest.ID == 0 {
			return errors.Join(err, apperr.New(apperr.NotFound, "no return"))
		}
		row, err := tr.Returns.Return(ctx, newest.ID)
		if err != nil {
			return err
		}
		return step(ctx, u, row)
	})
}

// arrive receives the newest return.
func (tr *trial) arrive(ctx context.Context, restock bool) error {
	return tr.ofReturn(ctx, func(ctx context.Context, u *uow.Unit, row *returns.Return) error {
		_, err := tr.Returns.Receive(ctx, u, row, returns.Receipt{Lines: []returns.ReceivedLine{{LineID: 1, Quantity: 1, Restock: restock}}}, nil)
		return err
	})
}

// expire cancels the order as unpaid if it is prepaid and pending.
func (tr *trial) expire(ctx context.Context) error {
	due := tr.Clock.Now()
	err := tr.DB.Write(ctx).Model(&orders.Order{}).Where("id = ? AND status = 0 AND payment_terms = ?", tr.order, orders.Prepaid).UpdateColumn("payment_due", due).Error
	if err != nil {
		return err
	}
	return tr.Orders.CancelUnpaid(ctx, due, 10)
}

// check compares the order, its refunds, its returns, the stock and the wallet, and returns the state
// of the trial as the model distinguishes it.
func (tr *trial) check(t require.TestingT) string {
	order, err := tr.Orders.Order(tr.Ctx, tr.order)
	require.NoError(t, err)
	listing := []refunds.Refund{}
	require.NoError(t, tr.DB.Read(tr.Ctx).Where("order_id = ?", tr.order).Order("id").Find(&listing).Error)
	status := orders.Machine.Of(order.Status).Name
	var reserved, refunded int64
	names := []string{status}
	for _, refund := range listing {
		switch name := refunds.Machine.Of(refund.Status).Name; {
		case name == "settled":
			refunded += refund.Amount
		case name == "requested", name == "approved", name == "unknown", name == "failed" && status == "cancelled":
			reserved += refund.Amount
		}
		names = append(names, fmt.Sprintf("%s %d", refunds.Machine.Of(refund.Status).Name, refund.Amount))
	}
	require.Equal(t, [2]int64{reserved, refunded}, [2]int64{order.RefundReserved, order.Refunded})
	require.LessOrEqual(t, reserved+refunded, order.Paid)
	require.GreaterOrEqual(t, reserved, int64(0))

	tr.requireFilters(t, order)

	var paid, debited int64
	for _, payment := range order.Payments {
		names = append(names, fmt.Sprint(payments.Machine.Of(payment.Status).Name, payment.Amount, payment.RefundReserved, payment.Refunded))
		if !payment.Applied() {
			continue
		}
		paid += payment.Amount
		reserved -= payment.RefundReserved
		refunded -= payment.Refunded
		require.GreaterOrEqual(t, payment.RefundReserved, int64(0))
		require.GreaterOrEqual(t, payment.Refundable(), int64(0))
		if payment.ByWallet() {
			debited += payment.Amount - payment.Refunded
		}
	}
	require.Equal(t, [3]int64{order.Paid, 0, 0}, [3]int64{paid, reserved, refunded}, "the payments add up to the order")
	require.LessOrEqual(t, order.Paid, order.Amount)
	wallet, err := tr.Wallets.Wallet(tr.Ctx, tr.user)
	require.NoError(t, err)
	require.Equal(t, tr.funds-debited, wallet.Balance)

	line := order.Lines[0]
	back := tr.cameBack(t)
	names = append(names, fmt.Sprint(line.ToShip, line.InRefund, line.Shipped, line.Returned, line.InReturns, line.WrittenOff), back.states)
	held := line.ToShip + line.InRefund
	for _, units := range []int64{line.ToShip, line.InRefund, line.Shipped, line.Returned, line.InReturns, line.WrittenOff} {
		require.GreaterOrEqual(t, units, int64(0))
	}
	if status != "cancelled" {
		require.Equal(t, line.Quantity, held+line.Shipped+back.unshipped, "each unit is to ship, shipped or back in stock")
	}
	require.Equal(t, [3]int64{back.restocked, back.inReturns, back.writtenOff}, [3]int64{line.Returned, line.InReturns, line.WrittenOff})
	require.LessOrEqual(t, line.ReturnedUnits(), line.Shipped)
	require.LessOrEqual(t, line.InReturns+back.restockedByRefunds, line.Shipped, "a unit is in one return or one refund")
	var stock inventory.Inventory
	require.NoError(t, tr.DB.Read(tr.Ctx).Where("sku = ?", tr.sku).Take(&stock).Error)
	require.EqualValues(t, modelUnits, stock.OnHand+line.Shipped-line.Returned, "units bought in are in stock or shipped")
	require.Equal(t, held, stock.Reserved, "units reserved in stock are those that the order can ship and those of its open refunds")
	require.Equal(t, line.Shipped, tr.inParcels(t), "the parcels have the shipped units")
	switch status {
	case "pending", "paid":
		require.True(t, held > 0 || line.Shipped == 0, "an order is shipped with its last parcel, or by the refund of its last units")
		require.Nil(t, order.ShippedTime)
	case "shipped", "completed":
		require.Zero(t, held, "a shipped order has nothing left to ship")
		require.NotNil(t, order.ShippedTime)
	case "cancelled":
		require.Zero(t, order.Refundable(), "a cancelled order owes the customer nothing that no refund covers")
		require.Zero(t, held+line.Shipped-line.ReturnedUnits(), "a customer has no units of a cancelled order")
		require.Zero(t, order.Due())
	}
	if status == "completed" {
		require.Zero(t, order.Due())
	}
	return strings.Join(names, ", ")
}

// inParcels returns the number of units in the order's parcels.
func (tr *trial) inParcels(t require.TestingT) (units int64) {
	var lines []orders.ParcelLine
	require.NoError(t, tr.DB.Read(tr.Ctx).Where("order_id = ?", tr.order).Find(&lines).Error)
	for _, line := range lines {
		units += line.Quantity
	}
	return units
}

// explorations are the explored pairs of machines, by the start of the trials.
var explorations = map[string][]string{
	"external": stepsOfOrder, "wallet": stepsOfOrder, "mixed": stepsOfOrder, "part": stepsOfOrder, "invoice": append([]string{"pay"}, stepsOfOrder...), "shipped": stepsOfReturn,
}

// stepsOfOrder are the steps of order, parcel, payment and refund; stepsOfReturn those of order, parcel,
// return and refund.
var (
	stepsOfOrder = []string{
		"request units", "request amount", "request all", "receive", "apply", "approve", "settle", "reject", "fail", "unknown",
		"ship", "ship part", "complete", "cancel", "expire",
	}
	stepsOfReturn = []string{
		"request return", "take back", "write off", "close return", "reject return", "refund return",
		"request units", "approve", "settle", "fail", "ship", "complete", "cancel",
	}
)

// The product of the machines of order, payment, parcel, return and refund is explored breadth first:
// each step is tried from each state that is reached in fewer than length steps.
// Proves G4.21.
func TestAnySequenceOfStepsConservesMoneyAndStock(t *testing.T) {
	for method, steps := range explorations {
		t.Run(method, func(t *testing.T) {
			length := 6
			if !tier.IsNightly() {
				length = 3
				if method == "external" || method == "shipped" {
					length = 4
				}
			}
			s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
			e := exploration{shop: s, method: method, seen: map[string]bool{}}
			e.reached = []reached{{e.replay(t, nil), nil}}
			for len(e.reached) > 0 {
				from := e.reached[0]
				e.reached = e.reached[1:]
				e.explore(t, from, steps, length)
			}
			t.Logf("%d states, %d orders", len(e.seen), e.trials)
			require.GreaterOrEqual(t, len(e.seen), 10)
			s.RequirePromises(t)
		})
	}
}

// exploration is a search for the states of orders that one method paid.
type exploration struct {
	shop    *Shop
	method  string
	trials  int
	seen    map[string]bool
	reached []reached
}

// reached is a trial in a new state, and the steps that led to it.
type reached struct {
	*trial
	path []string
}

// replay returns a new trial after the steps of a path.
func (e *exploration) replay(t *testing.T, path []string) *trial {
	t.Helper()
	e.trials++
	user := principal.CustomerID(fmt.Sprint("explorer-", e.trials))
	e.shop.Fund(t, user, 100*modelPrice)
	tr := e.shop.trialOf(t, user, string(user), e.method)
	for _, step := range path {
		require.NoError(t, productSteps[step](tr.Ctx, tr), path)
	}
	return tr
}

// explore tries each step from a state. A rejected step changes nothing, so the next one is tried on
// the same trial.
func (e *exploration) explore(t *testing.T, from reached, steps []string, length int) {
	tr := from.trial
	for _, name := range steps {
		if tr == nil {
			tr = e.replay(t, from.path)
		}
		taken := append(slices.Clone(from.path), name)
		state, done := tr.try(t, name, taken)
		if !done {
			continue
		}
		if !e.seen[state] && len(taken) < length {
			e.seen[state] = true
			e.reached = append(e.reached, reached{tr, taken})
		}
		tr = nil
	}
}

// checking is a test, or a check of rapid.
type checking interface {
	require.TestingT
	Logf(format string, args ...any)
	Failed() bool
}

// try performs a step, which must succeed exactly if the order allows it. It returns the state after
// the step, and false if the step was rejected and has changed nothing.
func (tr *trial) try(t checking, name string, taken []string) (state string, done bool) {
	defer func() {
		if t.Failed() {
			t.Logf("after %v", taken)
		}
	}()
	before, err := tr.Orders.Order(tr.Ctx, tr.order)
	require.NoError(t, err)
	allowed := before.Allowed()
	err = productSteps[name](tr.Ctx, tr)
	if action, offers := offered[name]; offers {
		require.Equal(t, slices.Contains(allowed, action), err == nil, "%v: %v, allowed are %v", taken, err, allowed)
	}
	if err == nil {
		return tr.check(t), true
	}
	var refusal *apperr.Error
	require.ErrorAs(t, err, &refusal, taken)
	require.NotEqual(t, apperr.Internal, refusal.Code, taken)
	after, err := tr.Orders.Order(tr.Ctx, tr.order)
	require.NoError(t, err)
	require.Equal(t, before, after)
	return "", false
}
