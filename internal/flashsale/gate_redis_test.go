package flashsale_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/clock"
	"interlock/internal/flashsale"
	"interlock/internal/mq"
	"interlock/internal/redisconn/redistest"
	"interlock/internal/storage/storagetest"
)

// roundTrips counts the scripts that a client runs, and holds them up while it is told to.
type roundTrips struct {
	made   atomic.Int64
	lose   atomic.Int64 // how many more fail, after they were held up
	closed atomic.Pointer[chan struct{}]
}

func (r *roundTrips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (r *roundTrips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if !strings.HasPrefix(cmd.Name(), "eval") {
			return next(ctx, cmd)
		}
		r.made.Add(1)
		if door := r.closed.Load(); door != nil {
			<-*door
		}
		if r.lose.Add(-1) >= 0 {
			err := errors.New("connection reset")
			cmd.SetErr(err)
			return err
		}
		return next(ctx, cmd)
	}
}

func (r *roundTrips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// hold holds round trips up until it is called again.
func (r *roundTrips) hold() (release func()) {
	door := make(chan struct{})
	r.closed.Store(&door)
	return func() { r.closed.Store(nil); close(door) }
}

// crowded is a gate in Redis whose round trips are counted, of a sale of ten units, three
// a customer.
type crowded struct {
	*flashsale.RedisGate
	ctx    context.Context
	client redis.UniversalClient
	trips  *roundTrips
	rules  flashsale.Rules

	asking  sync.WaitGroup
	answers []flashsale.Admission
	errs    []error
}

func newCrowded(t *testing.T) *crowded {
	now := clock.NewFake(opening)
	client := redistest.Connect(t, redistest.SharedURL(t))
	trips := &roundTrips{}
	client.AddHook(trips)
	broker := mq.NewRedis(client, fmt.Sprintf("crowd:%d:", rand.Uint64()), mq.Options{Clock: now})
	c := &crowded{
		RedisGate: flashsale.NewRedisGate(client, broker, now), ctx: storagetest.Tenant(t), client: client, trips: trips,
		rules: flashsale.Rules{
			Sale: 1, Epoch: 1, Version: 1, StockVersion: 1, Open: true,
			Starts: opening, Ends: opening.Add(time.Hour), PerUserLimit: 3, Allotted: 10,
		},
		answers: make([]flashsale.Admission, 32), errs: make([]error, 32),
	}
	require.NoError(t, c.Build(c.ctx, c.rules, nil))
	require.Equal(t, flashsale.SoldOut, c.admit(t, "warm", 99, 11, 11).Verdict, "it loads the script")
	return c
}

// admit asks at once. The limit is lifted for the one call with it.
func (c *crowded) admit(t *testing.T, ticket string, user, units, limit int64) flashsale.Admission {
	rules := c.rules
	rules.PerUserLimit = limit
	require.NoError(t, c.Apply(c.ctx, rules))
	a, err := c.Admit(c.ctx, c.purchase(ticket, user, units))
	require.NoError(t, err)
	require.NoError(t, c.Apply(c.ctx, c.rules))
	return a
}

func (c *crowded) purchase(ticket string, user, units int64) flashsale.Purchase {
	return flashsale.Purchase{Sale: 1, Epoch: 1, Ticket: ticket, User: user, Units: units, Time: opening}
}

// come has a customer ask while round trips are held up, and returns once it waits.
func (c *crowded) come(t *testing.T, ctx context.Context, i int, p flashsale.Purchase) {
	waiting := c.Waiting(1)
	c.asking.Go(func() { c.answers[i], c.errs[i] = c.Admit(ctx, p) })
	require.Eventually(t, func() bool { return c.Waiting(1) == waiting+1 }, 5*time.Second, time.Millisecond)
}

// begin has a customer ask for more than it may have, and returns once it is under way.
func (c *crowded) begin(t *testing.T) {
	made := c.trips.made.Load()
	c.asking.Go(func() { c.answers[0], c.errs[0] = c.Admit(c.ctx, c.purchase("first", 100, 9)) })
	require.Eventually(t, func() bool { return c.trips.made.Load() == made+1 }, 5*time.Second, time.Millisecond)
}

func TestCustomersWhoComeTogetherAreLetInOneAfterTheOtherInOneRoundTrip(t *testing.T) {
	c := newCrowded(t)
	before := c.trips.made.Load()
	release := c.trips.hold()
	c.begin(t)
	wishes := []struct {
		ticket      string
		user, units int64
		epoch       int64
		want        flashsale.Verdict
	}{
		{"a", 1, 2, 1, flashsale.Accepted},
		{"a", 1, 2, 1, flashsale.Known},
		{"b", 1, 2, 1, flashsale.LimitReached},
		{"c", 1, 1, 1, flashsale.Accepted},
		{"d", 2, 1, 7, ""}, // of an epoch that the gate does not have
		{"e", 2, 3, 1, flashsale.Accepted},
		{"f", 3, 3, 1, flashsale.Accepted},
		{"g", 4, 2, 1, flashsale.SoldOut},
		{"h", 4, 1, 1, flashsale.Accepted},
		{"i", 5, 1, 1, flashsale.SoldOut},
	}
	for i, w := range wishes {
		p := c.purchase(w.ticket, w.user, w.units)
		p.Epoch = w.epoch
		c.come(t, c.ctx, 1+i, p)
	}
	release()
	c.asking.Wait()

	answers, errs := c.answers[1:], c.errs[1:]
	for i, w := range wishes {
		require.Equal(t, w.want, answers[i].Verdict, w.ticket)
		if w.want == "" {
			require.ErrorIs(t, errs[i], flashsale.ErrNoGate)
			continue
		}
		require.NoError(t, errs[i])
	}
	require.Equal(t, answers[0].Ticket, answers[1].Ticket)
	require.Equal(t, int64(2), answers[2].Held)
	require.Equal(t, "a", answers[2].Earlier)
	require.Equal(t, int64(4), answers[8].Ticket.Ahead, "as many were accepted before it")
	require.Equal(t, int64(2), c.trips.made.Load()-before, "theirs, and the one that they waited for")
	counts, err := c.Counts(c.ctx, 1)
	require.NoError(t, err)
	require.True(t, counts.Balanced(), "%+v", counts)
	require.Equal(t, [3]int64{0, 10, 5}, [3]int64{counts.Remaining, counts.Queued, counts.Waiting})
}

func TestACustomerWhoLeavesBeforeItsTurnIsNotAskedFor(t *testing.T) {
	c := newCrowded(t)
	release := c.trips.hold()
	c.begin(t)
	impatient, leave := context.WithCancel(c.ctx)
	c.come(t, impatient, 5, c.purchase("a", 1, 1))
	c.come(t, c.ctx, 6, c.purchase("b", 2, 1))
	leave()
	release()
	c.asking.Wait()
	require.ErrorIs(t, c.errs[5], context.Canceled)
	require.NoError(t, c.errs[6])
	known, err := c.Ticket(c.ctx, 1, 1, "a")
	require.NoError(t, err)
	require.Nil(t, known)
	again, err := c.Admit(c.ctx, c.purchase("a", 1, 1))
	require.NoError(t, err)
	require.Equal(t, flashsale.Accepted, again.Verdict)
}

func TestOneLostRoundTripIsMadeUpForByAllWhoWaitedForIt(t *testing.T) {
	c := newCrowded(t)
	release := c.trips.hold()
	c.begin(t)
	for i := range 3 {
		c.come(t, c.ctx, 1+i, c.purchase(fmt.Sprint("t", i), int64(i+1), 1))
	}
	c.trips.lose.Store(1)
	release()
	c.asking.Wait()
	require.Equal(t, flashsale.LimitReached, c.answers[0].Verdict)
	for i := range 4 {
		require.NoError(t, c.errs[i])
	}
	c.trips.lose.Store(1000)
	_, err := c.Admit(c.ctx, c.purchase("x", 9, 1))
	require.ErrorContains(t, err, "connection reset")
	c.trips.lose.Store(0)
	counts, err := c.Counts(c.ctx, 1)
	require.NoError(t, err)
	require.Equal(t, int64(3), counts.Queued)
}

func TestACrowdIsLetInAfterTheServerForgotItsScripts(t *testing.T) {
	c := newCrowded(t)
	release := c.trips.hold()
	c.begin(t)
	c.come(t, c.ctx, 5, c.purchase("a", 1, 1))
	c.come(t, c.ctx, 6, c.purchase("b", 2, 1))
	release()
	c.asking.Wait()
	require.NoError(t, c.client.ScriptFlush(c.ctx).Err())
	require.Equal(t, flashsale.Accepted, c.admit(t, "c", 3, 1, 3).Verdict)
	for _, err := range c.errs {
		require.NoError(t, err)
	}
}
