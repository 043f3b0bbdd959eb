package storage

import (
	"context"
	"fmt"
)

// Sweep selects the expired rows of a table.
type Sweep struct {
	Table string
	// Column is the end of a row's lifetime; on large tables an index must start with it.
	Column string
	// Until is the last expired value of Column.
	Until any
	// Key is the column by which rows are deleted; "" means id. A table without ids is
	// swept by Column itself.
	Key string
}

// Sweep deletes the expired rows of all tenants, batch by batch until none is left; a fixed
// number of rows per run could fall behind fast writers. Each batch is a separate statement
// that locks at most batch keys; after an interruption the next run deletes the rest, and
// concurrent sweepers only find fewer rows.
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

// sweepBatch returns the number of keys that it found.
func (db *DB) sweepBatch(ctx context.Context, s Sweep, batch int) (int, error) {
	var keys []any
	err := db.Read(ctx).Table(s.Table).Where("`"+s.Column+"` <= ?", s.Until).
		Limit(batch).Distinct().Pluck(s.Key, &keys).Error
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return len(keys), db.Write(ctx).Exec("DELETE FROM "+s.Table+" WHERE `"+s.Key+"` IN ? AND `"+s.Column+"` <= ?", keys, s.Until).Error
}
