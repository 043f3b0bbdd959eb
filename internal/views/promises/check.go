package promises

import (
	"context"
	"fmt"
	"slices"

	"interlock/internal/base/storage"
	"interlock/internal/module"
)

// Row is a checked row.
type Row struct {
	TenantID int64
	// Subject is the path of the row's subject, such as orders/17.
	Subject string
	Broken  bool
	// Absent is set if there was nothing to check, for example a gate in a Redis that this
	// process cannot access.
	Absent bool
	// Place is the position of the row in the scan.
	Place []any
}

// Looker checks subjects that are in no table. It returns at most limit subjects after the position
// behind, which is nil for the first call, each checked in a consistent snapshot.
type Looker func(ctx context.Context, behind []any, limit int) ([]Row, error)

// Found is a violation of a promise.
type Found struct {
	Promise  string
	TenantID int64
	Subject  string
}

// checks are the promises with their stores.
type checks struct {
	db    *storage.DB
	list  []module.Promise
	gates Looker
}

// step checks the next rows after a position. It returns the number of checked rows, the
// next position, which is nil at the end, and the violations that a second check confirmed.
func (c checks) step(ctx context.Context, p module.Promise, place []any, limit int) (looked int, next []any, found []Found, err error) {
	rows, err := c.rows(ctx, p, place, limit)
	if err != nil {
		return 0, nil, nil, fmt.Errorf("check promise %q: %w", p.Name, err)
	}
	for _, row := range rows {
		if !row.Absent {
			looked++
		}
		if !row.Broken {
			continue
		}
		still, err := c.broken(ctx, p, row)
		if err != nil {
			return 0, nil, nil, fmt.Errorf("check promise %q again: %w", p.Name, err)
		}
		if still {
			found = append(found, Found{Promise: p.Name, TenantID: row.TenantID, Subject: row.Subject})
		}
	}
	if len(rows) == limit {
		next = rows[limit-1].Place
	}
	return looked, next, found, nil
}

func (c checks) rows(ctx context.Context, p module.Promise, place []any, limit int) ([]Row, error) {
	if p.Table == "" {
		if c.gates == nil {
			return nil, nil
		}
		return c.gates(ctx, place, limit)
	}
	next, _ := statements(p, c.db.Dialect)
	statement, values := next(place, limit)
	return c.read(ctx, len(p.PrimaryKey()), statement, values)
}

// broken checks an apparently violating row again.
func (c checks) broken(ctx context.Context, p module.Promise, row Row) (bool, error) {
	if p.Table == "" {
		again, err := c.gates(ctx, []any{row.Place[0].(int64) - 1}, 1)
		return len(again) == 1 && again[0].Subject == row.Subject && again[0].Broken, err
	}
	_, again := statements(p, c.db.Dialect)
	statement, values := again(row.Place)
	rows, err := c.read(ctx, len(p.PrimaryKey()), statement, values)
	return len(rows) == 1 && rows[0].Broken, err
}

func (c checks) read(ctx context.Context, keys int, statement string, values []any) ([]Row, error) {
	return storage.Rows(storage.AcrossTenants(ctx), c.db, keys, statement, values, func(row *Row, position []any) []any {
		row.Place = position
		return []any{&row.TenantID, &row.Subject, &row.Broken}
	})
}

// Total is the result of one complete check of a promise.
type Total struct {
	Promise module.Promise
	Looked  int
	Found   []Found
}

// completeCheckRows is the number of rows per step of a complete check.
const completeCheckRows = 500

// Check checks everything once, without pauses and independent of earlier results, and
// stores nothing. If gates is nil, it skips the gates.
func Check(ctx context.Context, db *storage.DB, list []module.Promise, gates Looker) ([]Total, error) {
	c := checks{db, list, gates}
	totals := make([]Total, 0, len(list))
	for _, p := range list {
		total := Total{Promise: p}
		err := storage.Walk(ctx, func(after []any) ([]any, error) {
			looked, next, found, err := c.step(ctx, p, after, completeCheckRows)
			total.Looked, total.Found = total.Looked+looked, append(total.Found, found...)
			return next, err
		})
		if err != nil {
			return nil, err
		}
		totals = append(totals, total)
	}
	return totals, nil
}

// tenantsOf groups violations by tenant.
func tenantsOf(found []Found) map[int64][]string {
	by := map[int64][]string{}
	for _, f := range found {
		if !slices.Contains(by[f.TenantID], f.Subject) {
			by[f.TenantID] = append(by[f.TenantID], f.Subject)
		}
	}
	return by
}
