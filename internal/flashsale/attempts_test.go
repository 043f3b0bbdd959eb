package flashsale_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/approvals"
	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/test/world"
)

// Proves G5.33.
func TestRepliesOfAllProcessesAndCachesAreCounted(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 3, "perUserLimit": 1, "queueCap": 2, "startsTime": world.Opening.Add(time.Minute)})
		require.Equal(t, "sale_not_open", s.buy(t, sale, 1, 1).Body["code"])
		s.Clock.Advance(time.Minute)
		require.Equal(t, 202, s.buy(t, sale, 1, 1, "X-Idempotency-Key", "k1").Status)
		require.Equal(t, "true", s.buy(t, sale, 1, 1, "X-Idempotency-Key", "k1").Header.Get("X-Idempotency-Replay"), "which is not counted again")
		require.Equal(t, "limit_reached", s.buy(t, sale, 1, 1).Body["code"])
		require.Equal(t, 202, s.buy(t, sale, 2, 1).Status)
		require.Equal(t, "queue_full", s.buy(t, sale, 3, 1).Body["code"])
		s.consume(t, sale)
		require.Equal(t, 202, s.buy(t, sale, 3, 1).Status)

		first, second := s.sales, s.with(s.gate)
		for range 7 {
			require.Equal(t, "sold_out", s.buy(t, sale, 4, 1).Body["code"])
		}
		s.serve(second)
		for range 4 {
			require.Equal(t, "sold_out", s.buy(t, sale, 4, 1).Body["code"])
		}
		for range 2 { // the second round has nothing left to report
			first.FlushAttempts(s.Ctx)
			second.FlushAttempts(s.Ctx)
		}
		s.Clock.Advance(time.Second)
		stats := s.must(t, 200, "GET", sale+"/stats", nil).Body
		require.Equal(t, object{"soldOut": 11.0, "limitReached": 1.0, "saleNotOpen": 1.0, "queueFull": 1.0}, stats["refusals"])
		require.Equal(t, object{"soldOut": 2.2, "limitReached": 0.2, "saleNotOpen": 0.2, "queueFull": 0.2}, stats["refusedPerSecond"])
		require.InDelta(t, 17.0/5, stats["arrivalsPerSecond"], 1e-9)
	})
}

// attentive is a gate that records reported counts.
type attentive struct {
	gate.Gate

	mu      sync.Mutex
	reports []gate.Attempts
	// unsaved is the number of reports since the last save.
	unsaved int
}

func (g *attentive) SaveAttempts(context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unsaved = 0
	return nil
}

// toSave returns the number of reports that a crash would lose.
func (g *attentive) toSave() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.unsaved
}

func (g *attentive) Count(_ context.Context, _ int64, a gate.Attempts) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reports = append(g.reports, a)
	g.unsaved++
	return nil
}

// received returns the reports so far.
func (g *attentive) received() []gate.Attempts {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.reports)
}

// Proves G5.33.
func TestSoldOutRepliesCostTheGateFourCallsPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := &attentive{}
		sales := flashsale.New(flashsale.Deps{Gate: door, Approvals: approvals.New(approvals.Deps{})})
		services := background.NewGroup(clock.System{})
		require.NoError(t, services.Start(t.Context(), sales.Attempts()))
		for range 1000 {
			sales.CountSoldOut(1)
		}
		synctest.Wait()
		require.Empty(t, door.received())
		<-time.After(10 * time.Second) // in the bubble's time
		synctest.Wait()
		crowd := gate.Attempts{Refused: gate.Refusals[int64]{SoldOut: 1000}}
		require.Equal(t, []gate.Attempts{crowd}, door.received(), "once, and nothing without customers")
		require.Zero(t, door.toSave(), "it is saved every few seconds")
		sales.CountSoldOut(1)
		services.Stop(context.WithoutCancel(t.Context()))
		require.Zero(t, door.toSave(), "and at the end")
		require.Equal(t, []gate.Attempts{crowd, {Refused: gate.Refusals[int64]{SoldOut: 1}}}, door.received(), "the rest at the end")
	})
}
