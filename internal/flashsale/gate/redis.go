package gate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/batcher"
	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn"
	"interlock/internal/mq"
)

// Redis is the gate in Redis. Its admissions are as durable as Redis. Concurrent purchases
// share one script.
type Redis struct {
	client redis.UniversalClient
	queues *mq.Redis
	// clock is nil for the server's time.
	clock clock.Clock
	sales sync.Map // sale id → *redisSale
}

// NewRedis returns a gate; the client must not retry automatically. now is nil for the
// server's time, which all processes share.
func NewRedis(client redis.UniversalClient, queues *mq.Redis, now clock.Clock) *Redis {
	return &Redis{client: client, queues: queues, clock: now}
}

// redisSale contains the keys of one sale, and the batchers of its calls.
type redisSale struct {
	queue                           *mq.RedisQueue
	gate, tickets, buyers, attempts string
	awaited                         string   // key written before waiting for replicas
	admission                       []string // gate, tickets, buyers, pending
	withQueue                       []string // the queue's, then gate, tickets, buyers
	admissions                      *batcher.Batcher[admission, scripted]
	lookups, holdings               *batcher.Batcher[lookup, string]
	// unreplicated is the time of the last unsuccessful wait for replicas; nil for none.
	unreplicated atomic.Pointer[time.Time]
}

// admission is a purchase with its encoded message.
type admission struct {
	Purchase
	message []byte
}

func (g *Redis) sale(id int64) *redisSale {
	if known, ok := g.sales.Load(id); ok {
		return known.(*redisSale)
	}
	queue := g.queues.Open(QueueName(id))
	keys := queue.Keys()
	prefix := strings.TrimSuffix(keys.Pending, "pending")
	s := &redisSale{queue: queue, gate: prefix + "gate", tickets: prefix + "tickets", buyers: prefix + "buyers", attempts: prefix + "arrivals", awaited: prefix + "awaited"}
	s.admission = []string{s.gate, s.tickets, s.buyers, keys.Pending}
	s.withQueue = append(keys.List(), s.gate, s.tickets, s.buyers)
	s.admissions = batcher.New(maxTogether, func(ctx context.Context, together []admission) ([]scripted, error) {
		return g.admit(ctx, s, together)
	})
	s.lookups = batcher.New(maxTogether, func(ctx context.Context, together []lookup) ([]string, error) {
		return g.lookUp(ctx, s.gate, s.tickets, together)
	})
	s.holdings = batcher.New(maxTogether, func(ctx context.Context, together []lookup) ([]string, error) {
		return g.lookUp(ctx, s.gate, s.buyers, together)
	})
	known, _ := g.sales.LoadOrStore(id, s)
	return known.(*redisSale)
}

// now returns the time argument of scripts: 0 for the server's time.
func (g *Redis) now() int64 {
	if g.clock == nil {
		return 0
	}
	return g.clock.Now().UnixMicro()
}

// Admit implements Gate. After an error, it repeats the call once; if the first call was executed,
// the verdict is Known.
func (g *Redis) Admit(ctx context.Context, p Purchase) (Admission, error) {
	message, err := messageOf(Ticket{ID: p.Ticket, User: p.User, Units: p.Units, AcceptedTime: p.Time}, p.Trace)
	if err != nil {
		return Admission{}, err
	}
	encoded, err := mq.Encode(message)
	if err != nil {
		return Admission{}, fmt.Errorf("encode a ticket: %w", err)
	}
	sale := g.sale(p.Sale)
	if p.Replicas > 0 && sale.lacksReplicas() {
		return g.withoutReplicas(ctx, p)
	}
	reply, err := sale.admissions.Do(ctx, admission{p, encoded})
	maybe := mayHaveRun(err)
	if err != nil && ctx.Err() == nil {
		reply, err = sale.admissions.Do(ctx, admission{p, encoded})
		maybe = maybe || mayHaveRun(err)
	}
	if err != nil {
		err = fmt.Errorf("admit to the gate of sale %d: %w", p.Sale, err)
		if maybe {
			err = errors.Join(ErrUnknown, err)
		}
		return Admission{}, err
	}
	a, err := readAdmission(p, reply.answer)
	if err == nil && a.Verdict == Accepted {
		sale.queue.Enqueued(1)
	}
	if err == nil && !reply.replicated {
		err = a.unsafe(p)
	}
	return a, err
}

// mayHaveRun reports whether a failed purchase may have been accepted nevertheless.
func mayHaveRun(err error) bool {
	return !errors.Is(err, batcher.ErrNotFlushed) && redisconn.MayHaveRun(err)
}

// admit runs the script for all purchases of a batch.
func (g *Redis) admit(ctx context.Context, s *redisSale, together []admission) ([]scripted, error) {
	args := make([]any, 0, 1+5*len(together))
	args = append(args, g.now())
	replicas := int64(0)
	for _, a := range together {
		args = append(args, a.Epoch, a.Ticket, a.User, a.Units, a.message)
		replicas = max(replicas, a.Replicas)
	}
	var reply []any
	var err error
	replicated := true
	if replicas > 0 {
		reply, replicated, err = g.admitReplicated(ctx, s, replicas, args)
	} else {
		reply, err = admitScript.Run(ctx, g.client, s.admission, args...).Slice()
	}
	if err != nil {
		return nil, err
	}
	answers := make([]scripted, len(reply))
	for i, answer := range reply {
		answers[i].answer, _ = answer.([]any)
		answers[i].replicated = replicated
	}
	return answers, nil
}

func readAdmission(p Purchase, answer []any) (Admission, error) {
	var reply [3]string
	for i := range min(len(answer), len(reply)) {
		reply[i], _ = answer[i].(string)
	}
	if len(answer) == 0 || reply[0] == "no_gate" {
		return Admission{}, ErrNoGate
	}
	a := Admission{Verdict: Verdict(reply[0])}
	var err error
	switch {
	case (a.Verdict == Accepted || a.Verdict == Known) && len(answer) == 2:
		a.Ticket, err = readRecord(p.Ticket, reply[1])
	case a.Verdict == LimitReached && len(answer) == 3:
		a.Earlier = reply[2]
		a.Held, err = strconv.ParseInt(reply[1], 10, 64)
	case a.Verdict == SoldOut && len(answer) == 3:
		var letInErr error
		a.Remaining, err = strconv.ParseInt(reply[1], 10, 64)
		a.LetIn, letInErr = strconv.ParseInt(reply[2], 10, 64)
		err = errors.Join(err, letInErr)
	}
	return a, err
}

// Ticket implements Gate. Concurrent lookups share one script.
func (g *Redis) Ticket(ctx context.Context, ref Ref, ticket string) (*Ticket, error) {
	record, err := g.sale(ref.Sale).lookups.Do(ctx, lookup{ref.Epoch, ticket})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read a ticket of sale %d: %w", ref.Sale, err)
	case record == "no_gate":
		return nil, ErrNoGate
	}
	return decodeRecord(ticket, record)
}

// Held implements Gate. Concurrent lookups share one script.
func (g *Redis) Held(ctx context.Context, ref Ref, user string) (Holding, error) {
	record, err := g.sale(ref.Sale).holdings.Do(ctx, lookup{ref.Epoch, user})
	switch {
	case err != nil:
		return Holding{}, fmt.Errorf("read the units of a customer in sale %d: %w", ref.Sale, err)
	case record == "no_gate":
		return Holding{}, ErrNoGate
	case record == "":
		return Holding{}, nil
	}
	units, ticket, _ := strings.Cut(record, "|")
	n, err := strconv.ParseInt(units, 10, 64)
	if err != nil {
		return Holding{}, fmt.Errorf("read the units of a customer in sale %d: %w", ref.Sale, err)
	}
	return Holding{Units: n, Ticket: ticket}, nil
}

// Buyers implements Gate.
func (g *Redis) Buyers(ctx context.Context, ref Ref, most int) ([]string, error) {
	s := g.sale(ref.Sale)
	var users []string
	err := g.scan(ctx, buyersScript, []string{s.gate, s.buyers}, ref.Epoch, func(part []string) error {
		users = append(users, part...)
		return nil
	}, most)
	if err != nil {
		return nil, fmt.Errorf("list the buyers of sale %d: %w", ref.Sale, err)
	}
	return users, nil
}

func (g *Redis) lookUp(ctx context.Context, gate, names string, together []lookup) ([]string, error) {
	args := make([]any, 0, 2*len(together))
	for _, l := range together {
		args = append(args, l.epoch, l.name)
	}
	return lookUpScript.Run(ctx, g.client, []string{gate, names}, args...).StringSlice()
}
