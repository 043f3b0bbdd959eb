// Package retention removes rows that have served their time, where an operator has set one.
//
// Invariants:
//
//   - Nothing is removed of a kind whose setting is 0, which is the default: audit entries and
//     history are kept for ever unless somebody decides otherwise.
//   - A version of a record is removed only when the one after it is older than the limit, or
//     when the record itself is gone for so long. So the newest version of what lives is always
//     there, and whoever opened a record within that time still has the base of their edit.
//   - What balances and stock are proved by is never removed: entries, movements, events, lines.
//     List has what is removed, and a test compares it with the schema.
//   - The limit of a table is in the database before the first row goes, and never goes back. The
//     promises (package promises) read it, so they hold while a run is under way, and after one.
//   - Rows go by primary key, some at a time, in a transaction that also counts them, under the
//     version of the table's state. A crash loses no count, and a process that was paused beyond
//     its lease removes nothing.
//   - A run takes a set share of one connection's time: after a step that took d it rests for as
//     long as makes d that share. It ends between two steps when the process is asked to.
//   - What a run removed is in the audit log of each tenant that it is about, in one entry.
package retention

import (
	"strings"
	"time"

	"interlock/internal/base/storage"
)

// Kind is what one setting is about.
type Kind string

// The kinds.
const (
	Audit   Kind = "audit"
	History Kind = "history"
	Tickets Kind = "tickets"
)

// Table is a table whose rows are removed.
type Table struct {
	// Name is the table's, in metrics and in the audit log too.
	Name string
	Kind Kind
	// key is the primary key that it is walked along, as x.
	key []string
	// over is true of a row x that has served its time; each ? is the limit.
	over string
}

const id = "id"

// version is the table with the versions of a record, which is the row with the id that is in
// column of. A version goes when the one after it is old, and the last one of a record that is
// gone, its deletion, when it is old itself. The index over (of, version) has the one after each.
func version(name, of, records string) Table {
	after := "EXISTS (SELECT 1 FROM " + name + " n WHERE n.tenant_id = x.tenant_id AND n." + of + " = x." + of + " AND n.version = x.version + 1"
	return Table{Name: name, Kind: History, key: []string{id}, over: after + ` AND n.changed_time <= ?)
		OR (x.changed_time <= ? AND NOT EXISTS (SELECT 1 FROM ` + records + ` r WHERE r.id = x.` + of + `) AND NOT ` + after + `))`}
}

// ended says that the flash sale of a row has finished: from then on its tickets are answered
// from its orders and rejections.
const ended = `EXISTS (SELECT 1 FROM flash_sale_stocks s WHERE s.tenant_id = x.tenant_id AND s.sale_id = x.sale_id AND s.finished AND s.updated_time <= ?)`

// List is what is removed, in the order in which it is.
//
// Not in it, of what has a history: approvals, whose versions say who wrote what others voted
// for, and of which each can stand on the content of the one before; and flash sales, whose
// largest limit per customer a promise needs.
var List = []Table{
	// Repairs of aggregates are counted among their versions. Where the log is exported, an entry
	// goes only once it has its place there.
	{Name: "audit_entries", Kind: Audit, key: []string{id}, over: `x.created_time <= ? AND x.action <> 'aggregate.rebuild'
		AND (x.place IS NOT NULL OR NOT EXISTS (SELECT 1 FROM log_places l WHERE l.name = CONCAT('audit:', x.tenant_id)))`},
	version("config_histories", "config_id", "configs"),
	version("item_histories", "item_id", "items"),
	version("order_histories", "order_id", "orders"),
	version("refund_histories", "refund_id", "refunds"),
	version("work_order_histories", "work_order_id", "work_orders"),
	version("coupon_histories", "coupon_id", "coupons"),
	version("coupon_campaign_histories", "campaign_id", "coupon_campaigns"),
	version("user_histories", "user_id", "users"),
	version("role_histories", "role_id", "roles"),
	version("menu_histories", "menu_id", "menus"),
	{Name: "tenant_setting_histories", Kind: History, key: []string{id},
		over: "EXISTS (SELECT 1 FROM tenant_setting_histories n WHERE n.tenant_id = x.tenant_id AND n.version = x.version + 1 AND n.changed_time <= ?)"},
	{Name: "flash_sale_tickets", Kind: Tickets, key: []string{"sale_id", "ticket"}, over: ended},
	{Name: "flash_sale_buyers", Kind: Tickets, key: []string{"sale_id", "user_id"}, over: ended},
	{Name: "flash_sale_samples", Kind: Tickets, key: []string{"sale_id", "slot"}, over: ended},
	{Name: "flash_sale_rejections", Kind: Tickets, key: []string{"tenant_id", "ticket"}, over: ended + " AND x.created_time <= ?"},
}

// watched is how far back the log of configs can be resumed, in versions: those are never
// removed, however old, since who watches would miss them without a word.
const watched = 10_000

// condition returns what is true of a row x that is to go, and its values.
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

// next is the statement that reads the rows behind a place, with what is to become of them.
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

// removals returns the statements that remove rows, each those of one tenant which have all
// but the last part of the key in common.
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
	// head is the tenant and the parts of the key that the rows have in common.
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
