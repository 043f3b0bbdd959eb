// Package batcher combines concurrent calls into one.
package batcher

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"interlock/internal/base/panics"
)

// Batcher combines calls into flushes. A call that arrives during a flush waits for its end
// and is then flushed together with all other waiting calls; a single call is flushed
// immediately. So many concurrent callers cost the store and this process one round trip,
// without a timer. It is safe for concurrent use.
type Batcher[In, Out any] struct {
	flush func(ctx context.Context, ins []In) ([]Out, error)
	most  int

	mu      sync.Mutex
	waiting []*entry[In, Out]
	// flushing reports whether a flush is running. One flush at a time is enough: the calls that
	// arrive during a flush make the next one larger.
	flushing bool
}

// New returns a Batcher. flush returns one result per input, in order, or fails for all of
// them; it gets at most most inputs. Its context has the values of the first caller's
// context and does not end with it. A panic in flush fails all its calls with an error that
// contains the stack: the next calls must not wait for it, and it must not end the process
// of an unrelated caller.
func New[In, Out any](most int, flush func(ctx context.Context, ins []In) ([]Out, error)) *Batcher[In, Out] {
	return &Batcher[In, Out]{most: most, flush: flush}
}

type entry[In, Out any] struct {
	in In
	// cancelled is closed when the caller has stopped waiting.
	cancelled <-chan struct{}
	out       Out
	err       error
	done      chan struct{}
}

// ErrNotFlushed means that a call was dropped before anything was sent, because the
// previous flush failed: queued calls must not each wait for a time-out.
var ErrNotFlushed = errors.New("the call before this one failed")

// Do returns the result of flush for in. If ctx ends during the flush, the call may still
// take effect.
func (b *Batcher[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	e := &entry[In, Out]{in: in, cancelled: ctx.Done(), done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, e)
	first := !b.flushing
	b.flushing = true
	b.mu.Unlock()
	if first {
		go b.run(context.WithoutCancel(ctx))
	}
	select {
	case <-e.done:
		return e.out, e.err
	case <-ctx.Done():
		var none Out
		return none, context.Cause(ctx)
	}
}

// run flushes the waiting calls, and then starts a flush of the calls that arrived since.
func (b *Batcher[In, Out]) run(ctx context.Context) {
	// Yield, so that runnable callers join: a flush costs much more than each further call
	// in it.
	runtime.Gosched()
	ended := b.next()
	err := b.send(ctx, ended)
	// The waiting calls are dropped before any caller is notified of the failure, so that a retry of
	// a caller is not dropped with them.
	b.mu.Lock()
	if err != nil {
		for _, e := range b.waiting {
			e.err = fmt.Errorf("%w: %w", ErrNotFlushed, err)
		}
		ended, b.waiting = append(ended, b.waiting...), nil
	}
	more := len(b.waiting) > 0
	b.flushing = more
	b.mu.Unlock()
	for _, e := range ended {
		close(e.done)
	}
	if more {
		go b.run(ctx)
	}
}

// next returns the calls of the next flush, without those that were cancelled.
func (b *Batcher[In, Out]) next() []*entry[In, Out] {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.waiting), b.most)
	together := make([]*entry[In, Out], 0, n)
	for _, e := range b.waiting[:n] {
		select {
		case <-e.cancelled:
		default:
			together = append(together, e)
		}
	}
	b.waiting = b.waiting[n:]
	return together
}

// send flushes the calls and sets their results.
func (b *Batcher[In, Out]) send(ctx context.Context, together []*entry[In, Out]) error {
	if len(together) == 0 {
		return nil
	}
	ins := make([]In, len(together))
	for i, e := range together {
		ins[i] = e.in
	}
	outs, err := b.flushed(ctx, ins)
	if err == nil && len(outs) != len(ins) {
		err = fmt.Errorf("%d results for %d calls", len(outs), len(ins))
	}
	for i, e := range together {
		if e.err = err; err == nil {
			e.out = outs[i]
		}
	}
	return err
}

// flushed calls flush and returns a panic as an error.
func (b *Batcher[In, Out]) flushed(ctx context.Context, ins []In) (outs []Out, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panics.Error(p)
		}
	}()
	return b.flush(ctx, ins)
}
