// Package retention removes expired rows, if an operator has configured a retention.
//
// Invariants:
//
//   - Rows of a kind with the setting 0, the default, are never removed: audit entries and
//     history are stored forever unless configured otherwise.
//   - A version of a record is removed only when its successor is older than the limit, or
//     when the record itself was deleted that long ago. So the newest version of an existing
//     record always remains, and a user who opened a record within that time still has the
//     base of the edit.
//   - The rows that prove balances and stock are never removed: entries, movements, events,
//     lines. The domains declare the removable tables, and a test compares them with the schema.
//   - The limit of a table is stored before its first row is removed, and never decreases. The
//     promises (package promises) read it, so they hold during a run and afterwards.
//   - Rows are removed by primary key, in batches, in a transaction that also counts them,
//     under the version of the table's state. A crash loses no count, and a process that was
//     paused beyond its lease removes nothing.
//   - A run uses a fixed share of one connection's time: after a step of duration d it pauses
//     until d is that share. It ends between two steps when the process shuts down.
//   - The rows removed by a run are recorded in the audit log of each tenant, in one entry.
package retention

import (
	"strings"
	"time"

	"interlock/internal/base/storage"
	"interlock/internal/module"
)

// Table is a table with removable rows.
type Table struct {
	// Name is the name of the table, also in metrics and in the audit log.
	Name string
	Kind module.Retention
	// key is the primary key of the scan, with the alias x.
	key []string
	// over is the SQL condition that is true if a row x has expired; each ? is the limit.
	over string
}

// removable returns those of the declared tables that have removable rows.
func removable(declared []module.Table) (list []Table) {
	for _, t := range declared {
		if t.Expires != nil {
			list = append(list, Table{t.Name, t.Expires.Kind, t.PrimaryKey(), t.Expires.When})
		}
	}
	return list
}

// watched is the number of the newest versions of configs that are never removed, however old they
// are. The feed of configs can resume within these versions; without them, its readers would
// silently miss changes.
const watched = 10_000

// condition returns the SQL condition that is true if a row x is removable, and its values.
func (t Table) condition(dialect storage.Dialect, limit time.Time) (string, []any) {
	condition := "(" + t.over + ")"
	switch {
	case t.Name != "config_histories":
	case dialect == storage.MySQL:
		condition += " AND x.place <= (SELECT l.last FROM log_places l WHERE l.name = 'configs') - ?"
	default:
		condition += " AND x.id <= (SELECT MAX(l.id) FROM config_histories l) - ?"
	}
	values := make([]any, strings.Count(t.over, "?"))
	for i := range values {
		values[i] = limit
	}
	if t.Name == "config_histories" {
		values = append(values, watched)
	}
	return condition, values
}

// next returns the statement that reads the rows after a position, and whether each is
// removable.
func (t Table) next(dialect storage.Dialect, limit time.Time, place []any, rows int) (string, []any) {
	condition, values := t.condition(dialect, limit)
	columns := "x." + strings.Join(t.key, ", x.")
	where, behind := dialect.Behind(t.key, place)
	statement := "SELECT x.tenant_id, CASE WHEN " + condition + " THEN 1 ELSE 0 END, " + columns +
		" FROM " + t.Name + " x WHERE " + where + " ORDER BY " + columns + " LIMIT ?"
	return statement, append(append(values, behind...), rows)
}

// row is a row that was read.
type row struct {
	tenant int64
	over   bool
	place  []any
}

// removals returns the delete statements, each for rows of one tenant with the same key
// except its last part.
func (t Table) removals(rows []row) []removal {
	var list []removal
	last := len(t.key) - 1
	for _, r := range rows {
		if !r.over {
			continue
		}
		head, at := append([]any{r.tenant}, r.place[:last]...), -1
		for i := range list {
			if equal(list[i].head, head) {
				at = i
			}
		}
		if at < 0 {
			at, list = len(list), append(list, removal{head: head})
		}
		list[at].last = append(list[at].last, r.place[last])
	}
	return list
}

type removal struct {
	// head is the tenant and the common parts of the key.
	head []any
	last []any
}

func (r removal) statement(t Table) (string, []any) {
	last := len(t.key) - 1
	where := "tenant_id = ?"
	for _, column := range t.key[:last] {
		where += " AND " + column + " = ?"
	}
	return "DELETE FROM " + t.Name + " WHERE " + where + " AND " + t.key[last] + " IN ?", append(append([]any{}, r.head...), r.last)
}

func equal(a, b []any) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
