// Package promises checks in the stores whether the guarantees of the service hold.
//
// A promise is a condition on rows that must be true at any time, regardless of commits,
// crashes and repeated requests. List contains all of them, for all purposes: the service
// checks them while it runs, `admin promises check` checks them once, and load and fault
// tests end with a check.
//
// Invariants:
//
//   - A check never reports the intermediate state of a running write. Each step checks some
//     rows by one statement, in one snapshot of the database, and checks an apparent
//     violation again before it reports it.
//   - The cost is a fixed share of one connection: after a step of duration d, even a failed
//     one, the service pauses until d is that share of the time. A step reads a range of a
//     primary key, without a transaction.
//   - One process checks at a time, by a lease. Its results are stored under a version, so a
//     holder that was paused beyond its lease overwrites nothing.
//   - A violation is recorded in the audit log of its tenant once, and so is its repair; at
//     most a hundred rows per promise and tenant.
package promises

import (
	"strings"

	"interlock/internal/base/storage"
)

// Topic announces violations and their repair, keyed by the name of the promise.
const Topic = "promises"

// Promise is a condition that must be true for all rows of a table at any time.
type Promise struct {
	// Name is the name in the API, in metrics and in the audit log.
	Name string
	// Guarantee is its heading in docs/guarantees.md, such as G4.
	Guarantee string
	// Says is the promise as a sentence about all rows of the table.
	Says string
	// Tests are the tests that fail if the program breaks it, with their names in
	// docs/guarantees.md, and Faults the tests with failing engines and processes.
	Tests, Faults []string

	// table is scanned along key, its primary key; x is the row's alias in broken, which is
	// true for a violating row. NULL counts as not violating, so every sum over possibly no
	// rows needs a COALESCE.
	table  string
	key    []string
	broken string
	// subject is an SQL expression for the path of a row's subject.
	subject string
}

// statements returns the statement that checks the next rows after a position, at most
// limit, and the one that checks one row again. Both see one snapshot of the database.
func (p Promise) statements(dialect storage.Dialect) (next func(place []any, limit int) (string, []any), again func(place []any) (string, []any)) {
	columns := "x." + strings.Join(p.key, ", x.")
	head := "SELECT x.tenant_id, " + p.subject + ", CASE WHEN " + p.broken + " THEN 1 ELSE 0 END, " + columns + " FROM " + p.table + " x"
	order := " ORDER BY " + columns + " LIMIT ?"
	next = func(place []any, limit int) (string, []any) {
		where, values := dialect.Behind(p.key, place)
		return head + " WHERE " + where + order, append(values, limit)
	}
	again = func(place []any) (string, []any) {
		return head + " WHERE x." + strings.Join(p.key, " = ? AND x.") + " = ?", place
	}
	return next, again
}
