package mq

import (
	"context"
	"sync"
	"time"

	"interlock/internal/base/clock"
)

// quantum is the shortest time that a paced consumer saves tokens for, so that a
// slow rate does not mean batches of one.
const quantum = 100 * time.Millisecond

// pace is a token bucket whose rate can change while it is waited for. It holds the
// tokens of one quantum, at least one.
type pace struct {
	mu      sync.Mutex
	rate    float64 // tokens/s; 0 or less: no limit
	tokens  float64
	filled  time.Time // mark
	changed chan struct{}
}

func newPace(rate float64) *pace {
	return &pace{rate: rate, filled: clock.Mark(), changed: make(chan struct{})}
}

func (p *pace) set(rate float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill()
	p.rate = rate
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *pace) capacity() float64 { return max(1, p.rate*quantum.Seconds()) }

func (p *pace) fill() {
	p.tokens = min(p.capacity(), p.tokens+max(0, p.rate)*clock.Since(p.filled).Seconds())
	p.filled = clock.Mark()
}

// take waits until tokens are there, up to limit of them or a full bucket, and
// takes them. It returns 0 when ctx ends.
func (p *pace) take(ctx context.Context, limit int) int {
	for {
		n, wait, changed := p.try(limit)
		if n > 0 {
			return n
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return 0
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (p *pace) try(limit int) (n int, wait time.Duration, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rate <= 0 {
		return limit, 0, p.changed
	}
	p.fill()
	want := max(1, int(min(float64(limit), p.capacity())))
	if p.tokens < float64(want) {
		missing := float64(want) - p.tokens
		return 0, time.Duration(missing/p.rate*float64(time.Second)) + time.Microsecond, p.changed
	}
	p.tokens -= float64(want)
	return want, 0, p.changed
}

// giveBack returns tokens that were not used.
func (p *pace) giveBack(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens += float64(n)
}
