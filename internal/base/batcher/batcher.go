// Package batcher makes one call of many that come together.
package batcher

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"interlock/internal/base/panics"
)

// Batcher gathers calls. Who comes while a flush is under way waits for its end, and then
// goes with all others who came meanwhile; who comes alone goes at once. So many callers
// cost a store and this process one round trip, and nobody waits for a timer. It is safe
// for concurrent use.
type Batcher[In, Out any] struct {
	flush func(ctx context.Context, ins []In) ([]Out, error)
	most  int

	mu      sync.Mutex
	waiting []*entry[In, Out]
	// flushing is whether a flush is under way. One at a time is enough: what a second
	// one would carry is what makes the next one worth its round trip.
	flushing bool
}

// New returns a Batcher. flush answers for each of its ins, in their order, or fails for
// all of them; there are at most most. Its context has the values of the first caller's and
// does not end with it. A flush that panics fails for all of them too, with an error that has
// the stack: whoever comes next is not to wait for it, and a caller who only came along is not
// to end the process.
func New[In, Out any](most int, flush func(ctx context.Context, ins []In) ([]Out, error)) *Batcher[In, Out] {
	return &Batcher[In, Out]{most: most, flush: flush}
}

type entry[In, Out any] struct {
	in In
	// gone is closed when the caller does not wait any more.
	gone <-chan struct{}
	out  Out
	err  error
	done chan struct{}
}

// ErrNotFlushed means that a call was given up before anything was sent, because the
// flush before it failed: nobody is to stand in a line of time-outs.
var ErrNotFlushed = errors.New("the call before this one failed")

// Do returns flush's answer for in. When ctx ends while the flush is under way, the call
// may take effect all the same.
func (b *Batcher[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	e := &entry[In, Out]{in: in, gone: ctx.Done(), done: make(chan struct{})}
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

// run flushes those who wait, and sees to it that others who came meanwhile are flushed
// too.
func (b *Batcher[In, Out]) run(ctx context.Context) {
	// Whoever can come now comes first: a flush costs much more by itself than for each
	// that it carries.
	runtime.Gosched()
	err := b.send(ctx, b.next())
	b.mu.Lock()
	var failed []*entry[In, Out]
	if err != nil {
		failed, b.waiting = b.waiting, nil
	}
	more := len(b.waiting) > 0
	b.flushing = more
	b.mu.Unlock()
	for _, e := range failed {
		e.err = fmt.Errorf("%w: %w", ErrNotFlushed, err)
		close(e.done)
	}
	if more {
		go b.run(ctx)
	}
}

// next returns those whose turn it is, without those who have gone.
func (b *Batcher[In, Out]) next() []*entry[In, Out] {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(len(b.waiting), b.most)
	together := make([]*entry[In, Out], 0, n)
	for _, e := range b.waiting[:n] {
		select {
		case <-e.gone:
		default:
			together = append(together, e)
		}
	}
	b.waiting = b.waiting[n:]
	return together
}

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
		err = fmt.Errorf("%d answers to %d calls", len(outs), len(ins))
	}
	for i, e := range together {
		if e.err = err; err == nil {
			e.out = outs[i]
		}
		close(e.done)
	}
	return err
}

// flushed is flush, with a panic as an error.
func (b *Batcher[In, Out]) flushed(ctx context.Context, ins []In) (outs []Out, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panics.Error(p)
		}
	}()
	return b.flush(ctx, ins)
}
