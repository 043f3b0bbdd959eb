// Package promises checks in the stores whether the guarantees of the service hold.
//
// A promise is a condition on rows that must be true at any time, regardless of commits,
// crashes and repeated requests. The domains declare them, for all purposes: the service
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
	"interlock/internal/module"
)

// Topic is the topic of violations, keyed by the name of the promise.
const Topic = "promises"

// statements returns the statement that checks the next rows after a position, at most
// limit, and the one that checks one row again. Both see one snapshot of the database.
func statements(p module.Promise, dialect storage.Dialect) (next func(place []any, limit int) (string, []any), again func(place []any) (string, []any)) {
	columns := "x." + strings.Join(p.PrimaryKey(), ", x.")
	head := "SELECT x.tenant_id, " + p.Subject + ", CASE WHEN " + p.Broken + " THEN 1 ELSE 0 END, " + columns + " FROM " + p.Table + " x"
	order := " ORDER BY " + columns + " LIMIT ?"
	next = func(place []any, limit int) (string, []any) {
		where, values := dialect.Behind(p.PrimaryKey(), place)
		return head + " WHERE " + where + order, append(values, limit)
	}
	again = func(place []any) (string, []any) {
		return head + " WHERE x." + strings.Join(p.PrimaryKey(), " = ? AND x.") + " = ?", place
	}
	return next, again
}
