package flashsale_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/events"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/test/tier"
	"interlock/test/world"
)

// processes returns workers of one shop that receive each other's messages.
func (s *market) processes(t *testing.T, n int) []*flashsale.Process {
	t.Helper()
	list := make([]*flashsale.Process, n)
	for i := range list {
		ctx, stop := context.WithCancel(s.worker())
		list[i] = s.with(s.gate).Process(ctx)
		t.Cleanup(func() {
			list[i].Close(s.worker())
			stop()
		})
	}
	return list
}

// hasPeer waits until a process has received a heartbeat of a sale's worker, or, if want is
// false, its stop.
func hasPeer(t *testing.T, p *flashsale.Process, sale string, want bool) {
	t.Helper()
	require.Eventually(t, func() bool { return p.HasPeer(idOf(sale)) == want }, 10*time.Second, time.Millisecond)
}

// Proves G5.19.
func TestSaleHasOneWorker(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"endsTime": world.Opening.Add(time.Hour)})
		all := s.processes(t, 3)
		first, second, third := all[0], all[1], all[2]
		round := func(p *flashsale.Process) {
			t.Helper()
			require.NoError(t, p.Round(s.worker()))
		}
		works := func(want ...bool) {
			t.Helper()
			require.Equal(t, want, []bool{first.WorksOn(idOf(sale)), second.WorksOn(idOf(sale)), third.WorksOn(idOf(sale))})
		}

		round(first)
		hasPeer(t, second, sale, true)
		hasPeer(t, third, sale, true)
		round(second)
		round(third)
		works(true, false, false)

		// The worker is silent: it may be dead, or unreachable.
		s.Clock.Advance(4 * time.Second)
		round(second)
		works(true, false, false)
		s.Clock.Advance(time.Second)
		round(second)
		works(true, true, false)
		hasPeer(t, third, sale, true)
		hasPeer(t, first, sale, true)
		round(third)
		works(true, true, false)

		// It was unreachable: of the two, the one that has worked longer continues.
		round(first)
		hasPeer(t, second, sale, true)
		round(second)
		round(third)
		works(true, false, false)

		// A worker that stops sends a message, so that no other one waits for its silence.
		first.Close(s.worker())
		hasPeer(t, third, sale, false)
		round(third)
		works(false, false, true)
	})
}

// Proves G5.19.
func TestConcurrentlyStartedWorkersAgreeOnOne(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"endsTime": world.Opening.Add(time.Hour)})
		all := s.processes(t, 5)
		for _, p := range all {
			// No process has received a message of another one when it starts.
			require.NoError(t, p.Alone(s.worker()))
		}
		require.Eventually(t, func() bool {
			working := 0
			for _, p := range all {
				require.NoError(t, p.Round(s.worker()))
				if p.WorksOn(idOf(sale)) {
					working++
				}
			}
			return working == 1
		}, 10*time.Second, time.Millisecond)
	})
}

// Proves G5.19.
func TestWorkerIsNotifiedOfPurchasesOfOtherProcesses(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 10, "endsTime": world.Opening.Add(time.Hour)})
		all := s.processes(t, 2)
		require.NoError(t, all[0].Round(s.worker()))
		hasPeer(t, all[1], sale, true)
		require.NoError(t, all[1].Round(s.worker()))

		s.serve(all[1].Sales)
		require.Equal(t, 202, s.buy(t, sale, 1, 1).Status)
		select {
		case queued := <-all[0].QueuedSales():
			require.Equal(t, idOf(sale), queued)
		case <-time.After(10 * time.Second):
			t.Fatal("the worker was not queued")
		}
	})
}

// The test counts commands for 12 s of real time, which is meaningful only on an idle
// machine.
func TestIdleSaleCostIsIndependentOfProcesses(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	db, server := storagetest.SQLite(t), redistest.NewServer(t)
	client := redistest.Connect(t, server.URL())
	now := clock.System{}
	queues := mq.NewRedis(client, "", mq.Options{})
	s := newMarket(storagetest.Tenant(t), t, db, clock.NewFake(time.Now()), queues, gate.NewRedis(client, queues, nil))
	sale := s.open(t, object{"startsTime": time.Now().Add(-time.Minute), "endsTime": time.Now().Add(time.Hour)})
	bus, err := events.NewRedis(t.Context(), client, events.RedisOptions{Prefix: "events:", Buffer: 64})
	require.NoError(t, err)
	t.Cleanup(bus.Close)

	// sent returns the commands per second that clients send, and that number including the commands
	// in scripts.
	sent := func() (clients, all float64) {
		const watched = 12 * time.Second
		before, beforeAll := commandsOf(t, client)
		require.True(t, clock.Sleep(t.Context(), watched))
		after, afterAll := commandsOf(t, client)
		return float64(after-before) / watched.Seconds(), float64(afterAll-beforeAll) / watched.Seconds()
	}
	for range 4 {
		deps := s.deps(s.gate, s.Orders)
		deps.Bus, deps.Clock = bus, now
		process := flashsale.New(deps)
		services := background.NewGroup(now)
		require.NoError(t, services.Start(s.Ctx, append(process.Announcements(), process.Worker())...))
		defer services.Stop(context.WithoutCancel(s.Ctx))
	}
	// The processes find each other, and the sale becomes idle.
	require.True(t, clock.Sleep(t.Context(), 5*time.Second))
	clients, all := sent()
	t.Logf("%.1f commands a second, %.1f with those in scripts, of sale %s", clients, all, sale)
	require.LessOrEqual(t, clients, 3.0)
	require.LessOrEqual(t, all, 10.0, "with a round too many at either end")
	require.Greater(t, clients, 1.0, "one of the processes supervises the sale")
}

// commandsOf returns the number of commands that clients sent to a server, and that it ran.
func commandsOf(t *testing.T, client redis.UniversalClient) (sent, all int64) {
	t.Helper()
	info, err := client.Info(t.Context(), "commandstats").Result()
	require.NoError(t, err)
	for line := range strings.Lines(info) {
		name, rest, found := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":calls=")
		if !found {
			continue
		}
		calls, err := strconv.ParseInt(rest[:strings.Index(rest, ",")], 10, 64)
		require.NoError(t, err, fmt.Sprint(line))
		all += calls
		switch name {
		case "eval", "evalsha", "publish", "sadd", "ping":
			sent += calls
		}
	}
	return sent, all
}
