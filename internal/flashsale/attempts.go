package flashsale

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"interlock/internal/flashsale/gate"
)

// tally counts the purchase attempts of one sale that this process has not reported to the
// gate yet.
type tally struct {
	tenant                                                  int64
	accepted, soldOut, limitReached, saleNotOpen, queueFull atomic.Int64
}

// of returns the counter of a verdict.
func (t *tally) of(v gate.Verdict) *atomic.Int64 {
	switch v {
	case gate.Accepted:
		return &t.accepted
	case gate.SoldOut:
		return &t.soldOut
	case gate.LimitReached:
		return &t.limitReached
	case gate.QueueFull:
		return &t.queueFull
	}
	return &t.saleNotOpen
}

// reset returns the counts and sets the counters to zero.
func (t *tally) reset() gate.Arrivals {
	return gate.Arrivals{Accepted: t.accepted.Swap(0), Refused: gate.Refusals[int64]{
		SoldOut: t.soldOut.Swap(0), LimitReached: t.limitReached.Swap(0), SaleNotOpen: t.saleNotOpen.Swap(0), QueueFull: t.queueFull.Swap(0),
	}}
}

// countArrival counts a verdict. It costs a purchase a map lookup and an addition.
func (s *purchases) countArrival(tenant, sale int64, v gate.Verdict) {
	found, ok := s.tallies.Load(sale)
	if !ok {
		found, _ = s.tallies.LoadOrStore(sale, &tally{tenant: tenant})
	}
	found.(*tally).of(v).Add(1)
}

const (
	// flushEvery is the interval of reports to the gate.
	flushEvery = 250 * time.Millisecond
	// flushTimeout bounds one round. It is long, because no caller waits for it.
	flushTimeout = 5 * time.Second
	// saveEvery is the number of rounds after which the gates save the reported counts.
	saveEvery = 12
)

// CountArrivals reports the purchase attempts of this process to the gates, a few times per
// second, until ctx ends, and then once more. Every process that accepts purchases runs it.
// So the numbers of a sale include all attempts, also those rejected from the sold-out
// cache, without an extra message per purchase. A crash of the process loses the attempts
// of the last quarter of a second, or of three seconds without Redis; an unreachable gate
// loses those of its outage.
func (s *purchases) CountArrivals(ctx context.Context) {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for round := 1; ; round++ {
		select {
		case <-ctx.Done():
			s.flushArrivals(context.WithoutCancel(ctx))
			s.saveArrivals(context.WithoutCancel(ctx))
			return
		case <-ticker.C:
			s.flushArrivals(ctx)
			if round%saveEvery == 0 {
				s.saveArrivals(ctx)
			}
		}
	}
}

func (s *purchases) saveArrivals(ctx context.Context) {
	ctx, end := context.WithTimeout(ctx, flushTimeout)
	defer end()
	if err := s.gate.SaveArrivals(ctx); err != nil {
		slog.WarnContext(ctx, "the arrivals at flash sales could not be saved and will be tried again", "error", err)
	}
}

// flushArrivals is one round. It drops counts that cannot be reported, because a repeated
// report would count twice.
func (s *purchases) flushArrivals(ctx context.Context) {
	ctx, end := context.WithTimeout(ctx, flushTimeout)
	defer end()
	s.tallies.Range(func(key, value any) bool {
		t := value.(*tally)
		arrivals := t.reset()
		if arrivals == (gate.Arrivals{}) {
			return true
		}
		if err := s.gate.Count(asProgramOf(ctx, t.tenant), key.(int64), arrivals); err != nil {
			slog.WarnContext(ctx, "flash sale: attempt counts lost, gate unreachable", "sale", key, "error", err)
		}
		return true
	})
}
