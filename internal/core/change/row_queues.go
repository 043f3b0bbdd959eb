package change

import (
	"context"
	"sync"
	"time"

	"interlock/internal/core/uow"
)

// queueTimeout bounds the wait in a queue. After it, a unit continues without a slot and
// waits for the row lock instead.
const queueTimeout = time.Second

// RowQueues serializes the units of this process that merge into one row and passes the row
// as committed by one unit to the next. A unit that has this row need not read it under its
// lock: its guarded UPDATE is sent with COMMIT, so the row is locked for one network round
// trip instead of two. The guard decides as always: if another process wrote the row since,
// the unit runs again and reads the row.
//
// Only a row that is known to be committed is passed on. The row of a unit that was rolled
// back never existed, and another unit may have used its version number since.
//
// The zero RowQueues is ready for use. It is safe for concurrent use, and stores nothing
// for a row without units.
type RowQueues[M any] struct {
	mu     sync.Mutex
	queues map[int64]*rowQueue[M]
}

// rowQueue is the queue of the units that merge into one row.
type rowQueue[M any] struct {
	// slot contains a value while a unit owns it.
	slot  chan struct{}
	units int
	// newest is the row as committed by the last unit, if known. Only the owner of the slot
	// accesses it.
	newest M
	known  bool
}

// queueSlot is a unit's exclusive slot for a row; nil for a unit without one.
type queueSlot[M any] struct {
	queue *rowQueue[M]
	row   M
	// wrote is set when row is the version written by the unit.
	wrote bool
}

// enter waits for the slot of the row with this id; the unit owns it until its end. enter
// returns nil for a unit that has started its transaction, because the owner of the slot may
// wait for that transaction, and for a unit that has waited for queueTimeout.
func (t *RowQueues[M]) enter(ctx context.Context, u *uow.Unit, id int64) (*queueSlot[M], error) {
	if t == nil || u.HasStarted() {
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

// predecessorRow returns the row as committed by the preceding unit, if known.
func (s *queueSlot[M]) predecessorRow() (row M, known bool) {
	if s == nil {
		return row, false
	}
	return s.queue.newest, s.queue.known
}

// setRow records the version that the unit wrote, if err is nil. It returns err.
func (s *queueSlot[M]) setRow(row M, err error) error {
	if s != nil && err == nil {
		s.row, s.wrote = row, true
	}
	return err
}
