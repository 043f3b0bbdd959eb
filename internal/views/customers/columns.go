package customers

import "interlock/internal/module"

const (
	id     = "id"
	erased = "[erased]"
)

type column struct {
	name string
	how  module.Erasure
	// kind is the column that contains the kind of the id: the id is a customer's only if that kind
	// is "customer". It is "" if the id is always a customer's.
	kind string
}

// table is a table with columns that can name a customer.
type table struct {
	name string
	// key is the primary key of the table, including the tenant if the tenant is a part of it.
	key     []string
	columns []column
	// own is the SQL condition that is true if a row x is about the customer; see module.Table.
	own string
}

// tablesOf returns the declared tables with columns that are erased row by row, or, for content,
// with columns of the shop's content.
func tablesOf(declared []module.Table, content bool) (tables []table) {
	for _, d := range declared {
		t := table{name: d.Name, key: d.PrimaryKey(), own: d.Customer}
		for _, c := range d.Columns {
			if c.Content == content && c.Erase != module.Together {
				t.columns = append(t.columns, column{c.Name, c.Erase, c.Kind})
			}
		}
		if len(t.columns) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}
