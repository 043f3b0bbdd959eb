package gate

import (
	"slices"
	"time"
)

// book is the state of a sale's gate, or the part that a step needs. It is the
// specification of every gate: the gate in SQL loads a book, applies a step to it, and
// saves the changes; the scripts of the gate in Redis implement the same, and a test
// applies random sequences of steps to all of them.
type book struct {
	page
	// tickets and buyers contain the tickets and buyers of the step. An absent ticket is unknown,
	// an absent buyer has no units.
	tickets map[string]*Ticket
	buyers  map[string]Holding
	changed changes
}

// page is the state of the gate without tickets and buyers: epoch, rules, and the counters
// of Counts.
type page struct {
	// Epoch is 0 while there is no gate. None is built below Floor.
	Epoch, Floor          int64
	Version, StockVersion int64
	Open                  bool
	// Starts and Ends are in µs since 1970.
	Starts, Ends       int64
	PerUserLimit       int64
	QueueCap           int64
	Allotted, Withheld int64
	Remaining          int64
	Queued, Processing int64
	Dead, Confirmed    int64
	Rejected, Returned int64
	Waiting, Working   int64
	Buried             int64
}

// changes are the changes of a step in addition to the page.
type changes struct {
	// created and moved are the tickets created and moved by this step.
	created, moved map[string]bool
	buyers         map[string]bool
	// queued are the tickets that get a message, in order.
	queued []Ticket
	// confirmed maps tickets to the time of their confirmation, in µs since 1970, for the
	// rates.
	confirmed map[string]int64
}

// none reports whether there are no changes.
func (c changes) none() bool {
	return len(c.created)+len(c.moved)+len(c.buyers)+len(c.queued)+len(c.confirmed) == 0
}

func newBook(p page) *book {
	return &book{page: p, tickets: make(map[string]*Ticket), buyers: make(map[string]Holding), changed: changes{
		created: make(map[string]bool), moved: make(map[string]bool), buyers: make(map[string]bool), confirmed: make(map[string]int64),
	}}
}

// admit decides on a purchase. Every gate checks the rules in the same order.
func (b *book) admit(p Purchase, now time.Time) (Admission, error) {
	if b.Epoch != p.Epoch {
		return Admission{}, ErrNoGate
	}
	if known := b.tickets[p.Ticket]; known != nil {
		return Admission{Verdict: Known, Ticket: *known}, nil
	}
	held := b.buyers[p.User]
	switch {
	case !b.Open:
		return Admission{Verdict: NotOpen}, nil
	case now.UnixMicro() < b.Starts:
		return Admission{Verdict: NotStarted}, nil
	case now.UnixMicro() >= b.Ends:
		return Admission{Verdict: Ended}, nil
	case p.Units > b.PerUserLimit-held.Units, b.Remaining <= 0 && held.Units > 0:
		return Admission{Verdict: LimitReached, Held: held.Units, Earlier: held.Ticket}, nil
	case b.Remaining < p.Units:
		return Admission{Verdict: SoldOut, Remaining: b.Remaining, LetIn: b.letIn()}, nil
	case b.QueueCap > 0 && b.Waiting >= b.QueueCap:
		return Admission{Verdict: QueueFull}, nil
	}
	t := Ticket{ID: p.Ticket, State: Queued, User: p.User, Units: p.Units, AcceptedTime: now, Ahead: max(0, b.Waiting)}
	b.Remaining -= p.Units
	b.count(Queued, p.Units, 1)
	b.create(t)
	b.hold(p.User, Holding{held.Units + p.Units, p.Ticket})
	b.changed.queued = append(b.changed.queued, t)
	return Admission{Verdict: Accepted, Ticket: t}, nil
}

// letIn returns the number of units that were ever accepted.
func (b *book) letIn() int64 {
	return b.Queued + b.Processing + b.Dead + b.Confirmed + b.Rejected + b.Returned
}

// move applies a step, if its ticket is in one of the step's states.
func (b *book) move(s Step, now time.Time) Moved {
	t := b.tickets[s.Ticket]
	if t == nil {
		return Moved{}
	}
	if !slices.Contains(s.From, t.State) || t.State == s.To {
		return Moved{Ticket: copyOf(t)}
	}
	b.count(t.State, -t.Units, -1)
	b.count(s.To, t.Units, 1)
	t.State = s.To
	switch s.To {
	case Confirmed:
		b.changed.confirmed[t.ID] = now.UnixMicro()
	case Rejected:
		b.Rejected += t.Units
		b.release(t)
	case Cancelled:
		b.Returned += t.Units
		b.release(t)
	}
	if s.OrderID != 0 {
		t.OrderID = s.OrderID
	}
	if s.OrderNo != "" {
		t.OrderNo = s.OrderNo
	}
	if s.Reason != "" {
		t.Reason = s.Reason
	}
	b.changed.moved[t.ID] = true
	return Moved{Ticket: copyOf(t), Changed: true}
}

// adopt adds a ticket that SQL has settled and that b does not contain, and reports whether it
// did. It rejects a confirmed ticket with more units than remain.
func (b *book) adopt(t Ticket) bool {
	if b.tickets[t.ID] != nil || t.State == Confirmed && t.Units > b.Remaining {
		return false
	}
	switch t.State {
	case Cancelled:
		b.Returned += t.Units
	case Rejected:
		b.Rejected += t.Units
	case Confirmed:
		b.Remaining -= t.Units
		b.Confirmed += t.Units
		held := b.buyers[t.User]
		if held.Units += t.Units; held.Ticket == "" {
			held.Ticket = t.ID
		}
		b.hold(t.User, held)
	default:
		return false
	}
	b.create(t)
	return true
}

// requeue assigns a new message to a ticket in flight, and reports whether the ticket is in
// flight.
func (b *book) requeue(id string) bool {
	t := b.tickets[id]
	if t == nil || t.State.HasEnded() {
		return false
	}
	b.move(Step{Ticket: id, From: InFlight, To: Queued}, time.Time{})
	b.changed.queued = append(b.changed.queued, *t)
	return true
}

// apply applies newer rules.
func (b *book) apply(r Rules) {
	if r.Version >= b.Version {
		b.Version, b.Open, b.Starts, b.Ends = r.Version, r.Open, r.Starts.UnixMicro(), r.Ends.UnixMicro()
		b.PerUserLimit, b.QueueCap = r.PerUserLimit, r.QueueCap
	}
	if r.StockVersion > b.StockVersion {
		b.Remaining += r.Allotted - b.Allotted + b.Withheld
		b.StockVersion, b.Allotted, b.Withheld = r.StockVersion, r.Allotted, 0
	}
}

// withhold removes units from the remaining units, replacing an earlier withholding.
func (b *book) withhold(stockVersion, units int64) error {
	switch {
	case b.StockVersion != stockVersion:
		return ErrOutdated
	case units > 0 && b.Remaining+b.Withheld < units:
		return ErrTooFew
	}
	b.Remaining += b.Withheld - units
	b.Withheld = units
	return nil
}

// retire ends an epoch, see Gate.Retire. inUse is set if a gate of this epoch must be retained.
func (b *book) retire(epoch int64, inUse bool) bool {
	if b.Epoch > epoch || b.Floor > epoch+1 || b.Epoch == epoch && inUse {
		return false
	}
	b.Epoch, b.Floor = 0, epoch+1
	return true
}

// mayBuild reports whether a gate of this epoch may replace b.
func (b *book) mayBuild(epoch int64) bool { return b.Epoch < epoch && b.Floor <= epoch }

// built returns the book of a new gate with settled tickets.
func built(r Rules, tickets []Ticket) *book {
	b := newBook(page{Epoch: r.Epoch, Floor: r.Epoch, StockVersion: r.StockVersion, Allotted: r.Allotted, Remaining: r.Allotted})
	b.apply(r)
	for _, t := range tickets {
		if b.adopt(t) && t.State == Confirmed {
			b.buyers[t.User] = Holding{b.buyers[t.User].Units, t.ID}
		}
	}
	return b
}

// count adds to the unit and ticket counters of a state.
func (b *book) count(state State, units, tickets int64) {
	switch state {
	case Queued:
		b.Queued, b.Waiting = b.Queued+units, b.Waiting+tickets
	case Processing:
		b.Processing, b.Working = b.Processing+units, b.Working+tickets
	case Buried:
		b.Dead, b.Buried = b.Dead+units, b.Buried+tickets
	case Confirmed:
		b.Confirmed += units
	default:
		b.Remaining += units
	}
}

func (b *book) create(t Ticket) {
	b.tickets[t.ID] = &t
	b.changed.created[t.ID] = true
}

func (b *book) hold(user string, held Holding) {
	b.buyers[user] = held
	b.changed.buyers[user] = true
}

// release returns the units of a ticket to the allowance of its customer.
func (b *book) release(t *Ticket) {
	if held, ok := b.buyers[t.User]; ok {
		b.hold(t.User, Holding{max(0, held.Units-t.Units), held.Ticket})
	}
}

func (p page) counts() Counts {
	return Counts{
		Epoch: p.Epoch, Version: p.Version, Allotted: p.Allotted - p.Withheld, Remaining: p.Remaining, Queued: p.Queued, Processing: p.Processing,
		Dead: p.Dead, Confirmed: p.Confirmed, Rejected: p.Rejected, Returned: p.Returned, Waiting: p.Waiting, Working: p.Working, Buried: p.Buried,
	}
}

func copyOf(t *Ticket) *Ticket {
	c := *t
	return &c
}
