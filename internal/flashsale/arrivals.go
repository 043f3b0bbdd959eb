package flashsale

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Refusals are about purchases that were not let in, by the code that their customers
// were told.
type Refusals[N int64 | float64] struct {
	SoldOut      N `json:"soldOut"`
	LimitReached N `json:"limitReached"`
	SaleNotOpen  N `json:"saleNotOpen"`
	QueueFull    N `json:"queueFull"`
}

// Arrivals counts purchases by how they were answered. They are for display only:
// nothing is decided by them. One that could not be decided, because the gate was out of
// reach, is not among them, and neither is a purchase that was accepted before and is
// asked for again.
type Arrivals struct {
	Accepted int64
	Refused  Refusals[int64]
}

// fate is the index of a way to answer a purchase.
type fate int

const (
	letIn fate = iota
	refusedSoldOut
	refusedLimit
	refusedNotOpen
	refusedFull
	fates
)

// fateNames are the fields of the gate's arrivals in Redis.
var fateNames = [fates]string{"accepted", "sold_out", "limit_reached", "sale_not_open", "queue_full"}

func fateOf(v Verdict) fate {
	switch v {
	case Accepted:
		return letIn
	case SoldOut:
		return refusedSoldOut
	case LimitReached:
		return refusedLimit
	case QueueFull:
		return refusedFull
	}
	return refusedNotOpen
}

func (a Arrivals) byFate() [fates]int64 {
	return [fates]int64{a.Accepted, a.Refused.SoldOut, a.Refused.LimitReached, a.Refused.SaleNotOpen, a.Refused.QueueFull}
}

func arrivalsOf(n [fates]int64) Arrivals {
	return Arrivals{n[letIn], Refusals[int64]{n[refusedSoldOut], n[refusedLimit], n[refusedNotOpen], n[refusedFull]}}
}

// show puts arrivals into the numbers: all so far, and those of the last full seconds.
func (c *Counts) show(total, recent Arrivals) {
	c.Refusals = total.Refused
	pace := func(n int64) float64 { return float64(n) / rateWindow }
	r := recent.Refused
	c.RefusedPerSecond = Refusals[float64]{pace(r.SoldOut), pace(r.LimitReached), pace(r.SaleNotOpen), pace(r.QueueFull)}
	c.ArrivalsPerSecond = pace(recent.Accepted + r.SoldOut + r.LimitReached + r.SaleNotOpen + r.QueueFull)
}

// tally is the arrivals of one sale that this process has not told the gate of yet.
type tally [fates]atomic.Int64

// arrived notes an answer. It costs a purchase a look into a map and an addition.
func (s *Service) arrived(sale int64, f fate) {
	found, ok := s.tallies.Load(sale)
	if !ok {
		found, _ = s.tallies.LoadOrStore(sale, new(tally))
	}
	found.(*tally)[f].Add(1)
}

const (
	// passOnEvery is how old an arrival can be that the gate does not know of.
	passOnEvery = 250 * time.Millisecond
	// passOnPatience bounds one round. Nobody waits for it, and a busy machine is slow.
	passOnPatience = 5 * time.Second
)

// CountArrivals tells the gates what arrived here, a few times a second, until ctx ends,
// and then once more. Every process that takes purchases runs it: it is how the numbers
// of a sale come to have all of a crowd, also who is turned away from memory, without a
// word on the way of any purchase. A process that crashes takes the last quarter of a
// second of its arrivals with it, and a gate that is out of reach those of that time.
func (s *Service) CountArrivals(ctx context.Context) {
	ticker := time.NewTicker(passOnEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			s.passOn(context.WithoutCancel(ctx))
			return
		case <-ticker.C:
			s.passOn(ctx)
		}
	}
}

// passOn is one round. What cannot be told is dropped: told twice it would count twice.
func (s *Service) passOn(ctx context.Context) {
	ctx, end := context.WithTimeout(ctx, passOnPatience)
	defer end()
	s.tallies.Range(func(key, value any) bool {
		var n [fates]int64
		for f := range n {
			n[f] = value.(*tally)[f].Swap(0)
		}
		if n == ([fates]int64{}) {
			return true
		}
		if err := s.gate.Count(ctx, key.(int64), arrivalsOf(n)); err != nil {
			slog.WarnContext(ctx, "arrivals at a flash sale are missing from its numbers", "sale", key, "error", err)
		}
		return true
	})
}

// arrivalLog counts the arrivals of sales in memory, by second. It is safe for
// concurrent use.
type arrivalLog struct {
	mu    sync.Mutex
	sales map[int64]*saleArrivals
}

type saleArrivals struct {
	total   [fates]int64
	seconds [rateSlots]struct {
		at int64
		n  [fates]int64
	}
}

// rateSlots are the seconds of which counters are kept.
const rateSlots = 8

func (l *arrivalLog) add(sale, second int64, a Arrivals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sales == nil {
		l.sales = make(map[int64]*saleArrivals)
	}
	s := l.sales[sale]
	if s == nil {
		s = &saleArrivals{}
		l.sales[sale] = s
	}
	slot := &s.seconds[second%rateSlots]
	if slot.at != second {
		slot.at, slot.n = second, [fates]int64{}
	}
	for f, n := range a.byFate() {
		s.total[f] += n
		slot.n[f] += n
	}
}

// of returns the arrivals at a sale: all, and those of the seconds that rates are of.
func (l *arrivalLog) of(sale, second int64) (total, recent Arrivals) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sales[sale]
	if s == nil {
		return total, recent
	}
	var sum [fates]int64
	for _, slot := range s.seconds {
		if slot.at >= second || slot.at < second-rateWindow {
			continue
		}
		for f, n := range slot.n {
			sum[f] += n
		}
	}
	return arrivalsOf(s.total), arrivalsOf(sum)
}
