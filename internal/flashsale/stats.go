package flashsale

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/events"
	"interlock/internal/flashsale/gate"
)

// Stats are a sale's numbers, in units, all at the same time except the age.
type Stats struct {
	gate.Counts
	// `allotted == remaining + queued + processing + dead + confirmed`
	Balanced bool `json:"balanced"`
	// The age of the ticket at the head of the queue.
	OldestQueuedSeconds float64 `json:"oldestQueuedSeconds" validate:"min=0"`
	// Accepted tickets that were lost with the gate's store, for example by a Redis restored to an
	// older state: those that customers, the queue or the reconciler have detected. Each is
	// `rejected`, with the reason `lost`.
	Lost int64 `json:"lost" validate:"min=0"`
}

// Stats returns a sale's numbers. The numbers of a finished sale come from SQL and, as long as it
// has them, from the gate's store. Errors: Unavailable, also during a rebuild of the gate.
func (s *core) Stats(ctx context.Context, sale *Sale) (Stats, error) {
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil {
		return Stats{}, err
	}
	if stock == nil {
		return Stats{Balanced: true}, nil
	}
	counts, err := s.gate.Counts(ctx, sale.ID)
	if err == nil && counts.Epoch < stock.Epoch {
		err = gate.ErrNoGate
	}
	if errors.Is(err, gate.ErrNoGate) && stock.Finished {
		counts, err = gate.Counts{}, nil
	}
	if err != nil {
		s.wakeWorker()
		return Stats{}, gateError(err)
	}
	if stock.Finished {
		// In-flight numbers of the gate's store come from a restored older state.
		counts = gate.Counts{
			Allotted: stock.Allotted, Confirmed: stock.Sold, Rejected: counts.Rejected, Returned: counts.Returned, Refusals: counts.Refusals,
		}
	}
	return s.statsOf(ctx, stock, counts)
}

func (s *core) statsOf(ctx context.Context, stock *Stock, counts gate.Counts) (Stats, error) {
	stats := Stats{Counts: counts, Balanced: counts.Balanced()}
	if counts.Waiting > 0 {
		queue, err := s.queues.Queue(gate.QueueName(stock.SaleID)).Stats(ctx)
		if err != nil {
			return Stats{}, unavailable(err)
		}
		stats.OldestQueuedSeconds = queue.OldestAge.Seconds()
	}
	if stock.Rejected > 0 {
		err := s.db.Read(ctx).Model(&Rejection{}).Where("sale_id = ? AND reason = ?", stock.SaleID, reasonLost).Count(&stats.Lost).Error
		if err != nil {
			return Stats{}, fmt.Errorf("count lost tickets: %w", err)
		}
	}
	return stats, nil
}

// publish sends a sale's numbers to observers.
func (s *worker) publish(ctx context.Context, sale *Sale, stats Stats) {
	caller, _ := principal.From(ctx)
	event, err := events.Change{
		Version: sale.Version, ETag: sale.Ref().ETag(), Action: statsAction, By: caller.Person(), Time: s.clock.Now(),
		Status: Machine.Of(sale.Status).Name, Label: sale.Name, Detail: stats,
	}.Event(sale.TenantID, Topic, strconv.FormatInt(sale.ID, 10))
	if err == nil {
		event.ID = "" // the next numbers replace missed ones
		err = s.bus.Publish(ctx, event)
	}
	if err != nil {
		slog.WarnContext(ctx, "flash sale: stats announcement failed", "sale", sale.ID, "error", err)
	}
}

// statsAction is the action of events with numbers and without a change.
const statsAction = "stats"
