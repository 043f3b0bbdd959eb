package customers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/module"
)

// rowsPerRead is the number of rows per read, and rowsPerUnit the maximum number of changed
// rows per unit.
const rowsPerRead, rowsPerUnit = 1000, 100

// found is a row that names the customer, or is about the customer.
type found struct {
	// hit is 2 if the row is about the customer, 1 if it only names the customer, otherwise 0; texts
	// are the columns as read, nil for no value.
	hit    int
	texts  []*string
	key    []any
	own    bool
	values []string
	// null marks the columns without a value.
	null []bool
}

// clause is a condition in SQL with its values.
type clause struct {
	text   string
	values []any
}

// ownClause returns the condition that is true if a row x is about the customer.
func (t table) ownClause(e *erasure) clause {
	if t.own == "" {
		return clause{text: "1 = 0"}
	}
	var c clause
	rest := t.own
	for {
		at := strings.IndexAny(rest, "?#")
		if at < 0 {
			c.text += rest
			return c
		}
		c.text += rest[:at] + "?, ?"
		if rest[at] == '?' {
			c.values = append(c.values, e.id, e.pseudonym)
		} else {
			c.values = append(c.values, e.paths()...)
		}
		rest = rest[at+2:]
	}
}

// namesClause returns the condition that is true if a column of a row x contains the id.
func (t table) namesClause(e *erasure) clause {
	var c clause
	for _, column := range t.columns {
		if column.how == module.Unchanged {
			continue
		}
		for _, needle := range e.needles() {
			if c.text != "" {
				c.text += " OR "
			}
			c.text += "INSTR(x." + quoted(column.name) + ", ?) > 0"
			c.values = append(c.values, needle)
		}
	}
	if c.text == "" {
		c.text = "1 = 0"
	}
	return c
}

func quoted(name string) string { return "`" + name + "`" }

// each calls do for each row that walk finds.
func (s *Service) each(ctx context.Context, t table, e *erasure, do func(row found) error) error {
	return s.walk(ctx, t, e, func(rows []found) error {
		for _, row := range rows {
			if err := do(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// walk calls do with the rows of a tenant's table that are about the customer or contain
// the id, in batches. It reads the whole table, because no index finds an id inside a text.
func (s *Service) walk(ctx context.Context, t table, e *erasure, do func(rows []found) error) error {
	err := storage.Walk(ctx, func(after []any) ([]any, error) {
		rows, err := s.look(ctx, t, e, after)
		if err != nil {
			return nil, err
		}
		hits := slices.DeleteFunc(slices.Clone(rows), func(row found) bool { return row.hit == 0 })
		for some := range slices.Chunk(hits, rowsPerUnit) {
			if err := do(some); err != nil {
				return nil, err
			}
		}
		if len(rows) < rowsPerRead {
			return nil, ctx.Err()
		}
		return rows[len(rows)-1].key, nil
	})
	if err != nil {
		return fmt.Errorf("walk %s: %w", t.name, err)
	}
	return nil
}

// look reads the next rows after a position. hit is positive in the rows that name the customer or
// are about the customer.
func (s *Service) look(ctx context.Context, t table, e *erasure, after []any) ([]found, error) {
	statement, values := s.looks(ctx, t, e, after)
	rows, err := storage.Rows(ctx, s.db, len(t.key), statement, values, func(row *found, position []any) []any {
		row.key, row.texts = position, make([]*string, len(t.columns))
		into := []any{&row.hit}
		for i := range row.texts {
			into = append(into, &row.texts[i])
		}
		return into
	})
	for i := range rows {
		rows[i].fill()
	}
	return rows, err
}

// looks returns the statement that reads the next rows after a position along the primary
// key. If the key does not start with the tenant, the rows of other tenants are read too,
// but never match: so a read ends after rowsPerRead rows in any case.
func (s *Service) looks(ctx context.Context, t table, e *erasure, after []any) (string, []any) {
	tenant, _ := principal.From(ctx)
	own, named, key := t.ownClause(e), t.namesClause(e), "x."+strings.Join(t.key, ", x.")
	where, behind := s.db.Dialect.Behind(t.key, after)
	if t.key[0] == "tenant_id" {
		where, behind = "x.tenant_id = ? AND "+where, append([]any{tenant.TenantID}, behind...)
	}
	columns := ""
	for _, column := range t.columns {
		columns += "CASE WHEN x.hit > 0 THEN x." + quoted(column.name) + " END, "
	}
	inner := "SELECT x.*, CASE WHEN x.tenant_id <> ? THEN 0 WHEN " + own.text + " THEN 2 WHEN " + named.text + " THEN 1 ELSE 0 END AS hit FROM " + t.name +
		" x WHERE " + where + " ORDER BY " + key + " LIMIT ?"
	values := slices.Concat([]any{tenant.TenantID}, own.values, named.values, behind, []any{rowsPerRead})
	return "SELECT x.hit, " + columns + key + " FROM (" + inner + ") x ORDER BY " + key, values
}

// fill sets the fields that follow from hit and texts.
func (f *found) fill() {
	f.own, f.values, f.null = f.hit == 2, make([]string, len(f.texts)), make([]bool, len(f.texts))
	for i, text := range f.texts {
		if f.null[i] = text == nil; !f.null[i] {
			f.values[i] = *text
		}
	}
}

// changes returns the new values of a row's changed columns.
func (t table) changes(e *erasure, row found) map[string]any {
	set := map[string]any{}
	for i, c := range t.columns {
		if row.null[i] {
			continue
		}
		kind := "customer"
		if at := slices.IndexFunc(t.columns, func(k column) bool { return k.name == c.kind }); at >= 0 {
			kind = row.values[at]
		}
		if fresh := c.fresh(e, row.values[i], row.own, kind); fresh != row.values[i] {
			set[c.name] = fresh
		}
	}
	if _, changed := set["payload"]; changed && t.name == "aggregate_events" {
		// With the rest of an event, guessed ids could be tested against its fingerprint.
		set["fingerprint"] = e.mac(fmt.Sprint("event", row.key))
	}
	return set
}

func (c column) fresh(e *erasure, text string, own bool, kind string) string {
	switch c.how {
	case module.Pseudonym:
		if text == string(e.id) && kind == "customer" {
			return string(e.pseudonym)
		}
	case module.NewTicket:
		if own && text != "" {
			return e.ticket(text)
		}
	case module.Renamed:
		if c.kind != "" && kind == "customer" && own {
			return string(e.pseudonym) // the name used by the shop
		}
		return e.name(text, own)
	case module.Blanked:
		return e.free(text, own)
	case module.Emptied:
		if e.free(text, own) != text {
			return ""
		}
	case module.JSONTexts:
		return e.data(text, own)
	case module.JSONContent:
		if (own || e.shops(text) != text) && text != "null" {
			return "{}"
		}
	}
	return text
}

// update changes a row, unless one of the columns has changed since, or the row is about
// the customer and open: the next run finds it then.
//
//	UPDATE … SET a = ?, b = ? WHERE tenant_id = ? AND key = ? AND a = ? AND b = ? AND NOT (status IN (…))
func (t table) update(tx *gorm.DB, tenant int64, row found, set map[string]any) (bool, error) {
	var columns, where []string
	var values, conditions []any
	for _, c := range t.columns {
		fresh, changed := set[c.name]
		if !changed {
			continue
		}
		columns, values = append(columns, quoted(c.name)+" = ?"), append(values, fresh)
		where = append(where, quoted(c.name)+" = ?")
		conditions = append(conditions, row.values[slices.Index(t.columns, c)])
	}
	if fresh, stamped := set["fingerprint"]; stamped {
		columns, values = append(columns, "fingerprint = ?"), append(values, fresh)
	}
	for i, part := range t.key {
		where, conditions = append(where, part+" = ?"), append(conditions, row.key[i])
	}
	if open := underWay[t.name]; open != "" && row.own {
		where = append(where, "NOT ("+open+")")
	}
	statement := "UPDATE " + t.name + " SET " + strings.Join(columns, ", ") + " WHERE tenant_id = ? AND " + strings.Join(where, " AND ")
	result := tx.Exec(statement, slices.Concat(values, []any{tenant}, conditions)...)
	return result.RowsAffected > 0, result.Error
}
