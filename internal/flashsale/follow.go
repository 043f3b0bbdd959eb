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

// maxTogether bounds the number of lookups that share statements.
const maxTogether = 256

// lookups batches customers' lookups of the tickets of one sale.
type lookups struct {
	// ended finds tickets in SQL; nil for unsettled tickets.
	ended *batcher.Batcher[string, *gate.Ticket]
	// lost records tickets that neither SQL nor the gate has.
	lost *batcher.Batcher[gate.Ticket, gate.Ticket]
}

func (s *purchases) lookupsOf(sale int64) *lookups {
	if known, ok := s.lookups.Load(sale); ok {
		return known.(*lookups)
	}
	l := &lookups{
		ended: batcher.New(maxTogether, func(ctx context.Context, ids []string) ([]*gate.Ticket, error) {
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
		lost: batcher.New(maxTogether, func(ctx context.Context, tickets []gate.Ticket) ([]gate.Ticket, error) {
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

// unique removes duplicate tickets: a customer may send concurrent lookups.
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

// Follow returns a ticket of a customer; with user "", of any customer. It queries SQL first: a
// ticket that is settled in SQL stays settled, even if the gate's store was restored to an older
// state with the ticket queued. A genuine ticket that neither SQL nor the gate has was lost; Follow
// records the loss before it reports it. Errors: NotFound; Unavailable.
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

// find reads a ticket from SQL and then from the gate; nil if neither has it.
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
		// SQL is written before the gate: the ticket was settled since the query, or SQL went back
		// in time.
		return s.lookupsOf(snap.sale.ID).ended.Do(ctx, ticket)
	}
	return found, nil
}

// findInNextEpoch queries the gate of the sale's new epoch. A ticket that this gate does not have
// may have been settled since the SQL query.
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

// lookupError is the error for a lookup that cannot be done now, whatever the cause.
func lookupError(err error) error {
	if errors.Is(err, lock.ErrNotAcquired) || apperr.Has(err, apperr.ResourceLocked) || errors.Is(err, batcher.ErrNotFlushed) {
		return unavailable(err)
	}
	return gateError(err)
}

// ticketOf returns the ticket of an order, in the form of the gate.
func ticketOf(o orders.SaleOrder) gate.Ticket {
	t := gate.Ticket{
		ID: o.Ticket, User: string(o.UserID), Units: o.Units, State: gate.Confirmed, AcceptedTime: o.CreatedTime, OrderID: o.ID, OrderNo: o.OrderNo,
	}
	if !o.Live {
		t.State = gate.Cancelled
	}
	return t
}

// Waiting returns a ticket of the caller's tenant that has no order, or none yet, and its sale; nil
// if it is not found. It matches complete tickets only, and skips gates that cannot be reached.
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
	err = s.db.Read(ctx).Where("finished = ?", false).Order("sale_id DESC").Limit(searchedGates).Find(&stocks).Error
	if err != nil {
		return nil, nil, fmt.Errorf("find the sales of a ticket: %w", err)
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

// searchedGates bounds the number of sales that are searched for a ticket.
const searchedGates = 20

func missingTicket(ticket string) *apperr.Error { return apperr.MissingRow("ticket", ticket) }
