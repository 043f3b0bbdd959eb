package flashsale

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/base/apperr"
	"interlock/internal/base/batcher"
	"interlock/internal/flashsale/gate"
	"interlock/internal/lock"
	"interlock/internal/orders"
)

// mostTogether bounds how many lookups share their statements.
const mostTogether = 256

// lookups gathers what customers ask of the tickets of one sale.
type lookups struct {
	// ended finds tickets in SQL; nil for those that have not ended.
	ended *batcher.Batcher[string, *gate.Ticket]
	// lost records tickets that nobody knows.
	lost *batcher.Batcher[gate.Ticket, gate.Ticket]
}

func (s *purchases) lookupsOf(sale int64) *lookups {
	if known, ok := s.lookups.Load(sale); ok {
		return known.(*lookups)
	}
	l := &lookups{
		ended: batcher.New(mostTogether, func(ctx context.Context, ids []string) ([]*gate.Ticket, error) {
			ends, err := s.ended(ctx, sale, ids)
			if err != nil {
				return nil, err
			}
			found := make([]*gate.Ticket, len(ids))
			for i, id := range ids {
				if t, ok := ends[id]; ok {
					found[i] = &t
				}
			}
			return found, nil
		}),
		lost: batcher.New(mostTogether, func(ctx context.Context, tickets []gate.Ticket) ([]gate.Ticket, error) {
			ends, err := s.recordLost(asProgram(ctx), sale, unique(tickets))
			if err != nil {
				return nil, err
			}
			found := make([]gate.Ticket, len(tickets))
			for i, t := range tickets {
				found[i] = ends[t.ID]
			}
			return found, nil
		}),
	}
	known, _ := s.lookups.LoadOrStore(sale, l)
	return known.(*lookups)
}

// unique leaves out tickets that are there already: one customer may ask twice at once.
func unique(tickets []gate.Ticket) []gate.Ticket {
	seen := make(map[string]bool, len(tickets))
	var once []gate.Ticket
	for _, t := range tickets {
		if !seen[t.ID] {
			seen[t.ID] = true
			once = append(once, t)
		}
	}
	return once
}

// Follow returns a ticket of a customer; with user "", of any. SQL is asked first: what
// has ended there stays so, also when the gate's store came back older and has it waiting
// still. A ticket that the sale gave out and that neither knows was lost: that is recorded
// before it is said. Errors: NotFound; Unavailable.
func (s *purchases) Follow(ctx context.Context, id int64, user, ticket string) (*gate.Ticket, error) {
	snap, err := s.snapshotOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if snap.stock == nil || !isTicket(ticket) {
		return nil, missingTicket(ticket)
	}
	found, err := s.find(ctx, snap, ticket)
	if err != nil {
		return nil, err
	}
	if found == nil && user != "" && genuine(snap.sale.Secret, user, ticket) {
		end, err := s.lookupsOf(id).lost.Do(ctx, gate.Ticket{ID: ticket, User: user})
		if err != nil {
			return nil, lookupError(err)
		}
		found = &end
	}
	if found == nil || user != "" && found.User != user {
		return nil, missingTicket(ticket)
	}
	return found, nil
}

// find looks for a ticket in SQL and then in the gate; nil when it is in neither.
func (s *purchases) find(ctx context.Context, snap *snapshot, ticket string) (*gate.Ticket, error) {
	ended, err := s.lookupsOf(snap.sale.ID).ended.Do(ctx, ticket)
	if err != nil || ended != nil || snap.stock.Finished {
		return ended, err
	}
	found, err := s.gate.Ticket(ctx, snap.stock.ref(), ticket)
	if errors.Is(err, gate.ErrNoGate) {
		found, err = s.findInNextEpoch(ctx, snap, ticket)
	}
	if err != nil {
		s.forget(snap.sale.ID)
		s.wakeWorker()
		return nil, lookupError(err)
	}
	if found != nil && found.State == gate.Confirmed {
		// It was in SQL before the gate was told: it ended since SQL was asked, or SQL went back.
		return s.lookupsOf(snap.sale.ID).ended.Do(ctx, ticket)
	}
	return found, nil
}

// findInNextEpoch asks the gate of the epoch that the sale is in by now. A ticket that it
// does not know may have ended since SQL was asked.
func (s *purchases) findInNextEpoch(ctx context.Context, snap *snapshot, ticket string) (*gate.Ticket, error) {
	s.forget(snap.sale.ID)
	fresh, err := s.snapshotOf(ctx, snap.sale.ID)
	if err != nil {
		return nil, err
	}
	if fresh.stock.Epoch == snap.stock.Epoch {
		return nil, gate.ErrNoGate
	}
	return s.gate.Ticket(ctx, fresh.stock.ref(), ticket)
}

// lookupError is what somebody who reads a ticket is told: that it cannot be read now, whatever
// the cause.
func lookupError(err error) error {
	if errors.Is(err, lock.ErrNotAcquired) || apperr.Has(err, apperr.ResourceLocked) || errors.Is(err, batcher.ErrNotFlushed) {
		return unavailable(err)
	}
	return gateError(err)
}

// ticketOf is the ticket of an order, as the gate would know it.
func ticketOf(o orders.SaleOrder) gate.Ticket {
	t := gate.Ticket{
		ID: o.Ticket, User: string(o.UserID), Units: o.Units, State: gate.Confirmed, AcceptedTime: o.CreatedTime, OrderID: o.ID, OrderNo: o.OrderNo,
	}
	if !o.Live {
		t.State = gate.Cancelled
	}
	return t
}

// Waiting returns a ticket of the caller's tenant that is no order, or not yet, and its
// sale; nil when nobody knows it. Tickets are found whole only, and those of a gate that
// cannot be reached not at all.
func (s *purchases) Waiting(ctx context.Context, ticket string) (*gate.Ticket, *Sale, error) {
	if !isTicket(ticket) {
		return nil, nil, nil
	}
	rejected, err := rejectionsOf(s.db.Read(ctx), []string{ticket})
	if err != nil {
		return nil, nil, err
	}
	if r, ok := rejected[ticket]; ok {
		sale, err := s.Sale(ctx, r.SaleID)
		t := r.ticket()
		return &t, sale, err
	}
	var stocks []Stock
	err = s.db.Read(ctx).Where("finished = ?", false).Order("sale_id DESC").Limit(askedGates).Find(&stocks).Error
	if err != nil {
		return nil, nil, fmt.Errorf("look for sales that may know a ticket: %w", err)
	}
	for _, stock := range stocks {
		found, err := s.gate.Ticket(ctx, stock.ref(), ticket)
		if errors.Is(err, gate.ErrNoGate) {
			continue
		}
		if err != nil {
			return nil, nil, nil //nolint:nilerr // the rest of a search is worth having without the gate
		}
		if found != nil {
			sale, err := s.Sale(ctx, stock.SaleID)
			return found, sale, err
		}
	}
	return nil, nil, nil
}

// askedGates bounds how many sales are asked for a ticket.
const askedGates = 20

func missingTicket(ticket string) *apperr.Error { return apperr.MissingRow("ticket", ticket) }
