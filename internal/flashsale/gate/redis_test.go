package gate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/mq"
)

// onRedis is a gate in Redis with an open sale of ten units, three per customer.
type onRedis struct {
	*Redis
	ctx    context.Context
	client redis.UniversalClient
	prefix string
	ref    Ref
}

func newOnRedis(t *testing.T, url string) *onRedis {
	now := clock.NewFake(opening)
	client, prefix := redistest.Connect(t, url), fmt.Sprintf("crowd:%d:", rand.Uint64())
	g := &onRedis{
		Redis: NewRedis(client, mq.NewRedis(client, prefix, mq.Options{Clock: now}), now),
		ctx:   storagetest.Tenant(t), client: client, prefix: prefix, ref: Ref{Sale: 1, Epoch: 1},
	}
	require.NoError(t, g.Build(g.ctx, Rules{
		Ref: g.ref, Version: 1, StockVersion: 1, Open: true, Starts: opening, Ends: opening.Add(time.Hour), PerUserLimit: 3, Allotted: 10,
	}, nil))
	return g
}

// Proves G5.7.
func TestConcurrentPurchasesAreAdmittedInOrder(t *testing.T) {
	g := newOnRedis(t, redistest.SharedURL(t))
	wishes := []struct {
		ticket, user string
		units, epoch int64
		want         Verdict
	}{
		{"a", "u1", 2, 1, Accepted},
		{"a", "u1", 2, 1, Known},
		{"b", "u1", 2, 1, LimitReached},
		{"c", "u1", 1, 1, Accepted},
		{"d", "u2", 1, 7, ""}, // of an epoch that the gate does not have
		{"e", "u2", 3, 1, Accepted},
		{"f", "u3", 3, 1, Accepted},
		{"g", "u4", 2, 1, SoldOut},
		{"h", "u4", 1, 1, Accepted},
		{"i", "u5", 1, 1, SoldOut},
	}
	together := make([]admission, len(wishes))
	for i, w := range wishes {
		together[i] = admission{Purchase{Ref: Ref{1, w.epoch}, Ticket: w.ticket, User: w.user, Units: w.units, Time: opening}, []byte(w.ticket)}
	}
	replies, err := g.admit(g.ctx, g.sale(1), together)
	require.NoError(t, err)
	answers := make([]Admission, len(wishes))
	for i, w := range wishes {
		answers[i], err = readAdmission(together[i].Purchase, replies[i].answer)
		require.Equal(t, w.want, answers[i].Verdict, w.ticket)
		if w.want == "" {
			require.ErrorIs(t, err, ErrNoGate)
		} else {
			require.NoError(t, err)
		}
	}
	require.Equal(t, answers[0].Ticket, answers[1].Ticket)
	require.EqualValues(t, 2, answers[2].Held)
	require.Equal(t, "a", answers[2].Earlier)
	require.EqualValues(t, 4, answers[8].Ticket.Ahead, "as many were accepted before it")
	c, err := g.Counts(g.ctx, 1)
	require.NoError(t, err)
	require.True(t, c.Balanced(), "%+v", c)
	require.Equal(t, [3]int64{0, 10, 5}, [3]int64{c.Remaining, c.Queued, c.Waiting})
}

// failing makes scripts fail, before or after they ran: the last one with then, if that is
// set.
type failing struct {
	times     atomic.Int64
	after     atomic.Bool
	err, then error
}

func (f *failing) DialHook(next redis.DialHook) redis.DialHook { return next }
func (f *failing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (f *failing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		left := int64(-1)
		if strings.HasPrefix(cmd.Name(), "eval") {
			left = f.times.Add(-1)
		}
		if left < 0 {
			return next(ctx, cmd)
		}
		err := f.err
		if left == 0 && f.then != nil {
			err = f.then
		} else if f.after.Load() {
			_ = next(ctx, cmd)
		}
		cmd.SetErr(err)
		return err
	}
}

// Proves G5.6.
func TestPurchaseWithLostRepliesIsUnknown(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: errors.New("connection reset")}
	refused := &net.OpError{Op: "dial", Err: errors.New("refused")}
	for name, c := range map[string]struct {
		err, then error
		after     bool
		times     int64
		unknown   bool
		found     Verdict // the verdict when the same ticket is requested again, without faults
	}{
		"one reply is lost: the second attempt finds the ticket": {reset, nil, true, 1, false, Known},
		"both replies are lost":                                  {reset, nil, true, 2, true, Known},
		"both commands are lost":                                 {reset, nil, false, 2, true, Accepted},
		"one reply is lost, then the connection fails":           {reset, refused, true, 2, true, Known},
		"the connection fails, then the reply is lost":           {refused, reset, false, 2, true, Accepted},
		"the connection fails":                                   {refused, nil, false, 2, false, Accepted},
		"the pool is exhausted":                                  {redis.ErrPoolTimeout, nil, false, 2, false, Accepted},
		"the server rejects: it is a replica, or it is full":     {proto("READONLY You can't write against a read only replica."), nil, false, 2, false, Accepted},
	} {
		t.Run(name, func(t *testing.T) {
			g := newOnRedis(t, redistest.SharedURL(t))
			p := Purchase{Ref: g.ref, Ticket: "warm", User: "w", Units: 1, Time: opening}
			_, err := g.Admit(g.ctx, p)
			require.NoError(t, err)
			p.Ticket, p.User = "a", "u1"
			faults := &failing{err: c.err, then: c.then}
			faults.after.Store(c.after)
			g.client.AddHook(faults)
			faults.times.Store(c.times)
			a, err := g.Admit(g.ctx, p)
			faults.times.Store(0)
			if c.times == 1 {
				require.NoError(t, err)
				require.Equal(t, Known, a.Verdict)
			} else {
				require.Error(t, err)
				require.Equal(t, c.unknown, errors.Is(err, ErrUnknown), "%v", err)
			}
			again, err := g.Admit(g.ctx, p)
			require.NoError(t, err)
			require.Equal(t, c.found, again.Verdict)
		})
	}
}

// Proves G5.6.
func TestPurchaseWithUndecidedCommitIsUnknown(t *testing.T) {
	for name, c := range map[string]struct {
		refusal storagetest.Refusal
		times   int
		unknown bool
		found   Verdict
	}{
		"one COMMIT failed, and the second run finds the ticket": {storagetest.Refusal{Number: 1180, Executed: true}, 1, false, Known},
		"all were executed but failed":                           {storagetest.Refusal{Number: 1180, Executed: true}, storage.MaxRuns, true, Known},
		"all failed":                                             {storagetest.Refusal{Number: 1180}, storage.MaxRuns, true, Accepted},
		"the engine reports that all are rolled back":            {storagetest.Refusal{Number: 1213}, storage.MaxRuns, false, Accepted},
	} {
		t.Run(name, func(t *testing.T) {
			db, tap := storagetest.TappedMariaDB(t)
			g := newUnderTest(t, tables(db))
			left := c.times
			tap.Refuse(func(statement string) *storagetest.Refusal {
				if statement != "COMMIT" || left == 0 {
					return nil
				}
				left--
				return &c.refusal
			})
			p := g.purchase("A", "7", 1)
			_, err := g.Admit(g.ctx, p)
			require.Zero(t, left, "each COMMIT is tried again")
			tap.Refuse(nil)
			if c.times < storage.MaxRuns {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
				require.Equal(t, c.unknown, errors.Is(err, ErrUnknown), "%v", err)
			}
			again, err := g.Admit(g.ctx, p)
			require.NoError(t, err)
			require.Equal(t, c.found, again.Verdict)
			require.Equal(t, Counts{Epoch: 1, Allotted: 10, Remaining: 9, Queued: 1, Waiting: 1}, g.counts(t))
		})
	}
}

// proto is an error reply of the server.
type proto string

func (p proto) Error() string { return string(p) }
func (proto) RedisError()     {}

func TestScriptsAreReloadedAfterServerLostThem(t *testing.T) {
	g := newOnRedis(t, redistest.NewServer(t).URL())
	require.NoError(t, g.client.ScriptFlush(g.ctx).Err())
	a, err := g.Admit(g.ctx, Purchase{Ref: g.ref, Ticket: "c", User: "u", Units: 1, Time: opening})
	require.NoError(t, err)
	require.Equal(t, Accepted, a.Verdict)
}

func TestRecordRoundTripsAndRejectsOtherText(t *testing.T) {
	for _, ticket := range []Ticket{
		{ID: "A", State: Queued, User: "auth0|li:7@shop.example=+/-_.", Units: 3, AcceptedTime: opening, Ahead: 12},
		{ID: "B", State: Rejected, User: "7", AcceptedTime: opening, Reason: "lost"},
		confirmed("C", "8", 1),
	} {
		got, err := readRecord(ticket.ID, recordOf(ticket))
		require.NoError(t, err)
		require.Equal(t, ticket, got)
	}
	for _, broken := range []string{"q", "z 1 7 1 0 0  ", "q x 7 1 0 0  ", "q 1  1 0 0  ", "q 1 7 1 0 0 "} {
		_, err := readRecord("A", broken)
		require.ErrorContains(t, err, "cannot be read", broken)
	}
}
