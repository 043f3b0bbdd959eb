package flashsale

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/flashsale/gate"
)

// Reasons of a rejection.
const (
	reasonSoldOut = "sold_out"
	// reasonLimit: the customer has reached the limit, and the gate had lost the customer's units.
	reasonLimit = "limit"
	// reasonLost: the gate's store lost the ticket before it became an order.
	reasonLost = "lost"
	// reasonDiscarded: the ticket failed repeatedly, and a user discarded it.
	reasonDiscarded = "discarded"
)

// Rejection is a ticket that ended without an order.
type Rejection struct {
	TenantID int64  `gorm:"primaryKey;autoIncrement:false"`
	Ticket   string `gorm:"primaryKey"`
	SaleID   int64
	UserID   string
	// Units is 0 if the ticket was lost and its number of units is unknown.
	Units       int64
	Reason      string
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (Rejection) TableName() string { return "flash_sale_rejections" }

// ticket returns the rejection in the form of the gate.
func (r Rejection) ticket() gate.Ticket {
	return gate.Ticket{ID: r.Ticket, User: r.UserID, Units: r.Units, State: gate.Rejected, AcceptedTime: r.CreatedTime, Reason: r.Reason}
}

// step returns the gate update for the rejection.
func (r Rejection) step() gate.Step {
	return gate.Step{Ticket: r.Ticket, From: gate.InFlight, To: gate.Rejected, Reason: r.Reason}
}

func rejectionOf(t gate.Ticket, reason string) Rejection {
	return Rejection{Ticket: t.ID, UserID: t.User, Units: t.Units, Reason: reason}
}

// rejectionsOf returns the rejections of tickets, by ticket.
func rejectionsOf(db *gorm.DB, tickets []string) (map[string]Rejection, error) {
	found := make(map[string]Rejection)
	for part := range slices.Chunk(tickets, 500) {
		var rows []Rejection
		if err := db.Where("ticket IN ?", part).Find(&rows).Error; err != nil {
			return nil, fmt.Errorf("read rejected tickets: %w", err)
		}
		for _, row := range rows {
			found[row.Ticket] = row
		}
	}
	return found, nil
}

// eachRejection calls fn with all rejections of a sale, page by page.
func eachRejection(db *gorm.DB, sale int64, fn func(part []Rejection) error) error {
	const perPage = 2000
	for last, more := "", true; more; {
		var rows []Rejection
		if err := db.Where("sale_id = ? AND ticket > ?", sale, last).Order("ticket").Limit(perPage).Find(&rows).Error; err != nil {
			return fmt.Errorf("read rejected tickets of sale %d: %w", sale, err)
		}
		if more = len(rows) == perPage; len(rows) > 0 {
			last = rows[len(rows)-1].Ticket
			if err := fn(rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// insertRejections records rejections, in the unit that has incremented the version of the
// sale's units.
func insertRejections(ctx context.Context, u *uow.Unit, sale int64, rejected []Rejection) error {
	if len(rejected) == 0 {
		return nil
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	for i := range rejected {
		rejected[i].SaleID, rejected[i].CreatedTime = sale, u.Now()
	}
	if err := tx.CreateInBatches(rejected, 200).Error; err != nil {
		return fmt.Errorf("record rejected tickets: %w", err)
	}
	return nil
}

// ticketEnds finds and records the results of tickets.
type ticketEnds struct{ *core }

// announceEnds makes every process read the sale again.
func (s *ticketEnds) announceEnds(u *uow.Unit, sale *Sale) {
	u.AfterCommit(func(context.Context) { s.forget(sale.ID) })
	change.Announce(u, s.bus, Topic, strconv.FormatInt(sale.ID, 10), events.Change{
		Version: sale.Version, ETag: sale.Ref().ETag(), Action: "reject", Status: Machine.Of(sale.Status).Name, Label: sale.Name,
	})
}

// recordLost rejects tickets that the gate does not have, except those that the gate has by now or
// that were settled since, and returns the result of each. Afterwards a batch with the message of
// such a ticket, and late commands, have no effect.
//
// Errors: lock.ErrNotAcquired if the inventory lock was not acquired in time.
func (s *ticketEnds) recordLost(ctx context.Context, id int64, tickets []gate.Ticket) (map[string]gate.Ticket, error) {
	var ends map[string]gate.Ticket
	var lost []Rejection
	err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		sale, err := s.Sale(ctx, id)
		if err != nil {
			return err
		}
		if ctx, err = s.inventory.Lock(ctx, u, lockWait, sale.SKU); err != nil {
			return err
		}
		stock, err := stockOf(s.db.Read(ctx), id)
		if err != nil {
			return err
		}
		if ends, err = s.locate(ctx, sale, stock, tickets); err != nil {
			return err
		}
		lost = nil
		for _, t := range tickets {
			if _, known := ends[t.ID]; !known {
				lost = append(lost, rejectionOf(t, reasonLost))
			}
		}
		if len(lost) == 0 {
			return nil
		}
		if err := guard.Update[Stock](ctx, u, stock.Ref(), guard.Set{"rejected": stock.Rejected + int64(len(lost))}); err != nil {
			return overtakenIfStale(err, "record lost tickets")
		}
		u.Audit(uow.Entry{
			Action: "flash_sale.lose", Resource: Topic + "/" + strconv.FormatInt(id, 10), Detail: map[string]any{"tickets": len(lost)},
		})
		s.announceEnds(u, sale)
		return insertRejections(ctx, u, id, lost)
	})
	if err != nil || len(lost) == 0 {
		return ends, err
	}
	s.countLost(ctx, id, len(lost))
	stock, err := stockOf(s.db.Read(ctx), id)
	if err != nil {
		return nil, err
	}
	adopted := make([]gate.Ticket, len(lost))
	for i, r := range lost {
		adopted[i] = r.ticket()
		ends[r.Ticket] = adopted[i]
	}
	if _, err := s.gate.Adopt(ctx, stock.ref(), adopted); err != nil {
		slog.WarnContext(ctx, "flash sale: gate update for lost tickets failed; the reconciler will retry", "sale", id, "error", err)
	}
	return ends, nil
}

// countLost reports lost tickets to operators.
func (s *ticketEnds) countLost(ctx context.Context, sale int64, tickets int) {
	s.metrics.lost.Add(float64(tickets))
	slog.WarnContext(ctx, "flash sale: tickets lost with the gate's store; rejected", "sale", sale, "tickets", tickets)
}

// locate returns the tickets that SQL has, or that the gate has as not confirmed: a
// confirmed ticket is in SQL, or SQL has lost it.
func (s *ticketEnds) locate(ctx context.Context, sale *Sale, stock *Stock, tickets []gate.Ticket) (map[string]gate.Ticket, error) {
	ids := make([]string, len(tickets))
	for i, t := range tickets {
		ids[i] = t.ID
	}
	known, err := s.ended(ctx, sale.ID, ids)
	if err != nil || stock.Finished {
		return known, err
	}
	reading := make([]gate.Step, len(ids))
	for i, id := range ids {
		reading[i] = gate.Step{Ticket: id, To: gate.Queued}
	}
	read, err := s.gate.Move(ctx, stock.ref(), reading)
	if err != nil {
		return nil, unreachable(err)
	}
	for _, m := range read {
		if m.Ticket == nil || m.Ticket.State == gate.Confirmed {
			continue
		}
		if _, has := known[m.Ticket.ID]; !has {
			known[m.Ticket.ID] = *m.Ticket
		}
	}
	return known, nil
}

// ended returns the settled tickets among tickets, from SQL:
//
//	SELECT … FROM orders … WHERE tenant_id = ? AND sale_id = ? AND ticket IN (…)
//	SELECT … FROM flash_sale_rejections WHERE tenant_id = ? AND ticket IN (…)
func (s *ticketEnds) ended(ctx context.Context, sale int64, tickets []string) (map[string]gate.Ticket, error) {
	placed, err := s.orders.OfTickets(ctx, sale, tickets)
	if err != nil {
		return nil, err
	}
	rejected, err := rejectionsOf(s.db.Read(ctx), tickets)
	if err != nil {
		return nil, err
	}
	ends := make(map[string]gate.Ticket, len(placed)+len(rejected))
	for ticket, order := range placed {
		ends[ticket] = ticketOf(order)
	}
	for ticket, r := range rejected {
		if r.SaleID == sale {
			ends[ticket] = r.ticket()
		}
	}
	return ends, nil
}
