package batcher

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	patience = 30 * time.Second
	tick     = time.Millisecond
)

// door is a flush that doubles numbers, and can be blocked.
type door struct {
	mu      sync.Mutex
	flushes [][]int
	entered chan struct{}
	opened  chan struct{}
	err     error
}

func newDoor() *door { return &door{entered: make(chan struct{}, 10), opened: make(chan struct{})} }

func (d *door) flush(_ context.Context, ins []int) ([]int, error) {
	d.mu.Lock()
	d.flushes = append(d.flushes, ins)
	err := d.err
	d.mu.Unlock()
	d.entered <- struct{}{}
	<-d.opened
	outs := make([]int, len(ins))
	for i, in := range ins {
		outs[i] = 2 * in
	}
	return outs, err
}

// come starts callers one after the other, and returns once all of them wait.
func come(t *testing.T, b *Batcher[int, int], calls *sync.WaitGroup, ctx context.Context, ins []int, notify func(in, out int, err error)) {
	t.Helper()
	for _, in := range ins {
		before := waiting(b)
		calls.Go(func() {
			out, err := b.Do(ctx, in)
			notify(in, out, err)
		})
		require.Eventually(t, func() bool { return waiting(b) > before }, patience, tick)
	}
}

func waiting(b *Batcher[int, int]) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// rush blocks a first call, starts other calls, and then unblocks all.
func rush(t *testing.T, d *door, most int, others []int, during func(b *Batcher[int, int])) (outs map[int]int, errs map[int]error) {
	b := New(most, d.flush)
	var mu sync.Mutex
	outs, errs = make(map[int]int), make(map[int]error)
	notify := func(in, out int, err error) {
		mu.Lock()
		defer mu.Unlock()
		outs[in], errs[in] = out, err
	}
	var calls sync.WaitGroup
	calls.Go(func() {
		out, err := b.Do(t.Context(), 1)
		notify(1, out, err)
	})
	<-d.entered
	come(t, b, &calls, t.Context(), others, notify)
	if during != nil {
		during(b)
	}
	close(d.opened)
	calls.Wait()
	return outs, errs
}

// Proves G5.7.
func TestCallsDuringAFlushFormTheNextBatchInOrder(t *testing.T) {
	d := newDoor()
	outs, _ := rush(t, d, 3, []int{2, 3, 4, 5}, nil)
	require.Equal(t, [][]int{{1}, {2, 3, 4}, {5}}, d.flushes)
	require.Equal(t, map[int]int{1: 2, 2: 4, 3: 6, 4: 8, 5: 10}, outs)
}

// Proves G5.7.
func TestFailedFlushReturnsItsErrorToAllItsCalls(t *testing.T) {
	d := newDoor()
	d.err = errors.New("reset")
	_, errs := rush(t, d, 1, []int{2, 3}, nil)
	require.Equal(t, [][]int{{1}}, d.flushes)
	require.ErrorIs(t, errs[1], d.err)
	require.NotErrorIs(t, errs[1], ErrNotFlushed, "it may have an effect")
	for _, in := range []int{2, 3} {
		require.ErrorIs(t, errs[in], ErrNotFlushed, "it has not")
		require.ErrorIs(t, errs[in], d.err)
	}
}

func TestCancelledCallIsNotFlushed(t *testing.T) {
	d := newDoor()
	impatient, leave := context.WithCancelCause(t.Context())
	hungUp := errors.New("hung up")
	var left sync.WaitGroup
	_, errs := rush(t, d, 10, []int{2}, func(b *Batcher[int, int]) {
		come(t, b, &left, impatient, []int{3}, func(_, _ int, err error) { require.ErrorIs(t, err, hungUp) })
		leave(hungUp)
		left.Wait()
	})
	require.NoError(t, errs[2])
	require.Equal(t, [][]int{{1}, {2}}, d.flushes)
}

func TestFirstCallerReturnsWhenItsContextEnds(t *testing.T) {
	d := newDoor()
	b := New(10, d.flush)
	impatient, leave := context.WithCancelCause(t.Context())
	hungUp := errors.New("hung up")
	notify := make(chan error, 1)
	go func() {
		_, err := b.Do(impatient, 1)
		notify <- err
	}()
	<-d.entered
	leave(hungUp)
	select {
	case err := <-notify:
		require.ErrorIs(t, err, hungUp)
	case <-time.After(patience):
		t.Error("it waits for the flush")
	}
	close(d.opened)
	out, err := b.Do(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, 4, out)
}

func TestMissingResultFailsAllCalls(t *testing.T) {
	b := New(10, func(context.Context, []int) ([]int, error) { return nil, nil })
	_, err := b.Do(t.Context(), 1)
	require.ErrorContains(t, err, "0 results for 1 calls")
}

// Proves G7.6.
func TestPanickingFlushFailsOnlyItsCalls(t *testing.T) {
	panics := true
	b := New(10, func(_ context.Context, ins []int) ([]int, error) {
		if panics {
			panic("out of tea")
		}
		return ins, nil
	})
	_, err := b.Do(t.Context(), 1)
	require.ErrorContains(t, err, "panic: out of tea")
	require.ErrorContains(t, err, "batcher_test.go", "where it panicked")
	panics = false
	soon, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := b.Do(soon, 2)
	require.NoError(t, err)
	require.Equal(t, 2, out)
}

func TestRetryAfterAFailureIsFlushed(t *testing.T) {
	lost := errors.New("lost")
	for range 5000 {
		failures := 1
		b := New(10, func(_ context.Context, ins []int) ([]int, error) {
			failures--
			if failures >= 0 {
				return nil, lost
			}
			return ins, nil
		})
		_, err := b.Do(t.Context(), 1)
		require.ErrorIs(t, err, lost)
		_, err = b.Do(t.Context(), 1)
		require.NoError(t, err)
	}
}
