package gate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/mq"
)

func (g *onRedis) buySafely(ticket, user string) (Admission, error) {
	return g.Admit(g.ctx, Purchase{Ref: g.ref, Ticket: ticket, User: user, Units: 1, Time: opening, Replicas: 1})
}

// Proves G5.18.
func TestPurchaseIsAcceptedOnceReplicated(t *testing.T) {
	t.Parallel()
	master := redistest.NewServer(t)
	replica := redistest.NewReplica(t, master)
	g := newOnRedis(t, master.URL())

	first, err := g.buySafely("a", "u1")
	require.NoError(t, err)
	require.Equal(t, Accepted, first.Verdict)

	replica.Pause(t)
	unsafe, err := g.buySafely("b", "u2")
	require.ErrorIs(t, err, ErrReplicas)
	require.ErrorIs(t, err, ErrUnknown, "it was admitted")
	require.Equal(t, Accepted, unsafe.Verdict)
	again, err := g.buySafely("b", "u2")
	require.ErrorIs(t, err, ErrUnknown, "and is not safer now")
	require.Equal(t, Known, again.Verdict)
	_, err = g.buySafely("c", "u3")
	require.ErrorIs(t, err, ErrReplicas)
	require.NotErrorIs(t, err, ErrUnknown, "no customer is admitted for a moment")
	counts, err := g.Counts(g.ctx, 1)
	require.NoError(t, err)
	require.EqualValues(t, 2, counts.Waiting)
	other, err := g.Admit(g.ctx, Purchase{Ref: g.ref, Ticket: "d", User: "u4", Units: 1, Time: opening})
	require.NoError(t, err, "of a sale without required replicas")
	require.Equal(t, Accepted, other.Verdict)

	replica.Resume(t)
	require.Eventually(t, func() bool {
		again, err = g.buySafely("b", "u2")
		return err == nil
	}, 20*time.Second, 100*time.Millisecond)
	require.Equal(t, Known, again.Verdict, "it is replicated now")
	third, err := g.buySafely("c", "u3")
	require.NoError(t, err)
	require.Equal(t, Accepted, third.Verdict)
}

// With min-replicas-to-write Redis itself rejects writes while too few replicas follow. A
// rejected admission is not accepted, and its outcome is known.
// Proves G5.35.
func TestNoAdmissionWhileRedisRejectsWrites(t *testing.T) {
	t.Parallel()
	master := redistest.NewServer(t)
	g := newOnRedis(t, master.URL())
	first, err := g.Admit(g.ctx, Purchase{Ref: g.ref, Ticket: "a", User: "u1", Units: 1, Time: opening})
	require.NoError(t, err)
	require.Equal(t, Accepted, first.Verdict)
	before, err := g.Counts(g.ctx, 1)
	require.NoError(t, err)

	require.NoError(t, g.client.ConfigSet(g.ctx, "min-replicas-to-write", "1").Err())
	for _, replicas := range []int64{0, 1} {
		_, err = g.Admit(g.ctx, Purchase{Ref: g.ref, Ticket: fmt.Sprint("b", replicas), User: "u2", Units: 1, Time: opening, Replicas: replicas})
		require.ErrorContains(t, err, "NOREPLICAS")
		require.NotErrorIs(t, err, ErrUnknown, "it was certainly not admitted")
	}
	known, err := g.Admit(g.ctx, Purchase{Ref: g.ref, Ticket: "a", User: "u1", Units: 1, Time: opening})
	require.NoError(t, err, "a known ticket needs no write")
	require.Equal(t, Known, known.Verdict)
	now, err := g.Counts(g.ctx, 1)
	require.NoError(t, err)
	require.Equal(t, before, now)

	redistest.NewReplica(t, master)
	again, err := g.buySafely("b1", "u2")
	require.NoError(t, err)
	require.Equal(t, Accepted, again.Verdict)
}

// A ticket with a result in SQL is safe without a replica.
func TestOrderedTicketWaitsForNoReplica(t *testing.T) {
	t.Parallel()
	master := redistest.NewServer(t)
	replica := redistest.NewReplica(t, master)
	g := newOnRedis(t, master.URL())
	_, err := g.buySafely("a", "u1")
	require.NoError(t, err)
	_, err = g.Move(g.ctx, g.ref, []Step{{Ticket: "a", From: []State{Queued}, To: Confirmed, OrderID: 7, OrderNo: "N7"}})
	require.NoError(t, err)
	replica.Pause(t)
	for range 2 {
		again, err := g.buySafely("a", "u1")
		require.NoError(t, err)
		require.Equal(t, Known, again.Verdict)
		_, _ = g.buySafely("b", "u2")
	}
	replica.Resume(t)
}

// A replica that lags for a moment becomes the master: it has the accepted purchases.
// Proves G5.18.
func TestReplicatedAdmissionsSurviveFailover(t *testing.T) {
	t.Parallel()
	master := redistest.NewServer(t)
	replica := redistest.NewReplica(t, master)
	g := newOnRedis(t, master.URL())
	require.NoError(t, g.Apply(g.ctx, Rules{
		Ref: g.ref, Version: 2, StockVersion: 2, Open: true, Starts: opening, Ends: opening.Add(time.Hour), PerUserLimit: 3, Allotted: 1000,
	}))
	var accepted, unsafe []string
	for i := range 40 {
		if i == 20 {
			replica.Pause(t)
		}
		ticket := fmt.Sprintf("t%02d", i)
		switch answer, err := g.buySafely(ticket, fmt.Sprint("u", i)); {
		case err == nil:
			accepted = append(accepted, ticket)
		case answer.Verdict == Accepted:
			unsafe = append(unsafe, ticket)
		}
	}
	require.Len(t, accepted, 20)
	require.Equal(t, []string{"t20"}, unsafe)
	master.Kill(t)
	replica.Resume(t)

	promoted := redistest.Connect(t, replica.URL())
	require.NoError(t, promoted.Do(g.ctx, "replicaof", "no", "one").Err())
	after := NewRedis(promoted, mq.NewRedis(promoted, g.prefix, mq.Options{}), g.clock)
	for _, ticket := range accepted {
		found, err := after.Ticket(g.ctx, g.ref, ticket)
		require.NoError(t, err)
		require.NotNil(t, found, ticket)
	}
}

// Proves G5.18.
func TestClusterWaitsForTheReplicasOfTheSalesNode(t *testing.T) {
	t.Parallel()
	cluster := redistest.NewCluster(t)
	g := newOnRedis(t, cluster.URL())
	_, err := g.buySafely("a", "u1")
	require.ErrorIs(t, err, ErrReplicas, "no master has one")
	node, err := redisconn.NodeOf(g.ctx, g.client, g.sale(1).gate)
	require.NoError(t, err)
	own := slices.IndexFunc(cluster.Nodes, func(s *redistest.Server) bool { return s.Addr == node.(*redis.Client).Options().Addr })
	cluster.Replicate(t, cluster.Nodes[own])
	require.Eventually(t, func() bool {
		_, err := g.buySafely("a", "u1")
		return err == nil
	}, 20*time.Second, 100*time.Millisecond)
}
