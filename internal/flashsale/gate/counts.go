package gate

import "time"

// Counts are a gate's numbers, all at the same time. They count units unless stated
// otherwise.
type Counts struct {
	Epoch int64 `json:"-"`
	// Version is the version of the sale's row that the rules come from.
	Version int64 `json:"-"`
	// Time is the time of the gate's clock, which decides on the sale window.
	Time time.Time `json:"-"`
	// Units that belong to the sale.
	Allotted int64 `json:"allotted"`
	// Units for sale.
	Remaining int64 `json:"remaining"`
	// Units of queued tickets.
	Queued int64 `json:"queued"`
	// Units of tickets that a worker is turning into orders.
	Processing int64 `json:"processing"`
	// Units of dead letters, which wait for a decision.
	Dead int64 `json:"dead"`
	// Units of orders that are not cancelled.
	Confirmed int64 `json:"confirmed"`
	// Units of rejected tickets; they are for sale again.
	Rejected int64 `json:"rejected"`
	// Units of cancelled orders; they are for sale again.
	Returned int64 `json:"returned"`
	// Waiting, Working and Buried are the numbers of queued, processing and dead tickets.
	Waiting int64 `json:"-"`
	Working int64 `json:"-"`
	Buried  int64 `json:"-"`
	// Units, over the last five seconds.
	AcceptedPerSecond float64 `json:"acceptedPerSecond" validate:"min=0"`
	// Units, over the last five seconds.
	ConfirmedPerSecond float64 `json:"confirmedPerSecond" validate:"min=0"`
	// Accepted and rejected purchases, over the last five seconds.
	ArrivalsPerSecond float64 `json:"arrivalsPerSecond" validate:"min=0"`
	// Rejected purchases by code, over the last five seconds. Like `refusals` it is for display:
	// each process reports its replies a few times a second, and a crash loses its last quarter
	// of a second.
	RefusedPerSecond Refusals[float64] `json:"refusedPerSecond"`
	// Rejected purchases so far, by code.
	Refusals Refusals[int64] `json:"refusals"`
}

// Balanced reports whether each allotted unit is counted exactly once.
func (c Counts) Balanced() bool {
	return c.Remaining >= 0 && c.Queued >= 0 && c.Processing >= 0 && c.Dead >= 0 && c.Confirmed >= 0 &&
		c.Allotted == c.Remaining+c.Queued+c.Processing+c.Dead+c.Confirmed
}

// InFlight returns the number of unsettled tickets.
func (c Counts) InFlight() int64 { return c.Waiting + c.Working + c.Buried }

// Refusals counts rejected purchases by the code of the error.
type Refusals[N int64 | float64] struct {
	SoldOut      N `json:"soldOut" validate:"min=0"`
	LimitReached N `json:"limitReached" validate:"min=0"`
	SaleNotOpen  N `json:"saleNotOpen" validate:"min=0"`
	QueueFull    N `json:"queueFull" validate:"min=0"`
}

// SchemaName returns the name in the contract, of the rates or of the counts.
func (Refusals[N]) SchemaName() string {
	if _, isRate := any(*new(N)).(float64); isRate {
		return "FlashSaleRefusals"
	}
	return "FlashSaleRefusalCounts"
}

// Fastest returns c with the maximum of each rate in c and other, so that samples every few seconds
// do not miss a burst in between.
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

// Attempts counts purchase attempts by result. They are for display only: no decision
// depends on them. They exclude attempts without a result, because the gate was
// unreachable, and repeats of an accepted purchase.
type Attempts struct {
	Accepted int64
	Refused  Refusals[int64]
}

const (
	// rateWindow is the number of full seconds over which a rate is computed.
	rateWindow = 5
	// rateSlots is the number of seconds with counters.
	rateSlots = 8
)

// resultCount is the number of results of a purchase; byResult contains a count for each.
const resultCount = 5

type byResult [resultCount]int64

// resultNames are the field names of the counts in Redis, and the columns in SQL.
var resultNames = [resultCount]string{"accepted", "sold_out", "limit_reached", "sale_not_open", "queue_full"}

// plus returns b + n × others.
func (b byResult) plus(others byResult, n int64) byResult {
	for i := range b {
		b[i] += n * others[i]
	}
	return b
}

func (a Attempts) byResult() byResult {
	return byResult{a.Accepted, a.Refused.SoldOut, a.Refused.LimitReached, a.Refused.SaleNotOpen, a.Refused.QueueFull}
}

// show sets the totals, and the rates of the last full seconds.
func (c *Counts) show(total, recent byResult) {
	c.Refusals = Refusals[int64]{total[1], total[2], total[3], total[4]}
	pace := func(n int64) float64 { return float64(n) / rateWindow }
	c.RefusedPerSecond = Refusals[float64]{pace(recent[1]), pace(recent[2]), pace(recent[3]), pace(recent[4])}
	c.ArrivalsPerSecond = pace(recent[0] + recent[1] + recent[2] + recent[3] + recent[4])
}
