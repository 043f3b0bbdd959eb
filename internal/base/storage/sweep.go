package storage

import (
	"context"
	"fmt"
)

// Sweep says which rows of a table have served their time.
type Sweep struct {
	Table string
	// Column ends a row's time; an index must begin with it where the table is large.
	Column string
	// Until is the last value of Column that is over.
	Until any
	// Key is what rows are deleted by; "" means id. A table without ids is swept by
	// Column itself.
	Key string
}

// Sweep deletes the rows of all tenants whose time is up, batch by batch until none is
// left: a fixed number of rows a run would fall behind whoever adds them faster. Each
// batch is a statement of its own that locks at most so many keys; ending in between
// leaves the rest for the next run, and two sweepers at once only find less.
//
//	SELECT DISTINCT key FROM t WHERE column <= ? LIMIT batch
//	DELETE FROM t WHERE key IN (…) AND column <= ?
//
// The keys are read first, because the dialects do not share DELETE … LIMIT. The DELETE repeats
// the condition, so that a row that was extended or confirmed between the statements stays.
func (db *DB) Sweep(ctx context.Context, s Sweep, batch int) error {
	if s.Key == "" {
		s.Key = "id"
	}
	ctx = AcrossTenants(ctx)
	for swept := batch; swept == batch; {
		var err error
		if swept, err = db.sweepBatch(ctx, s, batch); err != nil {
			return fmt.Errorf("sweep %s: %w", s.Table, err)
		}
	}
	return nil
}

// sweepBatch returns how many keys it found.
func (db *DB) sweepBatch(ctx context.Context, s Sweep, batch int) (int, error) {
	var keys []any
	err := db.Read(ctx).Table(s.Table).Where("`"+s.Column+"` <= ?", s.Until).
		Limit(batch).Distinct().Pluck(s.Key, &keys).Error
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return len(keys), db.Write(ctx).Exec("DELETE FROM "+s.Table+" WHERE `"+s.Key+"` IN ? AND `"+s.Column+"` <= ?", keys, s.Until).Error
}
