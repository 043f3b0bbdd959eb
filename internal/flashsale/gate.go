package flashsale

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What a gate can answer besides a result. Nothing was changed.
var (
	// ErrNoGate means that the gate does not know the sale, or knows it from another
	// epoch: its store was emptied or put back.
	ErrNoGate = errors.New("flashsale: the gate does not know this epoch of the sale")
	// ErrTooFew means that fewer units remain than were to be taken away.
	ErrTooFew = errors.New("flashsale: too few units remain")
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

// Ticket is an accepted purchase as the gate knows it.
type Ticket struct {
	ID    string
	State State
	User  int64
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

// Step moves a ticket from one of some states to another.
type Step struct {
	Ticket string
	From   []State
	To     State
	// OrderID, OrderNo and Reason replace the ticket's, unless they are zero.
	OrderID int64
	OrderNo string
	Reason  string
}

// Rules are what the gate goes by, as SQL has them.
type Rules struct {
	Sale  int64
	Epoch int64
	// Version and StockVersion are of the rows that the rules are from. Older ones
	// than the gate has change nothing.
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
	Sale, Epoch int64
	Ticket      string
	User, Units int64
	// Time stamps the queued message; the window goes by the gate's own clock.
	Time time.Time
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
	// its latest ticket.
	Held    int64
	Earlier string
	// Remaining is, for SoldOut, how many units remain: fewer than were asked for.
	Remaining int64
}

// Counts are a gate's numbers, all of one moment. All but Waiting are units.
type Counts struct {
	Epoch int64 `json:"-"`
	// Version is of the sale's row that the rules are from.
	Version    int64 `json:"-"`
	Allotted   int64 `json:"allotted"`
	Remaining  int64 `json:"remaining"`
	Queued     int64 `json:"queued"`
	Processing int64 `json:"processing"`
	Dead       int64 `json:"dead"`
	Confirmed  int64 `json:"confirmed"`
	// Rejected and Returned count units that came back: of rejected tickets and of
	// cancelled orders.
	Rejected int64 `json:"rejected"`
	Returned int64 `json:"returned"`
	// Waiting is the number of queued tickets.
	Waiting int64 `json:"-"`
	// AcceptedPerSecond and ConfirmedPerSecond are units a second over the last five.
	AcceptedPerSecond  float64 `json:"acceptedPerSecond"`
	ConfirmedPerSecond float64 `json:"confirmedPerSecond"`
	// ArrivalsPerSecond, RefusedPerSecond and Refusals are purchases, accepted or not,
	// as far as the gate was told of them: see Arrivals.
	ArrivalsPerSecond float64           `json:"arrivalsPerSecond"`
	RefusedPerSecond  Refusals[float64] `json:"refusedPerSecond"`
	Refusals          Refusals[int64]   `json:"refusals"`
}

// Balanced reports whether each allotted unit is in exactly one place.
func (c Counts) Balanced() bool {
	return c.Remaining >= 0 && c.Queued >= 0 && c.Processing >= 0 && c.Dead >= 0 && c.Confirmed >= 0 &&
		c.Allotted == c.Remaining+c.Queued+c.Processing+c.Dead+c.Confirmed
}

// rateWindow is over how many full seconds a rate is taken.
const rateWindow = 5

// Gate admits customers to sales and counts the units. It is safe for concurrent use
// by many processes. Each call is one script or one transaction: all of it happens or
// nothing does. An error that is none of this package's says that the store could not
// be reached, and leaves open whether the call took effect; each can be made again.
//
// Each implementation queues an accepted ticket in the same step, as the message of
// its sale's queue.
type Gate interface {
	// Admit lets a purchase in or says why not. A ticket that was let in before is
	// Known, whatever the other rules say. Errors: ErrNoGate.
	Admit(ctx context.Context, p Purchase) (Admission, error)

	// Apply brings newer rules to a gate that is there. A change of the allotment
	// changes what remains by as much. Errors: ErrNoGate.
	Apply(ctx context.Context, r Rules) error

	// Shrink takes units that remain out of the allotment, before SQL does; Apply with
	// the same or a newer stock version sets it right either way. Errors: ErrNoGate,
	// ErrTooFew.
	Shrink(ctx context.Context, sale, epoch, units int64) error

	// Move takes each step whose ticket is in one of its From states, and returns the
	// tickets as they are then, in the order of the steps; nil for those that the gate
	// does not know. Errors: ErrNoGate.
	Move(ctx context.Context, sale, epoch int64, steps []Step) ([]*Ticket, error)

	// Ticket returns a ticket, nil when the gate does not know it. Errors: ErrNoGate.
	Ticket(ctx context.Context, sale, epoch int64, ticket string) (*Ticket, error)

	// Count adds arrivals to the numbers. It needs no gate to be there, and Build leaves
	// what was counted as it is.
	Count(ctx context.Context, sale int64, a Arrivals) error

	// Counts returns the numbers. Errors: ErrNoGate when there is no gate of any epoch.
	Counts(ctx context.Context, sale int64) (Counts, error)

	// Adopt takes in tickets that the gate has forgotten, each Confirmed or Cancelled,
	// and returns how many those were. It passes over those that it knows, and a
	// Confirmed one whose units do not remain: others are waiting for them, and get
	// them or give them back. Errors: ErrNoGate.
	Adopt(ctx context.Context, sale, epoch int64, tickets []Ticket) (int, error)

	// Build makes the gate anew with these tickets, each Confirmed or Cancelled, unless
	// it has this epoch or a later one.
	Build(ctx context.Context, r Rules, tickets []Ticket) error
}

// built checks the tickets of a Build, adds them up and returns what each user holds.
func built(r Rules, tickets []Ticket) (c Counts, held map[int64]buyer, err error) {
	c = Counts{Epoch: r.Epoch, Allotted: r.Allotted, Remaining: r.Allotted}
	held = make(map[int64]buyer)
	for _, t := range tickets {
		switch t.State {
		case Confirmed:
			c.Remaining -= t.Units
			c.Confirmed += t.Units
			held[t.User] = buyer{held[t.User].units + t.Units, t.ID}
		case Cancelled:
			c.Returned += t.Units
		default:
			return c, nil, fmt.Errorf("flashsale: ticket %s is %s; a gate is built from ended ones", t.ID, t.State)
		}
	}
	return c, held, nil
}

// buyer is what one customer holds of a sale.
type buyer struct {
	units  int64
	ticket string
}
