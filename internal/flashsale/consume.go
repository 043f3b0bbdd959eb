package flashsale

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"interlock/internal/apperr"
	"interlock/internal/guard"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/storage"
	"interlock/internal/uow"
)

const (
	// pauseWhenAway is how long tickets wait when something that they need is away.
	pauseWhenAway = 300 * time.Millisecond
	// consumerPatience is how long a batch waits for the item's stock.
	consumerPatience = 10 * time.Second
	reasonSoldOut    = "sold_out"
)

// handler returns what handles the queue of a sale. Any of its tickets can come again,
// after a crash at any point:
//
//	before the COMMIT           nothing was done
//	after it, before the gate   the orders are found by their tickets, and settled
//	after the gate              the tickets have ended, and are only acknowledged
func (s *Service) handler(id int64) mq.Handler {
	return func(ctx context.Context, messages []mq.Message) []mq.Outcome {
		outcomes := make([]mq.Outcome, len(messages))
		var batch []asked
		for i, m := range messages {
			l, err := letterOf(m)
			if err != nil {
				outcomes[i] = mq.Dead(err)
				continue
			}
			batch = append(batch, asked{i, Order{Ticket: m.ID, User: l.User, Units: l.Units}, m})
		}
		for i, outcome := range s.handle(ctx, id, batch) {
			outcomes[batch[i].index] = outcome
		}
		return outcomes
	}
}

// asked is one ticket of a batch.
type asked struct {
	index   int
	ticket  Order
	message mq.Message
}

// handle makes a batch into orders. When something in it is at fault, each ticket is
// tried by itself, so that one holds up none of the others.
func (s *Service) handle(ctx context.Context, id int64, batch []asked) []mq.Outcome {
	if len(batch) == 0 {
		return nil
	}
	err := s.makeOrders(ctx, id, batch)
	if err == nil {
		return repeat(mq.Done(), len(batch))
	}
	if isAway(ctx, err) {
		s.requeue(ctx, id, batch, Queued)
		return repeat(mq.Postpone(err, pauseWhenAway), len(batch))
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

// maxAttempts is how many failures bury a ticket.
const maxAttempts = 5

// failed answers for a ticket that failed by itself.
func (s *Service) failed(ctx context.Context, id int64, one []asked, err error) mq.Outcome {
	if one[0].message.Attempts+1 >= maxAttempts {
		s.requeue(ctx, id, one, Buried)
		return mq.Dead(err)
	}
	s.requeue(ctx, id, one, Queued)
	return mq.Retry(err, 0)
}

// isAway reports whether an error says that something was out of reach or busy, which
// is no fault of a ticket's.
func isAway(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, ErrNoGate) || errors.Is(err, errGateAway) ||
		errors.Is(err, lock.ErrNotAcquired) || errors.Is(err, lock.ErrLost) || errors.Is(err, lock.ErrUnavailable) ||
		apperr.Has(err, apperr.Unavailable) || apperr.Has(err, apperr.OutcomeUnknown) ||
		storage.Is(err, storage.ConnectionLost, storage.Unavailable, storage.ReadOnly, storage.LockTimeout, storage.WriteConflict) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// errGateAway marks errors of the gate's store.
var errGateAway = errors.New("flashsale: the gate cannot be reached")

func away(err error) error {
	if err == nil || errors.Is(err, ErrNoGate) {
		return err
	}
	return errors.Join(errGateAway, err)
}

// requeue moves tickets that are being worked on back, or to the dead. Should the gate
// be away, they are counted as processing until they come again.
func (s *Service) requeue(ctx context.Context, id int64, batch []asked, to State) {
	ctx = context.WithoutCancel(ctx)
	stock, err := stockOf(s.db.Read(ctx), id)
	if err != nil || stock == nil {
		return
	}
	steps := make([]Step, len(batch))
	for i, a := range batch {
		steps[i] = Step{Ticket: a.ticket.Ticket, From: []State{Processing, Queued}, To: to}
	}
	_, _ = s.gate.Move(ctx, id, stock.Epoch, steps)
}

// makeOrders makes an order of each ticket of a batch that has none, in one unit, and
// settles the tickets with the gate.
func (s *Service) makeOrders(ctx context.Context, id int64, batch []asked) error {
	var settled []Step
	var epoch int64
	runs := 0
	err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		sale, err := s.Sale(ctx, id)
		if err != nil {
			return err
		}
		if ctx, err = s.stock.Lock(ctx, u, consumerPatience, sale.SKU); err != nil {
			return err
		}
		runs++
		b := &makingOf{Service: s, sale: sale, again: runs > 1}
		settled, err = b.make(ctx, u, batch)
		epoch = b.epoch
		return err
	})
	if err != nil || len(settled) == 0 {
		return err
	}
	if _, err := s.gate.Move(ctx, id, epoch, settled); err != nil && !errors.Is(err, ErrNoGate) {
		// Everything is committed. The tickets come again and are settled then.
		return away(fmt.Errorf("settle tickets: %w", err))
	}
	s.count(batch, settled)
	return nil
}

func (s *Service) count(batch []asked, settled []Step) {
	units := make(map[string]int64, len(batch))
	for _, a := range batch {
		units[a.ticket.Ticket] = a.ticket.Units
	}
	for _, step := range settled {
		switch step.To {
		case Confirmed:
			s.metrics.confirmed.Add(float64(units[step.Ticket]))
		case Rejected:
			s.metrics.rejected.WithLabelValues(step.Reason).Add(float64(units[step.Ticket]))
		}
	}
}

// makingOf is one batch on its way. The unit has the lock of the item's stock.
type makingOf struct {
	*Service
	sale  *Sale
	epoch int64
	// again is whether an earlier run of the unit was undone, as one that met a ticket
	// which has its order already.
	again bool
}

// make returns how the tickets are to be settled once the unit is committed.
func (b *makingOf) make(ctx context.Context, u *uow.Unit, batch []asked) ([]Step, error) {
	stock, err := stockOf(b.db.Read(ctx), b.sale.ID)
	if err != nil {
		return nil, err
	}
	if stock == nil {
		return nil, fmt.Errorf("%s has tickets and no units", b.sale.Label())
	}
	b.epoch = stock.Epoch
	tickets, err := b.begin(ctx, batch)
	if err != nil || len(tickets) == 0 {
		return nil, err
	}
	made, err := b.made(ctx, stock, tickets)
	if err != nil {
		return nil, err
	}
	var settled []Step
	var fresh []Order
	free := stock.Allotted - stock.Sold
	for _, t := range tickets {
		order, there := made[t.Ticket]
		switch {
		case there:
			settled = append(settled, settlement(order))
		case t.Units > free:
			settled = append(settled, rejection(t.Ticket, reasonSoldOut))
		default:
			fresh = append(fresh, t)
			free -= t.Units
		}
	}
	placed, err := b.place(ctx, u, stock, fresh)
	if err != nil {
		return nil, err
	}
	for _, order := range placed {
		settled = append(settled, settlement(order))
	}
	return settled, nil
}

// made returns the orders that tickets have already, which a crash can leave. It asks
// only when an answer is needed: as long as all of them fit, the unique ticket tells an
// order that is there from one that is not, and the unit is run again.
func (b *makingOf) made(ctx context.Context, stock *Stock, tickets []Order) (map[string]Order, error) {
	ids := make([]string, len(tickets))
	free := stock.Allotted - stock.Sold
	for i, t := range tickets {
		ids[i] = t.Ticket
		free -= t.Units
	}
	if free >= 0 && !b.again {
		return nil, nil
	}
	return b.orders.OfTickets(ctx, b.sale.ID, ids)
}

func settlement(order Order) Step {
	step := Step{Ticket: order.Ticket, From: []State{Queued, Processing, Buried}, To: Confirmed, OrderID: order.ID, OrderNo: order.Number}
	if !order.Live {
		step.To = Cancelled
	}
	return step
}

func rejection(ticket, reason string) Step {
	return Step{Ticket: ticket, From: []State{Queued, Processing, Buried}, To: Rejected, Reason: reason}
}

// begin tells the gate that the tickets are being worked on, and returns those that
// have not ended. A ticket that the gate does not know was lost with its store, and its
// customer may have been told so: nothing is made of it.
func (b *makingOf) begin(ctx context.Context, batch []asked) ([]Order, error) {
	steps := make([]Step, len(batch))
	for i, a := range batch {
		steps[i] = Step{Ticket: a.ticket.Ticket, From: []State{Queued, Buried}, To: Processing}
	}
	known, err := b.gate.Move(ctx, b.sale.ID, b.epoch, steps)
	if err != nil {
		return nil, away(err)
	}
	begun := make([]Order, 0, len(batch))
	for i, t := range known {
		if t != nil && t.State == Processing {
			ticket := batch[i].ticket
			ticket.User, ticket.Units = t.User, t.Units
			begun = append(begun, ticket)
		}
	}
	return begun, nil
}

// place places the orders and moves their units, in the unit:
//
//	INSERT INTO orders … (many)
//	UPDATE flash_sale_stocks SET sold = sold + n … WHERE … AND sold + n <= allotted
//	the pieces pass from the sale's holder to the orders'
func (b *makingOf) place(ctx context.Context, u *uow.Unit, stock *Stock, fresh []Order) ([]Order, error) {
	if len(fresh) == 0 {
		return nil, nil
	}
	placed, err := b.orders.PlaceMany(ctx, u, Lot{
		Sale: b.sale.ID, SKU: b.sale.SKU, Name: b.sale.ItemName, Price: b.sale.Price, PaymentDue: u.Now().Add(b.paymentTimeout),
	}, fresh)
	if err != nil {
		return nil, err
	}
	var units int64
	shares := make(map[string]int64, len(placed))
	for _, order := range placed {
		units += order.Units
		shares[order.Holder] = order.Units
	}
	err = sell(ctx, u, stock, units)
	if errors.Is(err, guard.ErrRefused) {
		// Somebody sold them although we have the lock: look again.
		return nil, uow.Again(fmt.Errorf("sell %d units: %w", units, err))
	}
	if err != nil {
		return nil, fmt.Errorf("sell %d units: %w", units, err)
	}
	if err := b.stock.Pass(ctx, u, b.sale.SKU, b.sale.holder(), shares); err != nil {
		return nil, err
	}
	u.Audit(uow.Entry{
		Action: "flash_sale.confirm", Resource: Topic + "/" + strconv.FormatInt(b.sale.ID, 10),
		Detail: map[string]any{"orders": len(placed), "units": units},
	})
	return placed, nil
}
