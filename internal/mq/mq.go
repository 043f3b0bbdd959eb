// Package mq is a reliable message queue.
//
// Every implementation has these invariants, and mqtest.Contract tests them:
//
//   - A message is in exactly one state at any time: pending, claimed, delayed or
//     dead. It leaves the queue only by a Settle with Done, or by a step that
//     another package runs in its own script or transaction: see ScriptPrelude,
//     SQL.DiscardDeadTx and SQL.PurgeTx. Each step is one script or one transaction.
//   - While a lease is active, no other consumer receives its messages. Delivery is
//     at least once: after a crash, or an Enqueue without a reply, a message can
//     be delivered again, so handlers must deduplicate by its ID.
//   - Pending is FIFO. Messages of a crashed consumer return to the head, in their
//     original order.
//   - Failed attempts and crashes are counted separately. A message with counts that
//     add up to Suspect is claimed alone, so that it cannot delay other messages or
//     crash their consumer. A message with CrashLimit crashes is dead.
//   - Dead messages are stored until they are retried or discarded.
//
// The states of a message:
//
//	Enqueue ──► pending ──Claim──► claimed ──Settle Done──► removed
//	             ▲  ▲ ▲              │ │ └────Settle Dead──► dead ──discarded──► removed
//	             │  │ └lease expired─┘ │                      │
//	    delayed ─┘  └──────────retried─┼──────────────────────┘
//	       ▲                           │
//	       └────────Settle Retry───────┘
//
// Settle with Postpone is Retry without counting an attempt; without a delay the message
// returns to the head of pending. An expired lease counts as a crash; the crash that
// reaches the limit makes the message dead.
//
// A package that retries or discards dead messages, or empties a queue, changes its own
// data in the same step, such as the tickets of a flash sale. Therefore these steps are
// functions for that package's own scripts and transactions, which add their own
// preconditions.
package mq

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrLeaseLost means that the batch no longer belongs to the caller: its lease expired
	// and the messages were returned, or the queue was purged. The caller must not count
	// its work as accepted.
	ErrLeaseLost = errors.New("lease of the batch is lost")
	// ErrNoSuchMessage means that no dead message has this ID.
	ErrNoSuchMessage = errors.New("no such dead message")
	// ErrCursor means that a cursor of dead messages was not issued by this queue.
	ErrCursor = errors.New("not a cursor of dead messages")
	// ErrInvalidMessage means that a message cannot be stored: a programming error of the
	// producer.
	ErrInvalidMessage = errors.New("invalid message")
	// ErrUndecodable means that stored bytes are not a message of a version that this
	// program supports.
	ErrUndecodable = errors.New("undecodable message")
	// ErrOutcomes means that the number of outcomes and of messages passed to Settle
	// differ.
	ErrOutcomes = errors.New("want one outcome for each message of the batch")
)

// MaxIDLength is the longest message ID, in bytes.
const MaxIDLength = 128

// Message is one unit of work.
type Message struct {
	// ID identifies the message in its queue; the producer assigns it, 1 to MaxIDLength
	// bytes.
	ID   string
	Body []byte
	// Attempts counts failed handlings.
	Attempts int
	// Crashes counts claims with a lease that expired without a Settle.
	Crashes int
	// EnqueuedTime is set by Enqueue if it is zero, in whole microseconds.
	EnqueuedTime time.Time
	// Trace is the W3C trace context of the producer; nil without one.
	Trace map[string]string
}

// Batch is a set of messages under one lease, in the queue's order.
type Batch struct {
	// ID is unique among all batches of all queues.
	ID       string
	Messages []Message

	rows []int64 // the messages' row ids, for SQL
}

// DeadMessage is a message that is no longer delivered.
type DeadMessage struct {
	Message
	// Error is the reason, as text for operators.
	Error string
	// DeadTime is when the message became dead.
	DeadTime time.Time
}

// Stats are the sizes of a queue at one point in time.
type Stats struct {
	Pending int64
	Claimed int64
	Delayed int64
	Dead    int64
	// OldestAge is the time since the message at the head of pending was enqueued,
	// 0 when none is.
	OldestAge time.Duration
}

// Reaped is the result of Reap.
type Reaped struct {
	// Returned is the number of messages returned from expired leases.
	Returned int
	// Held is the number of batches with active leases.
	Held int
}

// Total is the number of messages in all states.
func (s Stats) Total() int64 { return s.Pending + s.Claimed + s.Delayed + s.Dead }

// Queue stores messages in order. It is safe for concurrent use by many processes.
//
// An error that is none of this package's means that the store was unreachable; the
// call may or may not have taken effect. The caller may retry every call except Enqueue
// with the same arguments; a repeated Enqueue may duplicate its messages.
type Queue interface {
	// Name returns the queue's name.
	Name() string

	// Enqueue appends messages in order, all or none.
	Enqueue(ctx context.Context, messages ...Message) error

	// Claim claims up to limit messages from the head under a lease. It returns nil and no
	// error when no message is pending. A suspect message is claimed alone, see Limits.
	// Messages that cannot be decoded become dead and are not returned.
	Claim(ctx context.Context, limit int, lease time.Duration) (*Batch, error)

	// ClaimPaced is Claim with a bound on the messages per second of all consumers in all
	// processes: the token bucket is stored with the queue. A rate of 0 means no bound.
	// Error: *PacedError when messages are pending and the rate allows none now.
	ClaimPaced(ctx context.Context, limit int, lease time.Duration, rate float64) (*Batch, error)

	// Extend makes the lease of b end after lease, counted from now. Error: ErrLeaseLost.
	Extend(ctx context.Context, b *Batch, lease time.Duration) error

	// Settle applies one outcome per message of b, in order, and ends the lease: all outcomes take
	// effect or none. Settling a batch again within a minute returns nil and has no effect, so a
	// caller can retry after a lost reply. Errors: ErrLeaseLost, ErrOutcomes.
	Settle(ctx context.Context, b *Batch, outcomes []Outcome) error

	// Reap returns batches with expired leases to the head of pending, counts a crash for
	// each of their messages, and makes due messages pending. Any process may call it at
	// any time; a Consumer does so regularly.
	Reap(ctx context.Context) (Reaped, error)

	// Stats returns the sizes, all at the same point in time.
	Stats(ctx context.Context) (Stats, error)

	// Dead lists dead messages, oldest death first, and the cursor of the next page, which
	// is empty after the last page. An empty cursor selects the first page. Error:
	// ErrCursor.
	Dead(ctx context.Context, after string, limit int) ([]DeadMessage, string, error)
}

// Broker opens queues by name. A queue needs no creation.
type Broker interface {
	// Queue returns the queue of this name: 1 to MaxNameLength bytes without braces or
	// white space. Queue panics on any other name, a programming error. The part before the
	// first colon is the queue's family, the label of its metrics.
	Queue(name string) Queue

	// Names lists the queues that were used and not removed since, sorted.
	Names(ctx context.Context) ([]string, error)

	// Forget removes the name of an empty queue that is no longer used. If this process uses the
	// queue again, Names lists it again.
	Forget(ctx context.Context, name string) error
}

const (
	// MaxNameLength is the longest queue name, in bytes.
	MaxNameLength = 100
	// MaxListed bounds a page of dead messages.
	MaxListed = 1000
)

// Limits define when a message is suspect and when it is dead. All processes that use a
// queue must have the same limits.
type Limits struct {
	// Suspect is the sum of attempts and crashes from which on a message is claimed alone;
	// 0 means 2.
	Suspect int
	// CrashLimit is the number of crashes after which a message is dead. It is larger than
	// Suspect, so that only a message that was alone in its batch dies of crashes; 0 means
	// 5.
	CrashLimit int
}

func (l Limits) withDefaults() Limits {
	if l.Suspect <= 0 {
		l.Suspect = 2
	}
	if l.CrashLimit <= 0 {
		l.CrashLimit = 5
	}
	l.CrashLimit = max(l.CrashLimit, l.Suspect+1)
	return l
}

// crashError is the error of a message that reached CrashLimit.
const crashError = "the message reached the crash limit: its consumers crashed or lost their lease"

// Outcome is the result of handling one message of a batch.
type Outcome struct {
	kind  outcomeKind
	err   error
	after time.Duration
}

type outcomeKind int

const (
	done outcomeKind = iota
	retry
	postpone
	dead
)

// Done means that the message was handled.
func Done() Outcome { return Outcome{} }

// Retry means that handling failed with err, which counts as an attempt. The message is redelivered
// after the delay. If the delay is 0, a Consumer uses its backoff, and Settle moves the message to
// the tail of pending immediately.
func Retry(err error, after time.Duration) Outcome {
	return Outcome{kind: retry, err: err, after: after}
}

// Postpone means that the message could not be handled now for a reason outside of it, such
// as an unreachable database. It counts no attempt. The message is redelivered after the
// delay, or immediately at the head when that is 0.
func Postpone(err error, after time.Duration) Outcome {
	return Outcome{kind: postpone, err: err, after: after}
}

// Dead means that retries are useless, because of err.
func Dead(err error) Outcome { return Outcome{kind: dead, err: err} }

// Err returns the error passed to Retry, Postpone or Dead, and nil for Done.
func (o Outcome) Err() error { return o.err }

// text returns the error text, bounded.
func (o Outcome) text() string {
	if o.err == nil {
		return ""
	}
	const longest = 1000
	text := strings.ToValidUTF8(o.err.Error(), "�")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "")
	}
	return text
}

// apply returns the message with its counters after the outcome.
func (o Outcome) apply(m Message) Message {
	if o.kind == retry || o.kind == dead {
		m.Attempts++
	}
	return m
}

// tally counts outcomes by kind.
func tally(outcomes []Outcome) (t OutcomeCounts) {
	for _, o := range outcomes {
		switch o.kind {
		case done:
			t.Done++
		case retry:
			t.Retried++
		case postpone:
			t.Postponed++
		case dead:
			t.Dead++
		}
	}
	return t
}

// OutcomeCounts counts messages by their outcome.
type OutcomeCounts struct{ Done, Retried, Postponed, Dead int }

// Observer receives measurements. Nil functions are not called. They must not block.
type Observer struct {
	// Enqueued is called after messages were added.
	Enqueued func(queue string, messages int)
	// Settled is called after a batch was settled.
	Settled func(queue string, t OutcomeCounts)
	// Reaped is called after messages were returned from expired leases; dead messages are
	// those that reached the crash limit.
	Reaped func(queue string, returned, dead int)
}

func (o Observer) enqueued(queue string, messages int) {
	if o.Enqueued != nil {
		o.Enqueued(queue, messages)
	}
}

func (o Observer) settled(queue string, t OutcomeCounts) {
	if o.Settled != nil {
		o.Settled(queue, t)
	}
}

func (o Observer) reaped(queue string, returned, dead int) {
	if o.Reaped != nil && returned+dead > 0 {
		o.Reaped(queue, returned, dead)
	}
}

// Family returns the part of a queue's name before its first colon. Families are few,
// queues many.
func Family(queue string) string {
	family, _, _ := strings.Cut(queue, ":")
	return family
}

func mustName(name string) {
	if name == "" || len(name) > MaxNameLength || strings.ContainsAny(name, "{} \t\r\n") {
		panic(fmt.Sprintf("mq: %q is no queue name", name))
	}
}

func (m Message) validate() error {
	switch {
	case m.ID == "" || len(m.ID) > MaxIDLength:
		return fmt.Errorf("%w: its ID has %d bytes, want 1 to %d", ErrInvalidMessage, len(m.ID), MaxIDLength)
	case m.Attempts < 0 || m.Attempts > maxCount || m.Crashes < 0 || m.Crashes > maxCount:
		return fmt.Errorf("%w %q: %d attempts and %d crashes, want 0 to %d", ErrInvalidMessage, m.ID, m.Attempts, m.Crashes, maxCount)
	}
	return nil
}
