package gate

import "time"

// Counts are a gate's numbers, all of one moment. They are units where nothing else is
// said.
type Counts struct {
	Epoch int64 `json:"-"`
	// Version is of the sale's row that the rules are from.
	Version int64 `json:"-"`
	// Time is what the gate's clock shows, by which it opens and shuts.
	Time       time.Time `json:"-"`
	Allotted   int64     `json:"allotted"`
	Remaining  int64     `json:"remaining"`
	Queued     int64     `json:"queued"`
	Processing int64     `json:"processing"`
	Dead       int64     `json:"dead"`
	Confirmed  int64     `json:"confirmed"`
	// Rejected and Returned count units that came back: of rejected tickets and of
	// cancelled orders.
	Rejected int64 `json:"rejected"`
	Returned int64 `json:"returned"`
	// Waiting, Working and Buried are the numbers of tickets that are queued, processing
	// and dead.
	Waiting int64 `json:"-"`
	Working int64 `json:"-"`
	Buried  int64 `json:"-"`
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

// InFlight is the number of tickets that have not ended.
func (c Counts) InFlight() int64 { return c.Waiting + c.Working + c.Buried }

// Refusals are about purchases that were not let in, by the code that their customers
// were told.
type Refusals[N int64 | float64] struct {
	SoldOut      N `json:"soldOut"`
	LimitReached N `json:"limitReached"`
	SaleNotOpen  N `json:"saleNotOpen"`
	QueueFull    N `json:"queueFull"`
}

// Fastest returns c with the higher of its rates and of those of other: what is looked at every
// few seconds only would miss a burst between two looks.
func (c Counts) Fastest(other Counts) Counts {
	c.AcceptedPerSecond = max(c.AcceptedPerSecond, other.AcceptedPerSecond)
	c.ConfirmedPerSecond = max(c.ConfirmedPerSecond, other.ConfirmedPerSecond)
	c.ArrivalsPerSecond = max(c.ArrivalsPerSecond, other.ArrivalsPerSecond)
	refused, others := &c.RefusedPerSecond, other.RefusedPerSecond
	refused.SoldOut = max(refused.SoldOut, others.SoldOut)
	refused.LimitReached = max(refused.LimitReached, others.LimitReached)
	refused.SaleNotOpen = max(refused.SaleNotOpen, others.SaleNotOpen)
	refused.QueueFull = max(refused.QueueFull, others.QueueFull)
	return c
}

// Arrivals counts purchases by how they were answered. They are for display only:
// nothing is decided by them. One that could not be decided, because the gate was out of
// reach, is not among them, and neither is a purchase that was accepted before and is
// asked for again.
type Arrivals struct {
	Accepted int64
	Refused  Refusals[int64]
}

const (
	// rateWindow is over how many full seconds a rate is taken.
	rateWindow = 5
	// rateSlots are the seconds of which counters are kept.
	rateSlots = 8
)

// answers are the ways to answer a purchase; byAnswer holds a number for each.
const answers = 5

type byAnswer [answers]int64

// answerNames are the fields of the arrivals in Redis, and the columns in SQL.
var answerNames = [answers]string{"accepted", "sold_out", "limit_reached", "sale_not_open", "queue_full"}

// plus returns b and n times others.
func (b byAnswer) plus(others byAnswer, n int64) byAnswer {
	for i := range b {
		b[i] += n * others[i]
	}
	return b
}

func (a Arrivals) byAnswer() byAnswer {
	return byAnswer{a.Accepted, a.Refused.SoldOut, a.Refused.LimitReached, a.Refused.SaleNotOpen, a.Refused.QueueFull}
}

// show puts arrivals into the numbers: all so far, and those of the last full seconds.
func (c *Counts) show(total, recent byAnswer) {
	c.Refusals = Refusals[int64]{total[1], total[2], total[3], total[4]}
	pace := func(n int64) float64 { return float64(n) / rateWindow }
	c.RefusedPerSecond = Refusals[float64]{pace(recent[1]), pace(recent[2]), pace(recent[3]), pace(recent[4])}
	c.ArrivalsPerSecond = pace(recent[0] + recent[1] + recent[2] + recent[3] + recent[4])
}
