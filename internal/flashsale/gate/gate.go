// Package gate admits customers to flash sales and keeps the tickets that are in flight.
//
// A gate stands before the queue of a sale: it lets a purchase in, gives it a ticket and
// queues it, in one step. There is one in Redis and one in SQL, for a program without
// Redis; both do what book does, which is the specification.
//
// Invariants:
//
//   - Each allotted unit is in exactly one place:
//     allotted = remaining + queued + processing + dead + confirmed. Each step moves the
//     units of its ticket in one script or one transaction.
//   - A ticket that ended stays ended, and gives back once what it gives back, because a
//     step is taken from some states only.
//   - A gate belongs to one epoch of its sale. Every command names the epoch that it is
//     for and does nothing in another, so one that comes late, from a process that was
//     stopped on the way, cannot harm what was built since.
//   - A gate that is missing, retired or damaged admits nobody.
//
// A gate is never the last word. Its store may come back older than it was, or empty: SQL
// decides when a ticket becomes an order, and what is in SQL is told to the gate again.
package gate

import (
	"context"
	"errors"
	"time"
)

// What a gate can answer besides a result. But for ErrUnknown, nothing was changed.
var (
	// ErrNoGate means that there is no gate of this epoch: the store was emptied, or put
	// back, or the sale has gone on to another epoch.
	ErrNoGate = errors.New("gate: no gate of this epoch")
	// ErrTooFew means that fewer units remain than were to be withheld.
	ErrTooFew = errors.New("gate: too few units remain")
	// ErrOutdated means that the gate has heard of a later version of the sale's units.
	ErrOutdated = errors.New("gate: a later version of the units is applied")
	// ErrUnknown means that the gate was asked to let a purchase in and did not answer:
	// it may have. With ErrReplicas it did, and could forget it.
	ErrUnknown = errors.New("gate: no reply to an admission")
	// ErrTooMany means that there are more buyers than were asked for.
	ErrTooMany = errors.New("gate: more buyers than were asked for")
)

// State is where a ticket stands.
type State string

// The states of a ticket. Its units are counted as queued, processing, dead or
// confirmed; those of a rejected one, or of one whose order was cancelled, remain for
// sale again.
const (
	Queued     State = "queued"
	Processing State = "processing"
	Buried     State = "dead"
	Confirmed  State = "confirmed"
	Rejected   State = "rejected"
	Cancelled  State = "cancelled"
)

// InFlight are the states of tickets that have not ended.
var InFlight = []State{Queued, Processing, Buried}

// HasEnded reports whether nothing can become of a ticket any more but that its order is
// cancelled.
func (s State) HasEnded() bool { return s == Confirmed || s == Rejected || s == Cancelled }

// Ticket is an accepted purchase.
type Ticket struct {
	ID    string
	State State
	// User is the customer, as the shop names it.
	User  string
	Units int64
	// AcceptedTime is when the gate let it in.
	AcceptedTime time.Time
	// Ahead is how many tickets waited then; 0 for one that the gate was built with.
	Ahead int64
	// OrderID and OrderNo are of its order, zero without one.
	OrderID int64
	OrderNo string
	// Reason says why it was rejected.
	Reason string
}

// Step moves a ticket from one of some states to another. Without From it moves nothing, and is a
// way to read the ticket.
type Step struct {
	Ticket string
	From   []State
	To     State
	// OrderID, OrderNo and Reason replace the ticket's, unless they are zero.
	OrderID int64
	OrderNo string
	Reason  string
}

// Moved is what became of a step.
type Moved struct {
	// Ticket is as it is then; nil when the gate does not know it.
	Ticket *Ticket
	// Changed is whether the step moved it.
	Changed bool
}

// Ref names the gate of a sale in one epoch.
type Ref struct{ Sale, Epoch int64 }

// Rules are what the gate goes by, as SQL has them.
type Rules struct {
	Ref
	// Version and StockVersion are of the rows that the rules are from. Older ones than
	// the gate has change nothing.
	Version, StockVersion int64
	Open                  bool
	Starts, Ends          time.Time
	PerUserLimit          int64
	// QueueCap is 0 for none.
	QueueCap int64
	Allotted int64
}

// Purchase is what a customer asks for.
type Purchase struct {
	Ref
	Ticket string
	User   string
	Units  int64
	// Time stamps the queued message; the window goes by the gate's own clock.
	Time time.Time
	// Replicas is how many replicas of Redis must have it before it is accepted. A gate in SQL
	// does not look at it.
	Replicas int64
	// Trace is the W3C trace context of the request.
	Trace map[string]string
}

// Verdict is what the gate answers to a purchase.
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

// Admission is the gate's answer.
type Admission struct {
	Verdict Verdict
	// Ticket is the accepted or known one.
	Ticket Ticket
	// Held and Earlier are, for LimitReached, the units that the customer holds and
	// its latest ticket. A customer who holds some is told so, too, when none remain.
	Held    int64
	Earlier string
	// Remaining is, for SoldOut, how many units remain: fewer than were asked for.
	Remaining int64
	// LetIn is, for SoldOut, how many units were ever let in, also those that came back.
	// While it is the same, nobody holds units who held none.
	LetIn int64
}

// Holding is what one customer holds of a sale, in tickets that are in flight or confirmed.
type Holding struct {
	Units int64
	// Ticket is the latest.
	Ticket string
}

// Inconsistencies are what the gate and its queue do not agree on. Nothing makes any but a store
// that lost a part of what it had.
type Inconsistencies struct {
	// Tickets are in flight, and no message will ever take them further.
	Tickets []Ticket
	// DeadMessages are the IDs of dead messages that are no ticket's.
	DeadMessages []string
}

// Gate admits customers to sales. It is safe for concurrent use by many processes. Each
// call is one script or one transaction unless it says otherwise: all of it happens or
// nothing does. An error that is none of this package's says that the store could not be
// reached, and leaves open whether the call took effect; each can be made again.
type Gate interface {
	// Admit lets a purchase in or says why not, and queues its ticket. A ticket that was
	// let in before is Known, whatever the other rules say. Errors: ErrNoGate; ErrUnknown
	// when it may have been let in; ErrReplicas; any other says that it was not.
	Admit(ctx context.Context, p Purchase) (Admission, error)

	// Ticket returns a ticket, nil when the gate does not know it. Errors: ErrNoGate.
	Ticket(ctx context.Context, ref Ref, ticket string) (*Ticket, error)

	// Held returns how many units a customer holds, and its latest ticket. Errors: ErrNoGate.
	Held(ctx context.Context, ref Ref, user string) (Holding, error)

	// Buyers returns the customers who hold units or once did, at most so many. It reads a
	// part at a time, and may miss who is let in meanwhile. Errors: ErrNoGate, ErrTooMany.
	Buyers(ctx context.Context, ref Ref, most int) ([]string, error)

	// Move takes each step whose ticket is in one of its From states, and returns what
	// became of each, in the order of the steps. Many steps are taken a part at a time.
	// Errors: ErrNoGate.
	Move(ctx context.Context, ref Ref, steps []Step) ([]Moved, error)

	// Apply brings newer rules to the gate. A newer allotment changes what remains by as
	// much, and ends what was withheld. Errors: ErrNoGate.
	Apply(ctx context.Context, r Rules) error

	// Withhold takes so many units of those that remain out of the allotment at a version
	// of the units, before SQL does; 0 gives back what was withheld at it, also where a
	// store that came back older has sold more than there is. Errors: ErrNoGate, ErrTooFew,
	// ErrOutdated.
	Withhold(ctx context.Context, ref Ref, stockVersion, units int64) error

	// Adopt takes in tickets that the gate has forgotten, each of them ended, and returns
	// how many those were. It passes over those that it knows, and a Confirmed one whose
	// units do not remain: others are waiting for them, and get them or give them back.
	// Many are taken in a part at a time. Errors: ErrNoGate.
	Adopt(ctx context.Context, ref Ref, tickets []Ticket) (int, error)

	// Strays compares the tickets with the messages of the queue. It is exact for what
	// does not move meanwhile; what does is looked at twice. Errors: ErrNoGate.
	Strays(ctx context.Context, ref Ref) (Inconsistencies, error)

	// Requeue gives tickets that are in flight a message, and returns how many those
	// were. A second message of a ticket does no harm. Errors: ErrNoGate.
	Requeue(ctx context.Context, ref Ref, tickets []Ticket) (int, error)

	// RetryDead puts a dead message, and its ticket, back into the queue. Errors:
	// ErrNoGate, mq.ErrNoSuchMessage.
	RetryDead(ctx context.Context, ref Ref, message string) error

	// DiscardDead removes a dead message, and leaves its ticket as it is. Errors:
	// ErrNoGate, mq.ErrNoSuchMessage.
	DiscardDead(ctx context.Context, ref Ref, message string) error

	// Count adds arrivals to the numbers. It needs no gate to be there, and Build leaves
	// what was counted as it is.
	Count(ctx context.Context, sale int64, a Arrivals) error

	// SaveArrivals has what was counted outlive this process. A gate whose Count does
	// that already has nothing to do.
	SaveArrivals(ctx context.Context) error

	// Counts returns the numbers. Errors: ErrNoGate when there is no gate of any epoch,
	// or it is damaged.
	Counts(ctx context.Context, sale int64) (Counts, error)

	// Retire makes sure that there is no gate of this epoch, nor will be one, and reports
	// whether that is so: then, and only then, the next epoch may begin. A gate of this
	// epoch that is sound is left alone, unless it is to be replaced, and even then if a
	// message is in its queue; and so is one of a later epoch.
	Retire(ctx context.Context, ref Ref, replace bool) (bool, error)

	// Build makes the gate of an epoch with these tickets, each of them ended, and
	// empties the queue. It does nothing when there is a gate of this epoch or a later
	// one, or this one was retired. Until its last step, which is one script or
	// transaction, the gate is as it was.
	Build(ctx context.Context, r Rules, tickets []Ticket) error

	// Expire lets the store forget a sale, which is over, after a while. A store that has
	// room for it keeps it.
	Expire(ctx context.Context, sale int64, after time.Duration) error
}
