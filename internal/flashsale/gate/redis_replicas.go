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
	// replicaTimeout bounds the wait of a purchase for replicas.
	replicaTimeout = time.Second
	// replicaPause is the time without admissions after an unsuccessful wait for replicas.
	replicaPause = time.Second
)

// ErrReplicas means that fewer Redis replicas than the sale requires have, or would have,
// the change. Without ErrUnknown the purchase was not accepted.
var ErrReplicas = errors.New("gate: too few replicas")

// scripted is the reply of admitScript to a purchase, and whether enough replicas have it.
type scripted struct {
	answer     []any
	replicated bool
}

// admitReplicated runs admitScript for a sale that requires replicas, and reports whether enough
// replicas have the admissions:
//
//	EVALSHA admitScript …
//	SET {sale}awaited 1 PX 1000
//	WAIT replicas 1000
//
// WAIT covers the writes of its connection: with the SET it also covers known tickets,
// which another connection wrote earlier. The three commands use one server and one
// connection.
//
// A crash of the server after WAIT loses nothing, as long as its successor is one of the
// acknowledging replicas; Sentinel and Redis Cluster prefer the most advanced one.
func (g *Redis) admitReplicated(ctx context.Context, s *redisSale, replicas int64, args []any) ([]any, bool, error) {
	node, err := redisconn.NodeOf(ctx, g.client, s.gate)
	if err != nil {
		return nil, false, err
	}
	send := func(script func(ctx context.Context, c redis.Scripter, keys []string, args ...any) *redis.Cmd) ([]any, int64, error) {
		pipe := node.Pipeline()
		answer := script(ctx, pipe, s.admission, args...)
		pipe.Set(ctx, s.awaited, 1, time.Second)
		reached := pipe.Do(ctx, "wait", replicas, replicaTimeout.Milliseconds())
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

// lacksReplicas reports whether a wait for replicas failed recently.
func (s *redisSale) lacksReplicas() bool {
	at := s.unreplicated.Load()
	return at != nil && clock.Since(*at) < replicaPause
}

// withoutReplicas handles a purchase while there are too few replicas: it accepts none that
// a crash could lose. A known ticket may have been accepted earlier, and is returned
// unchanged.
func (g *Redis) withoutReplicas(ctx context.Context, p Purchase) (Admission, error) {
	known, err := g.Ticket(ctx, p.Ref, p.Ticket)
	if err != nil {
		return Admission{}, err
	}
	if known == nil {
		return Admission{}, fmt.Errorf("admit to the gate of sale %d: %w", p.Sale, ErrReplicas)
	}
	a := Admission{Verdict: Known, Ticket: *known}
	return a, a.unsafe(p)
}

// unsafe returns the error of an accepted purchase that too few replicas have: until SQL
// has its result, a crash of Redis could lose it.
func (a Admission) unsafe(p Purchase) error {
	if a.Verdict != Accepted && (a.Verdict != Known || a.Ticket.State != Queued) {
		return nil
	}
	return errors.Join(ErrUnknown, fmt.Errorf("admit to the gate of sale %d: %w", p.Sale, ErrReplicas))
}
