package mq

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"interlock/internal/base/redisconn"
)

// RedisQueue is a Queue of Redis lists.
type RedisQueue struct {
	broker *Redis
	name   string
	keys   RedisKeys
	list   []string
	waker  *waker
}

// Name implements Queue.
func (q *RedisQueue) Name() string { return q.name }

// Keys returns the queue's keys, for scripts that admit work and enqueue it in one step.
func (q *RedisQueue) Keys() RedisKeys { return q.keys }

// Enqueued reports messages that a script of another package added: it counts them and
// wakes this process's consumer.
func (q *RedisQueue) Enqueued(messages int) {
	q.broker.options.Observer.enqueued(q.name, messages)
	q.waker.wake()
}

func (q *RedisQueue) arrivals() <-chan struct{} { return q.waker.signal }

// run runs a script on the queue's keys plus extra keys.
func (q *RedisQueue) run(ctx context.Context, s *redis.Script, extra []string, args ...any) *redis.Cmd {
	keys := q.list
	if len(extra) > 0 {
		keys = slices.Concat(keys, extra)
	}
	return s.Run(ctx, q.broker.client, keys, args...)
}

// again runs a script, and runs it once more if its reply was lost.
func (q *RedisQueue) again(ctx context.Context, s *redis.Script, extra []string, args ...any) *redis.Cmd {
	reply := q.run(ctx, s, extra, args...)
	if err := reply.Err(); err == nil || redisconn.Refused(err) || ctx.Err() != nil {
		return reply
	}
	return q.run(ctx, s, extra, args...)
}

// Enqueue implements Queue. One script appends all messages of a call, at most maxPush.
func (q *RedisQueue) Enqueue(ctx context.Context, messages ...Message) error {
	if len(messages) == 0 {
		return nil
	}
	if len(messages) > maxPush {
		return fmt.Errorf("%w: %d in one call, want at most %d", ErrInvalidMessage, len(messages), maxPush)
	}
	args := make([]any, 0, len(messages))
	for _, m := range messages {
		if m.EnqueuedTime.IsZero() {
			m.EnqueuedTime = q.broker.options.Clock.Now()
		}
		encoded, err := Encode(m)
		if err != nil {
			return fmt.Errorf("enqueue to %s: %w", q.name, err)
		}
		args = append(args, encoded)
	}
	if err := q.broker.registerOnce(ctx, q.name); err != nil {
		return err
	}
	if err := q.run(ctx, pushScript, nil, args...).Err(); err != nil {
		return fmt.Errorf("enqueue to %s: %w", q.name, err)
	}
	q.Enqueued(len(messages))
	return nil
}

// Claim implements Queue.
func (q *RedisQueue) Claim(ctx context.Context, limit int, lease time.Duration) (*Batch, error) {
	return q.ClaimPaced(ctx, limit, lease, 0)
}

// ClaimPaced implements Queue.
func (q *RedisQueue) ClaimPaced(ctx context.Context, limit int, lease time.Duration, rate float64) (*Batch, error) {
	if err := q.broker.registerOnce(ctx, q.name); err != nil {
		return nil, err
	}
	limit = min(max(limit, 1), maxBatch)
	for {
		id := newBatchID()
		keys := []string{q.keys.batch + id}
		args := []any{id, limit, lease.Microseconds(), q.broker.options.Limits.Suspect}
		if rate > 0 {
			keys, args = append(keys, q.keys.rate), append(args, rate)
		}
		reply := q.again(ctx, claimScript, keys, args...)
		if wait, paced := reply.Val().(int64); paced {
			return nil, fmt.Errorf("claim from %s: %w", q.name, &PacedError{time.Duration(wait) * time.Microsecond})
		}
		encoded, err := reply.StringSlice()
		if err != nil {
			return nil, fmt.Errorf("claim from %s: %w", q.name, err)
		}
		if len(encoded) == 0 {
			return nil, nil
		}
		b, broken := decodeBatch(id, encoded)
		if len(broken) > 0 {
			if err := q.bury(ctx, id, broken); err != nil {
				return nil, err
			}
		}
		if len(b.Messages) > 0 {
			return b, nil
		}
	}
}

type undecodable struct {
	encoded string
	err     error
}

func decodeBatch(id string, encoded []string) (*Batch, []undecodable) {
	b := &Batch{ID: id, Messages: make([]Message, 0, len(encoded))}
	var broken []undecodable
	for _, e := range encoded {
		m, err := Decode([]byte(e))
		if err != nil {
			broken = append(broken, undecodable{e, err})
			continue
		}
		b.Messages = append(b.Messages, m)
	}
	return b, broken
}

// bury makes undecodable messages dead, under an ID derived from their bytes.
func (q *RedisQueue) bury(ctx context.Context, batch string, broken []undecodable) error {
	args := make([]any, 1, 1+3*len(broken))
	args[0] = batch
	for _, u := range broken {
		args = append(args, u.encoded, undecodableID([]byte(u.encoded)), u.err.Error())
	}
	if err := q.again(ctx, buryScript, []string{q.keys.batch + batch}, args...).Err(); err != nil {
		return fmt.Errorf("make undecodable messages of %s dead: %w", q.name, err)
	}
	q.broker.options.Observer.settled(q.name, OutcomeCounts{Dead: len(broken)})
	return nil
}

func undecodableID(data []byte) string {
	return "undecodable-" + uuid.NewSHA1(uuid.NameSpaceOID, data).String()
}

// Extend implements Queue.
func (q *RedisQueue) Extend(ctx context.Context, b *Batch, lease time.Duration) error {
	held, err := q.again(ctx, extendScript, nil, b.ID, lease.Microseconds()).Bool()
	if err != nil {
		return fmt.Errorf("extend a lease of %s: %w", q.name, err)
	}
	if !held {
		return fmt.Errorf("extend batch %s of %s: %w", b.ID, q.name, ErrLeaseLost)
	}
	return nil
}

// Settle implements Queue.
func (q *RedisQueue) Settle(ctx context.Context, b *Batch, outcomes []Outcome) error {
	args, err := settleArguments(b, outcomes)
	if err != nil {
		return fmt.Errorf("settle batch %s of %s: %w", b.ID, q.name, err)
	}
	reply, err := q.again(ctx, settleScript, []string{q.keys.batch + b.ID, q.keys.settled + b.ID}, args...).Int()
	if err != nil {
		return fmt.Errorf("settle batch %s of %s: %w", b.ID, q.name, err)
	}
	switch reply {
	case 0:
		return fmt.Errorf("settle batch %s of %s: %w", b.ID, q.name, ErrLeaseLost)
	case 2:
		q.broker.options.Observer.settled(q.name, tally(outcomes))
	}
	return nil
}

func settleArguments(b *Batch, outcomes []Outcome) ([]any, error) {
	if len(outcomes) != len(b.Messages) {
		return nil, fmt.Errorf("%w: %d for %d", ErrOutcomes, len(outcomes), len(b.Messages))
	}
	var tail, head, delayed, buried []any
	for i, o := range outcomes {
		if o.kind == done {
			continue
		}
		m := o.apply(b.Messages[i])
		encoded, err := Encode(m)
		if err != nil {
			return nil, err
		}
		switch {
		case o.kind == dead:
			buried = append(buried, m.ID, encoded, o.text())
		case o.after > 0:
			delayed = append(delayed, o.after.Microseconds(), encoded)
		case o.kind == postpone:
			head = append(head, encoded)
		default:
			tail = append(tail, encoded)
		}
	}
	args := []any{b.ID, settledTTL.Milliseconds(), len(tail), len(head), len(delayed) / 2, len(buried) / 3}
	return slices.Concat(args, tail, head, delayed, buried), nil
}

// Reap implements Queue.
func (q *RedisQueue) Reap(ctx context.Context) (Reaped, error) {
	// Registered on every call, so that the name is restored after Redis lost data.
	if err := q.broker.register(ctx, q.name); err != nil {
		return Reaped{}, err
	}
	limits := q.broker.options.Limits
	reply, err := q.run(ctx, reapScript, nil, limits.CrashLimit, crashError).Int64Slice()
	if err != nil {
		return Reaped{}, fmt.Errorf("reap %s: %w", q.name, err)
	}
	if len(reply) != 3 {
		return Reaped{}, fmt.Errorf("reap %s: unexpected script reply %v", q.name, reply)
	}
	reaped, died := Reaped{Returned: int(reply[0]), Held: int(reply[2])}, int(reply[1])
	q.broker.options.Observer.reaped(q.name, reaped.Returned, died)
	if reaped.Returned > 0 {
		q.waker.wake()
	}
	return reaped, nil
}

// Stats implements Queue.
func (q *RedisQueue) Stats(ctx context.Context) (Stats, error) {
	reply, err := q.run(ctx, statsScript, nil).Int64Slice()
	if err != nil {
		return Stats{}, fmt.Errorf("measure %s: %w", q.name, err)
	}
	if len(reply) != 5 {
		return Stats{}, fmt.Errorf("measure %s: unexpected script reply %v", q.name, reply)
	}
	return Stats{
		Pending: reply[0], Claimed: reply[1], Delayed: reply[2], Dead: reply[3],
		OldestAge: time.Duration(reply[4]) * time.Microsecond,
	}, nil
}

// Dead implements Queue.
func (q *RedisQueue) Dead(ctx context.Context, after string, limit int) ([]DeadMessage, string, error) {
	from := int64(0)
	if after != "" {
		var err error
		if from, err = cursorNumber(after); err != nil {
			return nil, "", err
		}
	}
	limit = min(max(limit, 1), MaxListed)
	reply, err := q.run(ctx, deadScript, nil, from, limit+1).StringSlice()
	if err != nil {
		return nil, "", fmt.Errorf("list dead messages of %s: %w", q.name, err)
	}
	var list []DeadMessage
	for row := range slices.Chunk(reply, 4) {
		if len(row) < 4 {
			return nil, "", fmt.Errorf("list dead messages of %s: unexpected script reply %q", q.name, row)
		}
		micros, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			return nil, "", fmt.Errorf("list dead messages of %s: %w", q.name, err)
		}
		d := DeadMessage{Error: row[3], DeadTime: time.UnixMicro(int64(micros)).UTC()}
		if d.Message, err = Decode([]byte(row[2])); err != nil {
			d.Message = Message{ID: row[0], Body: []byte(row[2])}
		}
		list = append(list, d)
	}
	if len(list) <= limit {
		return list, "", nil
	}
	list = list[:limit]
	return list, strconv.FormatInt(list[limit-1].DeadTime.UnixMicro(), 10), nil
}

// cursorNumber parses one number of a cursor of dead messages. Error: ErrCursor.
func cursorNumber(after string) (int64, error) {
	from, err := strconv.ParseInt(after, 10, 64)
	if err != nil || from < 0 {
		return 0, fmt.Errorf("list after %q: %w", after, ErrCursor)
	}
	return from, nil
}

// MessageIDs calls found with the IDs of all messages in any state, page by page. It is not
// a snapshot: a message that moves during the scan can be reported twice or not at all. It
// reads pending from the tail, because consumers remove messages from the head.
func (q *RedisQueue) MessageIDs(ctx context.Context, found func(ids []string)) error {
	for last := int64(-1); ; last -= maxPush {
		ids, err := q.run(ctx, pendingIDsScript, nil, last-maxPush+1, last).StringSlice()
		if err != nil {
			return fmt.Errorf("list the messages of %s: %w", q.name, err)
		}
		if len(ids) == 0 {
			break
		}
		found(ids)
	}
	ids, err := q.run(ctx, otherIDsScript, nil).StringSlice()
	if err != nil {
		return fmt.Errorf("list the messages of %s: %w", q.name, err)
	}
	found(ids)
	return nil
}

// newBatchID returns an ID that sorts after all earlier ones.
func newBatchID() string { return uuid.Must(uuid.NewV7()).String() }
