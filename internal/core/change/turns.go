package change

import (
	"context"
	"sync"
	"time"

	"interlock/internal/core/uow"
)

// turnWait is how long a unit waits for its turn before it goes without, and waits for the row
// itself.
const turnWait = time.Second

// RowQueues has the units of this process that merge into one row come one after the other, each
// given the row as the one before has committed it. Who has that need not read the row under its
// lock: his guarded UPDATE goes with COMMIT, so the row is locked for one crossing of the network
// instead of two. The guard decides as ever: when another process wrote the row meanwhile, the
// unit runs again, and reads.
//
// Only a row that is known to be committed is given on. One of a unit that was rolled back would
// be no version that ever was, and the version of that number somebody else's.
//
// The zero RowQueues is ready for use. It is safe for concurrent use, and keeps nothing of a row that
// nobody waits for.
type RowQueues[M any] struct {
	mu    sync.Mutex
	lines map[int64]*line[M]
}

// line is the units that want one row.
type line[M any] struct {
	// turn has a value while a unit has its turn.
	turn  chan struct{}
	units int
	// newest is the row as the last unit left it, if known. It belongs to who has the turn.
	newest M
	known  bool
}

// turn is a unit's turn at a row. A nil one is that of a unit that goes without.
type turn[M any] struct {
	line *line[M]
	made M
	// wrote is set when made is what the unit makes of the row.
	wrote bool
}

// take waits for a unit's turn at the row with an id, which lasts until the unit has ended. It
// is nil for a unit that has begun its transaction, since those that have the turn may wait for
// just that, and for one that has waited long enough.
func (t *RowQueues[M]) take(ctx context.Context, u *uow.Unit, id int64) (*turn[M], error) {
	if t == nil || u.Begun() {
		return nil, nil
	}
	l := t.join(id)
	patience := time.NewTimer(turnWait)
	defer patience.Stop()
	select {
	case l.turn <- struct{}{}:
	case <-patience.C:
		t.leave(id, l)
		return nil, nil
	case <-ctx.Done():
		t.leave(id, l)
		return nil, context.Cause(ctx)
	}
	taken := &turn[M]{line: l}
	u.AtEnd(func(committed bool) {
		l.newest, l.known = taken.made, committed && taken.wrote
		<-l.turn
		t.leave(id, l)
	})
	return taken, nil
}

func (t *RowQueues[M]) join(id int64) *line[M] {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, ok := t.lines[id]
	if !ok {
		if t.lines == nil {
			t.lines = make(map[int64]*line[M])
		}
		l = &line[M]{turn: make(chan struct{}, 1)}
		t.lines[id] = l
	}
	l.units++
	return l
}

func (t *RowQueues[M]) leave(id int64, l *line[M]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.units--; l.units == 0 {
		delete(t.lines, id)
	}
}

// before returns the row as the unit before has committed it, if that is known.
func (t *turn[M]) before() (row M, known bool) {
	if t == nil {
		return row, false
	}
	return t.line.newest, t.line.known
}

// left says what the unit has made of the row, if err is nil, which it returns.
func (t *turn[M]) left(row M, err error) error {
	if t != nil && err == nil {
		t.made, t.wrote = row, true
	}
	return err
}
