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
	// transientPause is the delay of tickets after a transient error.
	transientPause = 300 * time.Millisecond
	// consumerLockWait bounds the wait of a batch for the inventory lock.
	consumerLockWait = 10 * time.Second
	// maxAttempts is the number of failures after which a ticket is dead.
	maxAttempts = 5
)

// consumer turns tickets into orders.
type consumer struct {
	*ticketEnds
	paymentTimeout time.Duration
}

// handler returns the handler of a sale's queue. Any ticket can be redelivered, after a
// crash at any point:
//
//	before the COMMIT           nothing was done
//	after it, before the gate   the results are found in SQL and reported to the gate
//	after the gate              the tickets are settled and only acknowledged
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

// handle turns a batch into orders. After a permanent error it handles each ticket alone,
// so that one failing ticket does not delay the others.
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

// failed returns the outcome of a ticket that failed alone. The consumer makes a message
// dead at the same attempt, so the gate must be updated before.
func (s *consumer) failed(ctx context.Context, id int64, one []claimed, err error) mq.Outcome {
	if one[0].attempts+1 >= maxAttempts {
		s.putBack(ctx, id, one, gate.Buried)
		return mq.Dead(err)
	}
	s.putBack(ctx, id, one, gate.Queued)
	return mq.Retry(err, 0)
}

// putBack moves claimed tickets back to queued, or to dead. If the gate is unreachable,
// they count as processing until they are redelivered.
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

// makeOrders turns each unsettled ticket of a batch into an order, or rejects it, in one
// unit, and then updates the gate.
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
		// The results are committed. The tickets are redelivered, and the gate is updated
		// then.
		return unreachable(fmt.Errorf("report ticket results to the gate: %w", err))
	}
	return nil
}

// countEnds counts the results that a batch committed.
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

// batchOfOrders is a batch in progress. The unit has the inventory lock of the item.
type batchOfOrders struct {
	*consumer
	sale  *Sale
	stock *Stock
	// fresh are the tickets that become orders in this unit; rejected are the tickets that end
	// without one; ends are the gate updates for all settled tickets, including those settled
	// earlier.
	fresh    []orders.SaleTicket
	rejected []Rejection
	ends     []gate.Step
}

// make settles the tickets. It reads its facts after the version of the sale's units, and
// the unit commits only under that version: every change that could affect the facts, a
// cancelled order or a rejected ticket, increments it.
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

// openTicket is a ticket that is not settled in the gate.
type openTicket struct {
	gate.Ticket
	// known is false if the gate does not have the ticket: its store lost it.
	known bool
}

// begin marks the tickets as processing in the gate, and returns those that are not
// settled.
func (b *batchOfOrders) begin(ctx context.Context, batch []claimed) ([]openTicket, error) {
	steps := make([]gate.Step, len(batch))
	for i, c := range batch {
		steps[i] = gate.Step{Ticket: c.ticket.ID, From: []gate.State{gate.Queued, gate.Buried}, To: gate.Processing}
	}
	moved, err := b.gate.Move(ctx, b.stock.ref(), steps)
	if err != nil {
		return nil, unreachable(err)
	}
	tickets := make([]openTicket, 0, len(batch))
	for i, m := range moved {
		switch {
		case m.Ticket == nil:
			tickets = append(tickets, openTicket{batch[i].ticket, false})
		case !m.Ticket.State.HasEnded():
			tickets = append(tickets, openTicket{*m.Ticket, true})
		}
	}
	return tickets, nil
}

// facts are the SQL data about tickets and their customers.
type facts struct {
	orders   map[string]orders.SaleOrder
	rejected map[string]Rejection
	// held is the number of units in live orders of the sale by customer.
	held map[principal.CustomerID]int64
	// free is the number of allotted units without an order.
	free, limit int64
}

// read reads the facts, including the facts about settled tickets, which a crash can leave in the
// queue:
//
//	SELECT … FROM orders … WHERE tenant_id = ? AND sale_id = ? AND user_id IN (…)
//	SELECT … FROM flash_sale_rejections WHERE tenant_id = ? AND ticket IN (…)
//
// It skips the second query as long as the sale has no rejections.
func (b *batchOfOrders) read(ctx context.Context, tickets []openTicket) (*facts, error) {
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

// decide settles one ticket.
func (b *batchOfOrders) decide(f *facts, t openTicket) {
	user := principal.CustomerID(t.User)
	order, ordered := f.orders[t.ID]
	before, rejected := f.rejected[t.ID]
	switch {
	case ordered:
		b.ends = append(b.ends, endOf(order))
	case rejected:
		b.ends = append(b.ends, before.step())
	case !t.known:
		// Follow may already have reported the loss to the customer.
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

func (b *batchOfOrders) reject(t openTicket, reason string) {
	r := rejectionOf(t.Ticket, reason)
	b.rejected, b.ends = append(b.rejected, r), append(b.ends, r.step())
}

// endOf returns the gate update for a ticket with an order.
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
//	the units pass from the sale's holder to the orders' holder
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
