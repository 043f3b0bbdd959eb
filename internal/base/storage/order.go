package storage

import (
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/apperr"
)

// order is the order of a list.
type order struct {
	// name is the requested sort.
	name, column string
	descending   bool
	// unique is set if no two rows share a value of the column.
	unique bool
	// hidden makes the engine sort the rows instead of scanning the index of the order.
	hidden bool
}

func (s Sorts) resolve(requested string) (order, error) {
	if requested == "" {
		requested = s.Default
	}
	column, ok := s.Columns[strings.TrimPrefix(requested, "-")]
	if !ok {
		names := slices.Sorted(maps.Keys(s.Columns))
		return order{}, apperr.Malformed("?sort", "must be one of "+strings.Join(names, ", ")+", with - before it for descending")
	}
	return order{
		name: requested, column: column, descending: strings.HasPrefix(requested, "-"),
		unique: column == "id" || slices.Contains(s.Unique, column),
	}, nil
}

// by returns ORDER BY column, id; or ORDER BY column if the values of the column are distinct.
func (o order) by() clause.OrderBy {
	columns := []clause.OrderByColumn{{Column: o.sorted(o.column), Desc: o.descending}}
	if !o.unique {
		columns = append(columns, clause.OrderByColumn{Column: o.sorted("id"), Desc: o.descending})
	}
	return clause.OrderBy{Columns: columns}
}

// sort makes the engine read in the order. Without the hint MySQL tends to scan the primary
// key for rows ordered by id, across all tenants, or to sort by it.
func (o order) sort(query *gorm.DB) *gorm.DB {
	if !o.hidden {
		query = hinted(query, "IGNORE INDEX (`PRIMARY`)")
	}
	return query.Clauses(o.by())
}

// hinted sets the index hint of a query on MySQL.
func hinted(query *gorm.DB, hint string) *gorm.DB {
	if query.Name() != string(MySQL) {
		return query
	}
	return query.Clauses(clause.From{Joins: []clause.Join{{Expression: clause.Expr{SQL: hint}}}})
}

// between makes MySQL read an index between two limits in the order's column; the filters are the
// columns that follow the tenant in the index.
//
// For many rows between the limits, MariaDB uses the index only for the equalities: it starts at
// the end of their rows and checks each row until it reaches the limit, which lasts seconds for a
// page in the middle of a million rows. If each equality is written as a range, no equality is left
// for this; and if each column is in the ORDER BY too, no other index has that order.
func (o order) between(query *gorm.DB, filters []Filter) *gorm.DB {
	columns := []string{tenantColumn}
	for _, f := range filters {
		query = f.asRange().apply(query, false)
		if column := f.terms[0].column; column != o.column {
			columns = append(columns, column)
		}
	}
	var first clause.OrderBy
	for _, column := range columns {
		first.Columns = append(first.Columns, clause.OrderByColumn{Column: tableColumn(column), Desc: o.descending})
	}
	return query.Set(tenantAsRange, true).Clauses(first)
}

func (o order) sorted(column string) clause.Column {
	if o.hidden {
		return clause.Column{Name: hide(column), Raw: true}
	}
	return tableColumn(column)
}

// beyond limits a query to the rows after a position.
func (o order) beyond(query *gorm.DB, p position) *gorm.DB {
	return o.compare(query, p, o.descending, false)
}

// upTo limits a query to the rows up to and including a position.
func (o order) upTo(query *gorm.DB, p position) *gorm.DB {
	return o.compare(query, p, !o.descending, true)
}

// compare limits a query to (column, id) < (value, id), or > if below is false, or to <= or >= if
// equal is true. It uses the form that the dialect serves from an index on (tenant_id, column, id):
// a row comparison on SQLite, and on MySQL
//
//	column < ? OR (column = ? AND id < ?)
func (o order) compare(query *gorm.DB, p position, below, equal bool) *gorm.DB {
	sign := " >"
	if below {
		sign = " <"
	}
	last := sign
	if equal {
		last += "="
	}
	column, id := "`"+o.column+"`", "`id`"
	if o.hidden {
		column, id = hide(o.column), hide("id")
	}
	switch {
	case o.unique:
		return query.Where(column+last+" ?", p.value)
	case query.Name() == string(SQLite):
		return query.Where("("+column+", "+id+")"+last+" (?, ?)", p.value, p.id)
	}
	return query.Where("("+column+sign+" ? OR ("+column+" = ? AND "+id+last+" ?))", p.value, p.value, p.id)
}
