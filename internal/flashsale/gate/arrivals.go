package gate

import "sync"

// arrivalLog counts the arrivals of sales in memory, by second. It is safe for
// concurrent use.
type arrivalLog struct {
	mu    sync.Mutex
	sales map[int64]*saleArrivals
}

type saleArrivals struct {
	total   byAnswer
	seconds [rateSlots]struct {
		at int64
		n  byAnswer
	}
}

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
		slot.at, slot.n = second, byAnswer{}
	}
	for i, n := range a.byAnswer() {
		s.total[i] += n
		slot.n[i] += n
	}
}

// of returns the arrivals at a sale: all, and those of the seconds that rates are of.
func (l *arrivalLog) of(sale, second int64) (total, recent byAnswer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sales[sale]
	if s == nil {
		return total, recent
	}
	for _, slot := range s.seconds {
		if slot.at >= second || slot.at < second-rateWindow {
			continue
		}
		for i, n := range slot.n {
			recent[i] += n
		}
	}
	return s.total, recent
}
