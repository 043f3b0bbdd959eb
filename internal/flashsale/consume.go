package flashsale

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/internal/orders"
)

const (
	// transientPause is how long tickets wait after a transient error.
	transientPause = 300 * time.Millisecond
	// consumerLockWait is how long a batch waits for the item's stock.
	consumerLockWait = 10 * time.Second
	// maxAttempts is how many failures bury a ticket.
	maxAttempts = 5
)

// consumer makes tickets into orders.
type consumer struct {
	*ticketEnds
	paymentTimeout time.Duration
}

// handler returns what handles the queue of a sale. Any of its tickets can come again,
// after a crash at any point:
//
//	before the COMMIT           nothing was done
//	after it, before the gate   the ends are found in SQL, and told to the gate
//	after the gate              the tickets have ended, and are only acknowledged
func (s *consumer) handler(id int64) mq.Handler {
	return func(ctx context.Context, messages []mq.Message) []mq.Outcome {
		outcomes := make([]mq.Outcome, len(messages))
		var batch []claimed
		for i, m := range messages {
			ticket, err := gate.TicketOf(m)
			if err != nil {
				outcomes[i] = mq.Dead(err)
				continue
			}
			batch = append(batch, claimed{i, ticket, m.Attempts})
		}
		for i, outcome := range s.handle(ctx, id, batch) {
			outcomes[batch[i].index] = outcome
		}
		return outcomes
	}
}

// claimed is one ticket of a batch.
type claimed struct {
	index    int
	ticket   gate.Ticket
	attempts int
}

// handle makes a batch into orders. When something in it is at fault, each ticket is
// tried by itself, so that one holds up none of the others.
func (s *consumer) handle(ctx context.Context, id int64, batch []claimed) []mq.Outcome {
	if len(batch) == 0 {
		return nil
	}
	err := s.makeOrders(ctx, id, batch)
	if err == nil {
		return repeat(mq.Done(), len(batch))
	}
	if isTransient(ctx, err) {
		s.putBack(ctx, id, batch, gate.Queued)
		return repeat(mq.Postpone(err, transientPause), len(batch))
	}
	if len(batch) == 1 {
		return []mq.Outcome{s.failed(ctx, id, batch, err)}
	}
	outcomes := make([]mq.Outcome, 0, len(batch))
	for i := range batch {
		outcomes = append(outcomes, s.handle(ctx, id, batch[i:i+1])...)
	}
	return outcomes
}

func repeat(outcome mq.Outcome, n int) []mq.Outcome {
	outcomes := make([]mq.Outcome, n)
	for i := range outcomes {
		outcomes[i] = outcome
	}
	return outcomes
}

// failed answers for a ticket that failed by itself. The consumer buries a message at the same
// attempt; the gate must have heard of it before.
func (s *consumer) failed(ctx context.Context, id int64, one []claimed, err error) mq.Outcome {
	if one[0].attempts+1 >= maxAttempts {
		s.putBack(ctx, id, one, gate.Buried)
		return mq.Dead(err)
	}
	s.putBack(ctx, id, one, gate.Queued)
	return mq.Retry(err, 0)
}

// putBack moves tickets that were worked on back to the queued, or to the dead. Should the
// gate be unreachable, they are counted as processing until they come again.
func (s *consumer) putBack(ctx context.Context, id int64, batch []claimed, to gate.State) {
	ctx = context.WithoutCancel(ctx)
	stock, err := stockOf(s.db.Read(ctx), id)
	if err != nil || stock == nil {
		return
	}
	steps := make([]gate.Step, len(batch))
	for i, c := range batch {
		steps[i] = gate.Step{Ticket: c.ticket.ID, From: []gate.State{gate.Processing, gate.Queued}, To: to}
	}
	_, _ = s.gate.Move(ctx, stock.ref(), steps)
}

// makeOrders makes each ticket of a batch that has not ended an order, or rejects it, in
// one unit, and then tells the gate.
func (s *consumer) makeOrders(ctx context.Context, id int64, batch []claimed) error {
	var made *batchOfOrders
	err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		sale, err := s.Sale(ctx, id)
		if err != nil {
			return err
		}
		if ctx, err = s.inventory.Lock(ctx, u, consumerLockWait, sale.SKU); err != nil {
			return err
		}
		made = &batchOfOrders{consumer: s, sale: sale}
		return made.make(ctx, u, batch)
	})
	if err != nil {
		return err
	}
	s.countEnds(ctx, made)
	if len(made.ends) == 0 {
		return nil
	}
	if _, err := s.gate.Move(ctx, made.stock.ref(), made.ends); err != nil && !errors.Is(err, gate.ErrNoGate) {
		// Everything is committed. The tickets come again, and the gate is told then.
		return unreachable(fmt.Errorf("tell the gate how tickets ended: %w", err))
	}
	return nil
}

// countEnds counts what a batch committed.
func (s *consumer) countEnds(ctx context.Context, made *batchOfOrders) {
	for _, order := range made.fresh {
		s.metrics.confirmed.Add(float64(order.Units))
	}
	lost := 0
	for _, r := range made.rejected {
		s.metrics.rejected.WithLabelValues(r.Reason).Add(float64(r.Units))
		if r.Reason == reasonLost {
			lost++
		}
	}
	if lost > 0 {
		s.countLost(ctx, made.sale.ID, lost)
	}
}

// batchOfOrders is one batch on its way. The unit has the lock of the item's stock.
type batchOfOrders struct {
	*consumer
	sale  *Sale
	stock *Stock
	// fresh are the tickets that become orders in this unit, rejected those that end
	// without one, and ends are what the gate is told of all that have ended, also before.
	fresh    []orders.SaleTicket
	rejected []Rejection
	ends     []gate.Step
}

// make ends the tickets. The facts that it decides by are read after the version of the
// sale's units, and the unit goes through only under that version: whatever could have
// changed them, an order that was cancelled or a ticket that was rejected, bumps it.
func (b *batchOfOrders) make(ctx context.Context, u *uow.Unit, batch []claimed) error {
	var err error
	if b.stock, err = stockOf(b.db.Read(ctx), b.sale.ID); err != nil {
		return err
	}
	if b.stock == nil {
		return fmt.Errorf("%s has tickets and no units", b.sale.Label())
	}
	tickets, err := b.begin(ctx, batch)
	if err != nil || len(tickets) == 0 {
		return err
	}
	facts, err := b.read(ctx, tickets)
	if err != nil {
		return err
	}
	for _, t := range tickets {
		b.decide(facts, t)
	}
	return b.commit(ctx, u)
}

// begun is a ticket that has not ended as far as the gate knows.
type begun struct {
	gate.Ticket
	// known is false when the gate does not know it: it was lost with its store.
	known bool
}

// begin tells the gate that the tickets are being worked on, and returns those that have
// not ended.
func (b *batchOfOrders) begin(ctx context.Context, batch []claimed) ([]begun, error) {
	steps := make([]gate.Step, len(batch))
	for i, c := range batch {
		steps[i] = gate.Step{Ticket: c.ticket.ID, From: []gate.State{gate.Queued, gate.Buried}, To: gate.Processing}
	}
	moved, err := b.gate.Move(ctx, b.stock.ref(), steps)
	if err != nil {
		return nil, unreachable(err)
	}
	tickets := make([]begun, 0, len(batch))
	for i, m := range moved {
		switch {
		case m.Ticket == nil:
			tickets = append(tickets, begun{batch[i].ticket, false})
		case !m.Ticket.State.HasEnded():
			tickets = append(tickets, begun{*m.Ticket, true})
		}
	}
	return tickets, nil
}

// facts are what SQL knows of tickets and their customers.
type facts struct {
	orders   map[string]orders.SaleOrder
	rejected map[string]Rejection
	// held is how many units a customer has in live orders of the sale.
	held map[principal.CustomerID]int64
	// free is how many allotted units are in no order.
	free, limit int64
}

// read reads the facts, also of tickets that have ended, which a crash can leave in the
// queue:
//
//	SELECT … FROM orders … WHERE tenant_id = ? AND sale_id = ? AND user_id IN (…)
//	SELECT … FROM flash_sale_rejections WHERE tenant_id = ? AND ticket IN (…)
//
// The second one is left out as long as the sale has rejected nobody.
func (b *batchOfOrders) read(ctx context.Context, tickets []begun) (*facts, error) {
	f := &facts{
		orders: make(map[string]orders.SaleOrder), held: make(map[principal.CustomerID]int64),
		free: b.stock.Allotted - b.stock.Sold, limit: b.sale.PerUserLimit,
	}
	ids, users := make([]string, len(tickets)), make(map[principal.CustomerID]bool, len(tickets))
	for i, t := range tickets {
		ids[i], users[principal.CustomerID(t.User)] = t.ID, true
	}
	placed, err := b.orders.OfCustomers(ctx, b.sale.ID, slices.Sorted(maps.Keys(users)))
	if err != nil {
		return nil, err
	}
	for _, order := range placed {
		f.orders[order.Ticket] = order
		if order.Live {
			f.held[order.UserID] += order.Units
		}
	}
	if b.stock.Rejected > 0 {
		f.rejected, err = rejectionsOf(b.db.Read(ctx), ids)
	}
	return f, err
}

// decide ends one ticket.
func (b *batchOfOrders) decide(f *facts, t begun) {
	user := principal.CustomerID(t.User)
	order, ordered := f.orders[t.ID]
	before, rejected := f.rejected[t.ID]
	switch {
	case ordered:
		b.ends = append(b.ends, endOf(order))
	case rejected:
		b.ends = append(b.ends, before.step())
	case !t.known:
		// Its customer may have been told so already.
		b.reject(t, reasonLost)
	case f.held[user]+t.Units > f.limit:
		b.reject(t, reasonLimit)
	case t.Units > f.free:
		b.reject(t, reasonSoldOut)
	default:
		f.held[user] += t.Units
		f.free -= t.Units
		b.fresh = append(b.fresh, orders.SaleTicket{Ticket: t.ID, UserID: user, Units: t.Units})
	}
}

func (b *batchOfOrders) reject(t begun, reason string) {
	r := rejectionOf(t.Ticket, reason)
	b.rejected, b.ends = append(b.rejected, r), append(b.ends, r.step())
}

// endOf tells the gate of a ticket that is an order.
func endOf(order orders.SaleOrder) gate.Step {
	step := gate.Step{Ticket: order.Ticket, From: gate.InFlight, To: gate.Confirmed, OrderID: order.ID, OrderNo: order.OrderNo}
	if !order.Live {
		step.To = gate.Cancelled
	}
	return step
}

// commit places the orders, records the rejections and moves the units, in the unit:
//
//	UPDATE flash_sale_stocks SET sold = ?, rejected = ?, version = version + 1 WHERE … AND version = ?
//	INSERT INTO orders … (many)
//	the pieces pass from the sale's holder to the orders'
//	INSERT INTO flash_sale_rejections … (many)
func (b *batchOfOrders) commit(ctx context.Context, u *uow.Unit) error {
	if len(b.fresh)+len(b.rejected) == 0 {
		return nil
	}
	var units int64
	for _, ticket := range b.fresh {
		units += ticket.Units
	}
	set := guard.Set{"sold": b.stock.Sold + units, "rejected": b.stock.Rejected + int64(len(b.rejected))}
	if err := guard.Update[Stock](ctx, guard.Deferred(u), b.stock.Ref(), set); err != nil {
		return overtakenIfStale(err, "sell units")
	}
	if err := b.place(ctx, u); err != nil {
		return err
	}
	if len(b.rejected) > 0 {
		b.announceEnds(u, b.sale)
	}
	if err := insertRejections(ctx, u, b.sale.ID, b.rejected); err != nil {
		return err
	}
	detail := map[string]any{"orders": len(b.fresh), "units": units}
	if len(b.rejected) > 0 {
		detail["rejected"] = len(b.rejected)
	}
	u.Audit(uow.Entry{Action: "flash_sale.confirm", Resource: Topic + "/" + strconv.FormatInt(b.sale.ID, 10), Detail: detail})
	return nil
}

func (b *batchOfOrders) place(ctx context.Context, u *uow.Unit) error {
	if len(b.fresh) == 0 {
		return nil
	}
	placed, err := b.orders.PlaceMany(ctx, u, orders.SaleLot{
		Sale: b.sale.ID, SKU: b.sale.SKU, Name: b.sale.ItemName, Price: b.sale.Price, PaymentDue: u.Now().Add(b.paymentTimeout),
	}, b.fresh)
	if err != nil {
		return err
	}
	shares := make(map[string]int64, len(placed))
	for _, order := range placed {
		shares[order.Holder] = order.Units
		b.ends = append(b.ends, endOf(order))
	}
	return b.inventory.TransferHold(ctx, u, b.sale.SKU, b.sale.holder(), shares)
}
