package dbcopy

import (
	"fmt"
	"strings"

	"gorm.io/gorm"

	"interlock/internal/base/storage"
)

const (
	// pageRows and pageBytes bound a page; a single row may be larger.
	pageRows  = 1000
	pageBytes = 4 << 20
)

// derived are relations of SQLite with the rows that MySQL has in the table of the same name. On
// SQLite the positions in the log of configs are the ids of its rows, so their counter is the last
// id; see storage.SequencedLog.
var derived = map[string]string{
	"config_histories": "(SELECT *, id AS place FROM config_histories)",
	"log_places": "(SELECT name, last FROM log_places WHERE name <> 'configs' UNION ALL " +
		"SELECT 'configs', COALESCE((SELECT MAX(seq) FROM sqlite_sequence WHERE name = 'config_histories'), 0))",
}

// derivedColumns are the columns of these relations that the table on SQLite lacks.
var derivedColumns = map[string][]string{"config_histories": {"place"}}

// table is a table that exists on both sides.
type table struct {
	name    string
	columns []column
	// key are the indexes of the columns of the primary key, in its order.
	key []int
	// rows is the number of rows of the source.
	rows int64
}

// column is a stored column.
type column struct {
	name string
	kind kind
}

// page contains the next rows of a table in the order of the key.
type page struct {
	rows [][]any
	// key is the position of the last row; nil without rows.
	key []any
	// last is set if no rows follow.
	last bool
}

// relation returns the relation with the rows of the table.
func (t *table) relation(d storage.Dialect) string {
	if from, ok := derived[t.name]; ok && d == storage.SQLite {
		return from
	}
	return "`" + t.name + "`"
}

func (t *table) keyNames() []string {
	names := make([]string, len(t.key))
	for i, column := range t.key {
		names[i] = "`" + t.columns[column].name + "`"
	}
	return names
}

// names returns the columns as a list in SQL, each with a prefix.
func (t *table) names(prefix string) string {
	list := make([]string, len(t.columns))
	for i, column := range t.columns {
		list[i] = prefix + "`" + column.name + "`"
	}
	return strings.Join(list, ", ")
}

// after describes a position for errors.
func (t *table) after(key []any) string {
	if key == nil {
		return ""
	}
	return fmt.Sprintf(" after %s = %v", strings.Join(t.keyNames(), ", "), key)
}

// read returns the rows after a position, with values in the form of package kind:
//
//	SELECT x.… FROM table x WHERE (key) > (?) ORDER BY key LIMIT 1000
func (t *table) read(tx *gorm.DB, d storage.Dialect, after []any) (page page, err error) {
	key := t.keyNames()
	behind, values := d.Behind(key, after)
	statement := fmt.Sprintf("SELECT %s FROM %s x WHERE %s ORDER BY x.%s LIMIT %d", t.names("x."), t.relation(d), behind, strings.Join(key, ", x."), pageRows)
	rows, err := tx.Raw(statement, values...).Rows()
	if err != nil {
		return page, err
	}
	defer rows.Close()
	size := 0
	for size < pageBytes && rows.Next() {
		row, bytes, err := t.scan(rows)
		if err != nil {
			return page, err
		}
		page.rows = append(page.rows, row)
		size += bytes
	}
	if err := rows.Err(); err != nil {
		return page, err
	}
	page.last = size < pageBytes && len(page.rows) < pageRows
	if n := len(page.rows); n > 0 {
		page.key = t.keyOf(page.rows[n-1])
	}
	return page, nil
}

func (t *table) scan(rows interface{ Scan(into ...any) error }) (row []any, size int, err error) {
	row = make([]any, len(t.columns))
	into := make([]any, len(row))
	for i := range row {
		into[i] = &row[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, 0, err
	}
	for i, column := range t.columns {
		if row[i], err = column.kind.normalize(row[i]); err != nil {
			return nil, 0, fmt.Errorf("column %s of the row with key %v: %w", column.name, t.keyOf(row), err)
		}
		size += sizeOf(row[i])
	}
	return row, size, nil
}

func (t *table) keyOf(row []any) []any {
	key := make([]any, len(t.key))
	for i, column := range t.key {
		key[i] = row[column]
	}
	return key
}
