// Package mq is a queue for work that must not be lost.
//
// Invariants, held by every implementation and proved by mqtest.Contract:
//
//   - A message is at any time in exactly one place: pending, claimed, delayed or
//     dead. It leaves the queue only by a Settle that says Done, or by a step that
//     another package takes in its own script or transaction: see ScriptPrelude,
//     SQL.DiscardDeadTx and SQL.PurgeTx. Each step is one script or one transaction.
//   - Under a live lease nobody else is given the message. Delivery is at least
//     once: after a crash, or an Enqueue whose reply was lost, the same message can
//     come again, so handlers go by its ID.
//   - Pending is first in, first out. What a crashed consumer held comes back to
//     the head, in its old order.
//   - Failed attempts and crashes are counted apart. A message with Suspect of both
//     together is claimed alone, so that it cannot delay others or crash their consumer
//     too, and one with CrashLimit crashes is dead.
//   - The dead are kept until somebody retries or discards them.
//
// A message's life:
//
//	Enqueue ──► pending ──Claim──► claimed ──Settle Done──► gone
//	             ▲  ▲ ▲              │ │ └────Settle Dead──► dead ──discarded──► gone
//	             │  │ └─lease ended──┘ │                      │
//	    delayed ─┘  └──────────retried─┼──────────────────────┘
//	       ▲                           │
//	       └────────Settle Retry───────┘
//
// Settle Postpone is Retry without an attempt; with no delay it leads to the head of pending.
// A lease that has ended is a crash, and the last one that a message may have leads to dead.
//
// A package that decides on dead messages or empties a queue changes data of its own in the
// same step, such as the tickets of a flash sale. So these steps are functions for that
// package's own scripts and transactions, which add the condition under which they may
// still be taken.
package mq

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrLeaseLost means that the batch is no longer the caller's: its lease ended
	// and the messages went back, or the queue was purged. Whoever gets it must not
	// count its work as accepted.
	ErrLeaseLost = errors.New("lease of the batch is lost")
	// ErrNoSuchMessage means that no dead message has this ID.
	ErrNoSuchMessage = errors.New("no such dead message")
	// ErrCursor means that a cursor of dead messages is none that this queue gave.
	ErrCursor = errors.New("no cursor of dead messages")
	// ErrInvalidMessage means that a message cannot be stored as it is: a
	// programming error of the producer.
	ErrInvalidMessage = errors.New("invalid message")
	// ErrUndecodable means that stored bytes are no message of a version that this
	// program knows.
	ErrUndecodable = errors.New("undecodable message")
	// ErrOutcomes means that Settle was not given one outcome for each message.
	ErrOutcomes = errors.New("want one outcome for each message of the batch")
)

// MaxIDLength is the longest message ID, in bytes.
const MaxIDLength = 128

// Message is one piece of work.
type Message struct {
	// ID names the message in its queue; the producer gives it, 1 to MaxIDLength
	// bytes.
	ID   string
	Body []byte
	// Attempts counts the handlings that failed.
	Attempts int
	// Crashes counts the claims that ended without an answer.
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

// DeadMessage is a message that is not handled any more.
type DeadMessage struct {
	Message
	// Error says why, in words for people.
	Error string
	// DeadTime is when it was given up.
	DeadTime time.Time
}

// Stats are the sizes of a queue at one moment.
type Stats struct {
	Pending int64
	Claimed int64
	Delayed int64
	Dead    int64
	// OldestAge is the time since the message at the head of pending was enqueued,
	// 0 when none is.
	OldestAge time.Duration
}

// Reaped is what Reap did, and what it left.
type Reaped struct {
	// Returned is how many messages came back from ended leases.
	Returned int
	// Held is how many batches are under leases that have not ended.
	Held int
}

// Total is how many messages there are.
func (s Stats) Total() int64 { return s.Pending + s.Claimed + s.Delayed + s.Dead }

// Queue keeps messages in order. It is safe for concurrent use by many processes.
//
// An error that is none of this package's says that the store could not be
// reached, and leaves open whether the call took effect. All calls but Enqueue may
// then be made again with the same arguments; Enqueue may double its messages.
type Queue interface {
	// Name returns the queue's name.
	Name() string

	// Enqueue appends messages in their order. All are in or none is.
	Enqueue(ctx context.Context, messages ...Message) error

	// Claim takes up to limit messages from the head under a lease. It returns nil
	// and no error when there is nothing to claim. A suspect message comes alone, see
	// Limits. Messages that cannot be decoded go to the
	// dead ones and not to the caller.
	Claim(ctx context.Context, limit int, lease time.Duration) (*Batch, error)

	// ClaimPaced is Claim for consumers that together take at most so many messages a
	// second from the queue, in however many processes they are: the bucket of the rate is
	// kept with the messages. A rate of 0 is none. Error: *PacedError when there are
	// messages and the rate leaves none of them.
	ClaimPaced(ctx context.Context, limit int, lease time.Duration, rate float64) (*Batch, error)

	// Extend makes the lease of b end after lease from now. Error: ErrLeaseLost.
	Extend(ctx context.Context, b *Batch, lease time.Duration) error

	// Settle answers for each message of b, in its order, and ends the lease: all
	// outcomes take effect or none. Settling a batch again within a minute of the
	// first time succeeds and does nothing, so a lost reply can be asked for again.
	// Errors: ErrLeaseLost, ErrOutcomes.
	Settle(ctx context.Context, b *Batch, outcomes []Outcome) error

	// Reap returns the batches whose lease has ended to the head of pending, counts
	// a crash for each of their messages, and makes pending what is due. Any process may
	// call it at any time; a Consumer does so regularly.
	Reap(ctx context.Context) (Reaped, error)

	// Stats returns the sizes, all of the same moment.
	Stats(ctx context.Context) (Stats, error)

	// Dead lists dead messages, longest dead first, and the cursor of the next page,
	// empty after the last. The first page follows the empty cursor. Error: ErrCursor.
	Dead(ctx context.Context, after string, limit int) ([]DeadMessage, string, error)
}

// Broker gives queues by name. A queue needs no creation.
type Broker interface {
	// Queue returns the queue of this name: 1 to MaxNameLength bytes without braces
	// or white space. Another name is a programming error and panics. What comes
	// before the first colon is the queue's family, by which it is measured.
	Queue(name string) Queue

	// Names lists the queues that were used and not forgotten since, sorted.
	Names(ctx context.Context) ([]string, error)

	// Forget removes the name of a queue that is empty and is not used any more. In this process a
	// queue that is used again is listed again.
	Forget(ctx context.Context, name string) error
}

const (
	// MaxNameLength is the longest queue name, in bytes.
	MaxNameLength = 100
	// MaxListed bounds a page of dead messages.
	MaxListed = 1000
)

// Limits say when a message is suspect and when it is given up. They are the same
// for all processes that use a queue.
type Limits struct {
	// Suspect is from how many attempts and crashes together a message is claimed
	// alone; 0 means 2.
	Suspect int
	// CrashLimit is how many crashes make a message dead. It is larger than Suspect,
	// so that only a message that was alone in its batch can die of it; 0 means 5.
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

// crashError is why a message that reached CrashLimit is dead.
const crashError = "the process that worked on it crashed, or lost its lease, as often as a message may"

// Outcome is the answer for one message of a batch.
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

// Done says that the message was handled.
func Done() Outcome { return Outcome{} }

// Retry says that handling it failed with err, which costs an attempt. The message
// comes again after the delay; for a Consumer 0 means its backoff, for Settle at
// once, at the tail.
func Retry(err error, after time.Duration) Outcome {
	return Outcome{kind: retry, err: err, after: after}
}

// Postpone says that it could not be handled now for a reason that is not the
// message's, such as a database that cannot be reached. It costs nothing. The message comes
// again after the delay, or at once at the head when that is 0.
func Postpone(err error, after time.Duration) Outcome {
	return Outcome{kind: postpone, err: err, after: after}
}

// Dead says that handling it again is no use, because of err.
func Dead(err error) Outcome { return Outcome{kind: dead, err: err} }

// Err returns what was given to Retry, Postpone or Dead, and nil for Done.
func (o Outcome) Err() error { return o.err }

// text returns the error in words, bounded.
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

// apply returns the message as it is after the outcome.
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
	// Enqueued is called when messages were added.
	Enqueued func(queue string, messages int)
	// Settled is called when a batch was settled.
	Settled func(queue string, t OutcomeCounts)
	// Reaped is called when messages came back from ended leases; dead of them had
	// reached the crash limit.
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

// Family returns the part of a queue's name before its first colon. Queues are
// many, families few.
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
