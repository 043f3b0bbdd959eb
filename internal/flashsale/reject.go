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

// Why a ticket was rejected.
const (
	reasonSoldOut = "sold_out"
	// reasonLimit: the customer holds as much as one may. The gate had forgotten it.
	reasonLimit = "limit"
	// reasonLost: the gate's store has lost it before it became an order.
	reasonLost = "lost"
	// reasonDiscarded: it failed again and again, and somebody gave it up.
	reasonDiscarded = "discarded"
)

// Rejection is a ticket that ended without an order.
type Rejection struct {
	TenantID int64  `gorm:"primaryKey;autoIncrement:false"`
	Ticket   string `gorm:"primaryKey"`
	SaleID   int64
	UserID   string
	// Units is 0 when the ticket was lost and nobody knows how many it was for.
	Units       int64
	Reason      string
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (Rejection) TableName() string { return "flash_sale_rejections" }

// ticket is a rejection as the gate knows it.
func (r Rejection) ticket() gate.Ticket {
	return gate.Ticket{ID: r.Ticket, User: r.UserID, Units: r.Units, State: gate.Rejected, AcceptedTime: r.CreatedTime, Reason: r.Reason}
}

// step tells the gate of a rejection.
func (r Rejection) step() gate.Step {
	return gate.Step{Ticket: r.Ticket, From: gate.InFlight, To: gate.Rejected, Reason: r.Reason}
}

func rejectionOf(t gate.Ticket, reason string) Rejection {
	return Rejection{Ticket: t.ID, UserID: t.User, Units: t.Units, Reason: reason}
}

// rejectionsOf returns those of some tickets that were rejected, by ticket.
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

// eachRejection calls fn with all rejections of a sale, some thousand at a time.
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

// insertRejections records the ends of tickets, in the unit that has bumped the version of
// the sale's units.
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

// ticketEnds finds and records how tickets ended.
type ticketEnds struct{ *core }

// announceEnds has every process read the sale again.
func (s *ticketEnds) announceEnds(u *uow.Unit, sale *Sale) {
	u.AfterCommit(func(context.Context) { s.forget(sale.ID) })
	change.Announce(u, s.bus, Topic, strconv.FormatInt(sale.ID, 10), events.Change{
		Version: sale.Version, ETag: sale.Ref().ETag(), Action: "reject", Status: Machine.Of(sale.Status).Name, Label: sale.Name,
	})
}

// recordLost rejects tickets that the gate does not know, but for those that it knows by
// now or that ended meanwhile, and returns what became of each. From then on a batch that
// still has the message of one, and commands that come late, make nothing of it.
//
// Errors: lock.ErrNotAcquired when the item's stock was not had in time.
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
		slog.WarnContext(ctx, "the gate has not heard of lost tickets and will be told again", "sale", id, "error", err)
	}
	return ends, nil
}

// countLost tells operators what its customers are told.
func (s *ticketEnds) countLost(ctx context.Context, sale int64, tickets int) {
	s.metrics.lost.Add(float64(tickets))
	slog.WarnContext(ctx, "tickets that had been accepted were lost with the gate's store; their customers are told", "sale", sale, "tickets", tickets)
}

// locate returns those of the tickets that SQL knows, or the gate as not confirmed: what is
// confirmed is in SQL, or SQL has lost it.
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

// ended returns those of some tickets that have ended, as SQL has them:
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
