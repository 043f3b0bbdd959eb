package flashsale

import (
	"context"
	"errors"
	"log/slog"
	"strconv"

	"interlock/internal/events"
	"interlock/internal/principal"
)

// Stats are a sale's numbers, in units, all of one moment but the age.
type Stats struct {
	Counts
	// Balanced is whether each allotted unit is in exactly one place.
	Balanced bool `json:"balanced"`
	// OldestQueuedSeconds is how long the ticket at the head of the queue has waited.
	OldestQueuedSeconds float64 `json:"oldestQueuedSeconds"`
}

// Stats returns a sale's numbers. Those of a sale that is over and has no gate any more
// are what SQL knows. Errors: NotFound; Unavailable, also while the gate is built.
func (s *Service) Stats(ctx context.Context, id int64) (Stats, error) {
	sale, err := s.Sale(ctx, id)
	if err != nil {
		return Stats{}, err
	}
	stock, err := stockOf(s.db.Read(ctx), id)
	if err != nil {
		return Stats{}, err
	}
	if stock == nil {
		return Stats{Balanced: true}, nil
	}
	counts, err := s.gate.Counts(ctx, id)
	if err == nil && counts.Epoch < stock.Epoch {
		err = ErrNoGate
	}
	if errors.Is(err, ErrNoGate) && isOver(sale, stock) {
		return Stats{Counts: Counts{Allotted: stock.Allotted, Confirmed: stock.Sold}, Balanced: true}, nil
	}
	if err != nil {
		s.look()
		return Stats{}, gateError(err)
	}
	return s.statsOf(ctx, id, counts)
}

func (s *Service) statsOf(ctx context.Context, id int64, counts Counts) (Stats, error) {
	stats := Stats{Counts: counts, Balanced: counts.Balanced()}
	queue, err := s.queues.Queue(QueueName(id)).Stats(ctx)
	if err != nil {
		return Stats{}, unavailable(err)
	}
	stats.OldestQueuedSeconds = queue.OldestAge.Seconds()
	return stats, nil
}

// isOver reports whether nothing can happen to a sale any more: it is closed and what
// was unsold is back in the item's stock.
func isOver(sale *Sale, stock *Stock) bool {
	return sale.Status == closed.Code && stock.Allotted == stock.Sold
}

// publish tells who watches the sales its numbers.
func (s *Service) publish(ctx context.Context, sale *Sale, stats Stats) {
	caller, _ := principal.From(ctx)
	event, err := events.Change{
		Version: sale.Version, ETag: sale.Ref().ETag(), Action: statsAction, By: caller.Person(), Time: s.clock.Now(),
		Status: Machine.Of(sale.Status).Name, Label: sale.Name, Detail: stats,
	}.Event(sale.TenantID, Topic, strconv.FormatInt(sale.ID, 10))
	if err == nil {
		err = s.bus.Publish(ctx, event)
	}
	if err != nil {
		slog.WarnContext(ctx, "a sale's numbers were not announced", "sale", sale.ID, "error", err)
	}
}

// statsAction is the action of events that bring numbers and no change.
const statsAction = "stats"
