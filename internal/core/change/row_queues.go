package change

import (
	"context"
	"sync"
	"time"

	"interlock/internal/core/uow"
)

// queueTimeout is how long a unit waits in a queue before it goes on without a slot, and waits
// for the row's lock instead.
const queueTimeout = time.Second

// RowQueues serializes the units of this process that merge into one row, and hands each the row
// as its predecessor committed it. A unit that has it need not read the row under its lock: its
// guarded UPDATE goes with COMMIT, so the row is locked for one crossing of the network instead of
// two. The guard decides as ever: when another process wrote the row meanwhile, the unit runs
// again, and reads.
//
// Only a row that is known to be committed is handed on. The row of a unit that was rolled back
// never existed, and its version number may be another's by then.
//
// The zero RowQueues is ready for use. It is safe for concurrent use, and remembers nothing of a
// row for which no unit waits.
type RowQueues[M any] struct {
	mu     sync.Mutex
	queues map[int64]*rowQueue[M]
}

// rowQueue is the units that want one row.
type rowQueue[M any] struct {
	// slot has a value while a unit has it.
	slot  chan struct{}
	units int
	// newest is the row as the last unit committed it, if known. Only the unit that has the slot
	// touches it.
	newest M
	known  bool
}

// queueSlot is a unit's exclusive place at a row; nil for a unit that goes without.
type queueSlot[M any] struct {
	queue *rowQueue[M]
	row   M
	// wrote is set when row is what the unit makes of the row.
	wrote bool
}

// enter waits for the slot of the row with an id, which the unit has until it ends. It is nil
// for a unit that has begun its transaction, since the unit that has the slot may wait for just
// that transaction, and for one that has waited for queueTimeout.
func (t *RowQueues[M]) enter(ctx context.Context, u *uow.Unit, id int64) (*queueSlot[M], error) {
	if t == nil || u.Begun() {
		return nil, nil
	}
	q := t.join(id)
	timeout := time.NewTimer(queueTimeout)
	defer timeout.Stop()
	select {
	case q.slot <- struct{}{}:
	case <-timeout.C:
		t.leave(id, q)
		return nil, nil
	case <-ctx.Done():
		t.leave(id, q)
		return nil, context.Cause(ctx)
	}
	slot := &queueSlot[M]{queue: q}
	u.AtEnd(func(committed bool) {
		q.newest, q.known = slot.row, committed && slot.wrote
		<-q.slot
		t.leave(id, q)
	})
	return slot, nil
}

func (t *RowQueues[M]) join(id int64) *rowQueue[M] {
	t.mu.Lock()
	defer t.mu.Unlock()
	q, ok := t.queues[id]
	if !ok {
		if t.queues == nil {
			t.queues = make(map[int64]*rowQueue[M])
		}
		q = &rowQueue[M]{slot: make(chan struct{}, 1)}
		t.queues[id] = q
	}
	q.units++
	return q
}

func (t *RowQueues[M]) leave(id int64, q *rowQueue[M]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.units--; q.units == 0 {
		delete(t.queues, id)
	}
}

// predecessorRow returns the row as the unit before committed it, if that is known.
func (s *queueSlot[M]) predecessorRow() (row M, known bool) {
	if s == nil {
		return row, false
	}
	return s.queue.newest, s.queue.known
}

// setRow says what the unit has made of the row, if err is nil. It returns err.
func (s *queueSlot[M]) setRow(row M, err error) error {
	if s != nil && err == nil {
		s.row, s.wrote = row, true
	}
	return err
}
