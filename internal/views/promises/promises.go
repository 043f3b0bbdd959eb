// Package promises asks the stores themselves whether what the service promises is so.
//
// A promise is a statement about rows that must be true at every moment: whatever unit was
// committed last, whoever crashed, however often a request came. List has all of them, and
// they are the only ones: the service checks them while it runs, `admin promises check`
// does so once, and load runs and storms end with them.
//
// Invariants:
//
//   - A check never reports what a write under way makes of the rows. Each looks at some
//     rows by one statement, which sees one moment of the database, and what it suspects it
//     looks at once more before anybody is told.
//   - It costs a set share of one connection: after a step that took d, also in vain, it rests
//     for as long as makes d that share of the time. A step looks at a range of a primary key, in no transaction.
//   - One process checks at a time, by a lease. What it found is kept under a version, so a
//     holder that was paused beyond its lease overwrites nothing.
//   - What is violated is in the audit log of the tenant that it is about, once, and so is
//     that it is repaired; of one promise, the first hundred rows of a tenant.
package promises

import (
	"strings"

	"interlock/internal/base/storage"
)

// Topic is where violations are announced, keyed by the name of the promise.
const Topic = "promises"

// Promise is something that must be true of all rows of a table at every moment.
type Promise struct {
	// Name is what the promise is called in the API, in metrics and in the audit log.
	Name string
	// Guarantee is its heading in docs/guarantees.md, such as G4.
	Guarantee string
	// Says is the promise in a sentence, of all rows of the table together.
	Says string
	// Tests are those that would fail if the program broke it, named as in
	// docs/guarantees.md, and Faults those in which engines and processes are broken under
	// it.
	Tests, Faults []string

	// table is walked along key, its primary key; x is the row's alias in broken, which is
	// true of a row that breaks the promise. A broken that is unknown (NULL) is not true, so
	// every sum that can be of no rows has a COALESCE.
	table  string
	key    []string
	broken string
	// subject is what a row is called, as an expression: the path of what it is about.
	subject string
}

// statements returns the statement that looks at the next rows behind a place, at most so many,
// and the one that looks at one row again. Both see one moment of the database.
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
