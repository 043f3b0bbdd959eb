package flashsale

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"interlock/internal/base/background"
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
func (t *tally) reset() gate.Attempts {
	return gate.Attempts{Accepted: t.accepted.Swap(0), Refused: gate.Refusals[int64]{
		SoldOut: t.soldOut.Swap(0), LimitReached: t.limitReached.Swap(0), SaleNotOpen: t.saleNotOpen.Swap(0), QueueFull: t.queueFull.Swap(0),
	}}
}

// countAttempt counts a verdict. It costs a purchase a map lookup and an addition.
func (s *purchases) countAttempt(tenant, sale int64, v gate.Verdict) {
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

// Attempts returns the service that reports the purchase attempts of this process to the gates, a few
// times per second and once more when it stops. Every process that accepts purchases runs it. So the
// numbers of a sale include all attempts, also those rejected from the sold-out cache, without an
// extra message per purchase. A crash of the process loses the attempts of the last quarter of a
// second, or of three seconds without Redis; if the gate is unreachable, the attempts during its
// outage are lost.
func (s *purchases) Attempts() background.Service {
	round := 0
	return background.Service{
		Name: "count purchase attempts", Every: flushEvery, Delay: flushEvery,
		Run: func(ctx context.Context) error {
			s.flushAttempts(ctx)
			if round++; round%saveEvery != 0 {
				return nil
			}
			return s.saveAttempts(ctx)
		},
		Last: func(ctx context.Context) error {
			s.flushAttempts(ctx)
			return s.saveAttempts(ctx)
		},
	}
}

func (s *purchases) saveAttempts(ctx context.Context) error {
	ctx, end := context.WithTimeout(ctx, flushTimeout)
	defer end()
	if err := s.gate.SaveAttempts(ctx); err != nil {
		return fmt.Errorf("save attempt counts: %w", err)
	}
	return nil
}

// flushAttempts reports the new counts of all sales once. It drops counts that cannot be reported,
// because a repeated report would count twice.
func (s *purchases) flushAttempts(ctx context.Context) {
	ctx, end := context.WithTimeout(ctx, flushTimeout)
	defer end()
	s.tallies.Range(func(key, value any) bool {
		t := value.(*tally)
		attempts := t.reset()
		if attempts == (gate.Attempts{}) {
			return true
		}
		if err := s.gate.Count(asProgramOf(ctx, t.tenant), key.(int64), attempts); err != nil {
			slog.WarnContext(ctx, "flash sale: attempt counts lost, gate unreachable", "sale", key, "error", err)
		}
		return true
	})
}
