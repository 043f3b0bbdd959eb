// Package gate admits purchases to flash sales and stores the tickets in flight.
//
// A gate is in front of the queue of a sale: it accepts a purchase, creates its ticket and
// enqueues it, in one step. There is one implementation in Redis and one in SQL, for a
// program without Redis; book specifies both.
//
// Invariants:
//
//   - Each allotted unit is counted exactly once:
//     allotted = remaining + queued + processing + dead + confirmed. Each step moves the
//     units of its ticket in one script or one transaction.
//   - A settled ticket stays settled, and returns its units at most once, because a step
//     applies only to tickets in certain states.
//   - A gate belongs to one epoch of its sale. Every command names its epoch and has no
//     effect in another one, so a delayed command, from a process that was paused, cannot
//     harm a newer gate.
//   - A gate that is missing, retired or damaged accepts no purchase.
//
// A gate is never authoritative. Its store may be restored to an older state, or be empty:
// SQL decides when a ticket becomes an order, and the gate is updated again from SQL.
package gate

import (
	"context"
	"errors"
	"time"
)

// Errors of a gate. Except for ErrUnknown, nothing was changed.
var (
	// ErrNoGate means that there is no gate of this epoch: the store was emptied or
	// restored, or the sale has a newer epoch.
	ErrNoGate = errors.New("gate: no gate of this epoch")
	// ErrTooFew means that fewer units remain than should be withheld.
	ErrTooFew = errors.New("gate: too few units remain")
	// ErrOutdated means that the gate has a later version of the sale's units.
	ErrOutdated = errors.New("gate: a later version of the units is applied")
	// ErrUnknown means that the gate did not reply to an admission: the purchase may have
	// been accepted. With ErrReplicas it was accepted without sufficient durability.
	ErrUnknown = errors.New("gate: no reply to an admission")
	// ErrTooMany means that there are more buyers than the limit.
	ErrTooMany = errors.New("gate: more buyers than the limit")
)

// State is the state of a ticket.
type State string

// The states of a ticket. Its units count as queued, processing, dead or confirmed; those
// of a rejected ticket, or of one with a cancelled order, are for sale again.
const (
	Queued     State = "queued"
	Processing State = "processing"
	Buried     State = "dead"
	Confirmed  State = "confirmed"
	Rejected   State = "rejected"
	Cancelled  State = "cancelled"
)

// InFlight are the states of unsettled tickets.
var InFlight = []State{Queued, Processing, Buried}

// HasEnded reports whether a ticket is settled. Afterwards only its order can be cancelled.
func (s State) HasEnded() bool { return s == Confirmed || s == Rejected || s == Cancelled }

// Ticket is an accepted purchase.
type Ticket struct {
	ID    string
	State State
	// User is the customer's id in the shop.
	User  string
	Units int64
	// AcceptedTime is when the gate accepted the purchase.
	AcceptedTime time.Time
	// Ahead is the number of tickets that were queued at AcceptedTime; 0 for a ticket that Build
	// added.
	Ahead int64
	// OrderID and OrderNo identify the ticket's order; 0 and "" for none.
	OrderID int64
	OrderNo string
	// Reason is the reason of its rejection.
	Reason string
}

// Step moves a ticket from one of several states to another one. Without From it changes
// nothing, and reads the ticket.
type Step struct {
	Ticket string
	From   []State
	To     State
	// OrderID, OrderNo and Reason replace the ticket's, unless they are zero.
	OrderID int64
	OrderNo string
	Reason  string
}

// Moved is the result of a step.
type Moved struct {
	// Ticket is the resulting ticket; nil if the gate does not have it.
	Ticket *Ticket
	// Changed reports whether the step moved the ticket.
	Changed bool
}

// Ref identifies the gate of a sale in one epoch.
type Ref struct{ Sale, Epoch int64 }

// Rules are the rules of a gate, from SQL.
type Rules struct {
	Ref
	// Version and StockVersion are the versions of the rows that the rules come from. Rules of
	// older versions have no effect.
	Version, StockVersion int64
	Open                  bool
	Starts, Ends          time.Time
	PerUserLimit          int64
	// QueueCap is 0 for none.
	QueueCap int64
	Allotted int64
}

// Purchase is a customer's request to the gate.
type Purchase struct {
	Ref
	Ticket string
	User   string
	Units  int64
	// Time stamps the queued message; the sale window is checked by the gate's clock.
	Time time.Time
	// Replicas is the number of Redis replicas that must store it before it is accepted. A
	// gate in SQL ignores it.
	Replicas int64
	// Trace is the W3C trace context of the request.
	Trace map[string]string
}

// Verdict is the decision of the gate on a purchase.
type Verdict string

// The verdicts.
const (
	Accepted     Verdict = "accepted"
	Known        Verdict = "known" // this very ticket was accepted before
	NotOpen      Verdict = "not_open"
	NotStarted   Verdict = "not_started"
	Ended        Verdict = "ended"
	LimitReached Verdict = "limit_reached"
	SoldOut      Verdict = "sold_out"
	QueueFull    Verdict = "queue_full"
)

// Admission is the gate's reply.
type Admission struct {
	Verdict Verdict
	// Ticket is the accepted or known ticket.
	Ticket Ticket
	// Held and Earlier are, for LimitReached, the customer's units and latest ticket. A
	// customer with units also gets LimitReached when none remain.
	Held    int64
	Earlier string
	// Remaining is, for SoldOut, the number of remaining units, fewer than requested.
	Remaining int64
	// LetIn is, for SoldOut, the number of units that were ever accepted, including
	// returned ones. While it is unchanged, no customer has become a buyer.
	LetIn int64
}

// Holding contains the units of one customer in tickets that are in flight or confirmed.
type Holding struct {
	Units int64
	// Ticket is the latest ticket.
	Ticket string
}

// Inconsistencies are differences between the gate and its queue. Only a partial loss of a
// store causes them.
type Inconsistencies struct {
	// Tickets are in flight without a message that would process them.
	Tickets []Ticket
	// DeadMessages are the IDs of dead messages without a ticket.
	DeadMessages []string
}

// Gate admits purchases to sales. It is safe for concurrent use by many processes. Each call is one
// script or one transaction unless stated otherwise, and is applied completely or not at all. Any
// error that a method does not list means that the store could not be reached, and the call may
// have been applied or not; every call may be retried.
type Gate interface {
	// Admit accepts a purchase and enqueues its ticket, or returns the reason of a
	// rejection. A ticket that was accepted before is Known, regardless of the other rules.
	// Errors: ErrNoGate; ErrUnknown if it may have been accepted; ErrReplicas; any other
	// error means that it was not accepted.
	Admit(ctx context.Context, p Purchase) (Admission, error)

	// Ticket returns a ticket, nil if the gate does not have it. Errors: ErrNoGate.
	Ticket(ctx context.Context, ref Ref, ticket string) (*Ticket, error)

	// Held returns a customer's units and latest ticket. Errors: ErrNoGate.
	Held(ctx context.Context, ref Ref, user string) (Holding, error)

	// Buyers returns the customers that have or had units, or ErrTooMany if there are more than
	// most. It reads page by page, and may miss concurrent admissions. Errors: ErrNoGate,
	// ErrTooMany.
	Buyers(ctx context.Context, ref Ref, most int) ([]string, error)

	// Move applies each step with a ticket in one of its From states, and returns the
	// results in the order of the steps. It applies many steps in several parts. Errors:
	// ErrNoGate.
	Move(ctx context.Context, ref Ref, steps []Step) ([]Moved, error)

	// Apply applies newer rules. A newer allotment changes the remaining units by the
	// difference, and ends a withholding. Errors: ErrNoGate.
	Apply(ctx context.Context, r Rules) error

	// Withhold reduces the remaining units before SQL reduces the allotment at stockVersion. With 0
	// units it ends the reduction of that version, even if a store that was restored to an older
	// state has oversold. Errors: ErrNoGate, ErrTooFew, ErrOutdated.
	Withhold(ctx context.Context, ref Ref, stockVersion, units int64) error

	// Adopt adds settled tickets that the gate has lost, and returns their number. It skips
	// tickets that it has, and a Confirmed one if too few units remain: other tickets are
	// queued for those units, and get them or return them. It adds many tickets in several
	// parts. Errors: ErrNoGate.
	Adopt(ctx context.Context, ref Ref, tickets []Ticket) (int, error)

	// FindInconsistencies compares the tickets with the messages of the queue. It is exact except for
	// concurrent moves, which it checks twice. Errors: ErrNoGate.
	FindInconsistencies(ctx context.Context, ref Ref) (Inconsistencies, error)

	// Requeue enqueues messages for tickets in flight, and returns their number. A second
	// message of a ticket is harmless. Errors: ErrNoGate.
	Requeue(ctx context.Context, ref Ref, tickets []Ticket) (int, error)

	// RetryDead returns a dead message, and its ticket, to the queue. Errors: ErrNoGate,
	// mq.ErrNoSuchMessage.
	RetryDead(ctx context.Context, ref Ref, message string) error

	// DiscardDead deletes a dead message, and leaves its ticket unchanged. Errors:
	// ErrNoGate, mq.ErrNoSuchMessage.
	DiscardDead(ctx context.Context, ref Ref, message string) error

	// Count adds purchase attempts to the numbers. It works without a gate, and Build retains
	// the counts.
	Count(ctx context.Context, sale int64, a Attempts) error

	// SaveAttempts makes the counts durable beyond this process. It does nothing if Count
	// already does so.
	SaveAttempts(ctx context.Context) error

	// Counts returns the numbers. Errors: ErrNoGate if there is no gate of any epoch, or it
	// is damaged.
	Counts(ctx context.Context, sale int64) (Counts, error)

	// Retire ensures that there is no gate of this epoch and that none can be built, and reports
	// whether it succeeded; only then may the next epoch start. It retains a sound gate of this
	// epoch, unless replace is set and its queue is empty, and a gate of a later epoch.
	Retire(ctx context.Context, ref Ref, replace bool) (bool, error)

	// Build builds the gate of an epoch with these settled tickets, and empties the queue.
	// It does nothing if there is a gate of this epoch or a later one, or if this one was
	// retired. Until its last step, which is one script or transaction, the gate is
	// unchanged.
	Build(ctx context.Context, r Rules, tickets []Ticket) error

	// Expire lets the store delete a finished sale after a while. A gate in SQL retains it.
	Expire(ctx context.Context, sale int64, after time.Duration) error
}
