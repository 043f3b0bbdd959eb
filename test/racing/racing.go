// Package racing runs many callers at the same moment, and checks their results against the
// results of some sequential order.
package racing

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// patience bounds the search for a sequential order that explains a history.
const patience = time.Minute

// Together runs fn n times concurrently, and returns when all have ended.
func Together(n int, fn func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			fn(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// Errors is Together for functions that can fail. It returns the errors by their index.
func Errors(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	Together(n, func(i int) { errs[i] = fn(i) })
	return errs
}

// Meet returns a function that returns when n callers have called it.
func Meet(n int) func() {
	var there sync.WaitGroup
	there.Add(n)
	return func() {
		there.Done()
		there.Wait()
	}
}

// History contains the requests and results of many clients, in the order of one counter.
type History[In, Out any] struct {
	now        atomic.Int64
	mu         sync.Mutex
	operations []porcupine.Operation
	faults     []error
}

// Record runs do for a client and stores its result. An error counts as no result, which
// Linearizable reports as a failure.
func (h *History[In, Out]) Record(client int, in In, do func() (Out, error)) {
	call := h.now.Add(1)
	out, err := do()
	back := h.now.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.faults = append(h.faults, err)
		return
	}
	h.operations = append(h.operations, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: back})
}

// Results returns the results, in the order in which the requests ended.
func (h *History[In, Out]) Results() []Out {
	h.mu.Lock()
	defer h.mu.Unlock()
	told := make([]Out, len(h.operations))
	for i, operation := range h.operations {
		told[i] = operation.Output.(Out)
	}
	return told
}

// Model is the sequential behaviour of a thing that one client after the other uses.
type Model[In, Out, State any] struct {
	// Of names the thing that a request is about, if there are several with a model each.
	Of      func(in In) any
	Initial State
	// Step reports whether out is a possible result in this state, and returns the state
	// afterwards.
	Step func(state State, in In, out Out) (bool, State)
}

// Linearizable reports whether a sequential order of the history returns the same results in the
// model and preserves the order of requests that did not overlap.
func Linearizable[In, Out, State any](t *testing.T, h *History[In, Out], m Model[In, Out, State]) bool {
	t.Helper()
	require.Empty(t, h.faults)
	require.NotEmpty(t, h.operations)
	model := porcupine.Model{
		Init: func() any { return m.Initial },
		Step: func(state, in, out any) (bool, any) { return m.Step(state.(State), in.(In), out.(Out)) },
	}
	if m.Of != nil {
		model.Partition = func(history []porcupine.Operation) [][]porcupine.Operation {
			of := map[any][]porcupine.Operation{}
			for _, operation := range history {
				thing := m.Of(operation.Input.(In))
				of[thing] = append(of[thing], operation)
			}
			partitions := make([][]porcupine.Operation, 0, len(of))
			for _, partition := range of {
				partitions = append(partitions, partition)
			}
			return partitions
		}
	}
	result := porcupine.CheckOperationsTimeout(model, h.operations, patience)
	require.NotEqual(t, porcupine.Unknown, result, "the history is too long to be checked")
	return result == porcupine.Ok
}
