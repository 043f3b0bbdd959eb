package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn"
)

const (
	// replicaPatience is how long a purchase waits for the replicas.
	replicaPatience = time.Second
	// replicaPause is for how long nobody is let in after replicas were waited for in vain.
	replicaPause = time.Second
)

// ErrReplicas means that fewer replicas of Redis than the sale asks for have what the gate did, or
// would have it. Without ErrUnknown nobody was let in.
var ErrReplicas = errors.New("gate: too few replicas")

// scripted is what admitScript answered to a purchase, and whether as many replicas have it as its
// sale asks for.
type scripted struct {
	answer     []any
	replicated bool
}

// admitReplicated is admitScript for a sale whose purchases are to be in some replicas before they
// are accepted, and reports whether they are:
//
//	EVALSHA admitScript …
//	SET {sale}awaited 1 PX 1000
//	WAIT replicas 1000
//
// WAIT is about what its own connection wrote: by the SET it covers tickets that are known, too,
// which another connection wrote before. The three go to one server on one connection.
//
// A crash of the server after WAIT loses nothing, as long as one of the replicas that answered is
// its successor; Sentinel and Redis Cluster prefer the one that has most.
func (g *Redis) admitReplicated(ctx context.Context, s *redisSale, replicas int64, args []any) ([]any, bool, error) {
	node, err := redisconn.NodeOf(ctx, g.client, s.gate)
	if err != nil {
		return nil, false, err
	}
	send := func(script func(ctx context.Context, c redis.Scripter, keys []string, args ...any) *redis.Cmd) ([]any, int64, error) {
		pipe := node.Pipeline()
		answer := script(ctx, pipe, s.admission, args...)
		pipe.Set(ctx, s.awaited, 1, time.Second)
		reached := pipe.Do(ctx, "wait", replicas, replicaPatience.Milliseconds())
		_, _ = pipe.Exec(ctx) // each command has its own error
		reply, err := answer.Slice()
		n, _ := reached.Int64()
		return reply, n, err
	}
	reply, n, err := send(admitScript.EvalSha)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		reply, n, err = send(admitScript.Eval)
	}
	if err != nil {
		return nil, false, err
	}
	if n < replicas {
		now := clock.Mark()
		s.unreplicated.Store(&now)
	}
	return reply, n >= replicas, nil
}

// lacksReplicas reports whether replicas were waited for in vain a moment ago.
func (s *redisSale) lacksReplicas() bool {
	at := s.unreplicated.Load()
	return at != nil && clock.Since(*at) < replicaPause
}

// withoutReplicas answers a purchase while there are too few replicas: nobody is let in whom a
// crash could forget. A ticket that is known may have come before, and stays what it is.
func (g *Redis) withoutReplicas(ctx context.Context, p Purchase) (Admission, error) {
	known, err := g.Ticket(ctx, p.Ref, p.Ticket)
	if err != nil {
		return Admission{}, err
	}
	if known == nil {
		return Admission{}, fmt.Errorf("ask the gate of sale %d: %w", p.Sale, ErrReplicas)
	}
	a := Admission{Verdict: Known, Ticket: *known}
	return a, a.unsafe(p)
}

// unsafe is the error of a purchase that is let in and that too few replicas have: as long as
// nothing of it is in SQL, a crash of Redis could forget it.
func (a Admission) unsafe(p Purchase) error {
	if a.Verdict != Accepted && (a.Verdict != Known || a.Ticket.State != Queued) {
		return nil
	}
	return errors.Join(ErrUnknown, fmt.Errorf("ask the gate of sale %d: %w", p.Sale, ErrReplicas))
}
