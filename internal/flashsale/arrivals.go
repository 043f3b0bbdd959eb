package flashsale

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"interlock/internal/flashsale/gate"
)

// tally is the arrivals of one sale that this process has not told the gate of yet.
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

// reset returns what was counted and sets the counters to zero.
func (t *tally) reset() gate.Arrivals {
	return gate.Arrivals{Accepted: t.accepted.Swap(0), Refused: gate.Refusals[int64]{
		SoldOut: t.soldOut.Swap(0), LimitReached: t.limitReached.Swap(0), SaleNotOpen: t.saleNotOpen.Swap(0), QueueFull: t.queueFull.Swap(0),
	}}
}

// countArrival counts an answer. It costs a purchase a map lookup and an addition.
func (s *purchases) countArrival(tenant, sale int64, v gate.Verdict) {
	found, ok := s.tallies.Load(sale)
	if !ok {
		found, _ = s.tallies.LoadOrStore(sale, &tally{tenant: tenant})
	}
	found.(*tally).of(v).Add(1)
}

const (
	// flushEvery is how old an arrival can be that the gate does not know of.
	flushEvery = 250 * time.Millisecond
	// flushTimeout bounds one round. Nobody waits for it, and a busy machine is slow.
	flushTimeout = 5 * time.Second
	// saveEvery is how many rounds lie between two in which the gates save what they
	// were told.
	saveEvery = 12
)

// CountArrivals tells the gates what arrived here, a few times a second, until ctx ends,
// and then once more. Every process that takes purchases runs it: it is how the numbers
// of a sale come to have all of a crowd, also who is refused from memory, without a
// word on the way of any purchase. A process that crashes takes the last quarter of a
// second of its arrivals with it, or three seconds without Redis, and a gate that is out of
// reach those of that time.
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

// flushArrivals is one round. What cannot be told is dropped: told twice it would count twice.
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
			slog.WarnContext(ctx, "arrivals at a flash sale are missing from its numbers", "sale", key, "error", err)
		}
		return true
	})
}
