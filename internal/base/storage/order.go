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
	// name is the sort as it was asked for.
	name, column string
	descending   bool
	// unique is set when no two rows share a value of the column.
	unique bool
	// hidden has the rows sorted, and not read along the index of the order.
	hidden bool
}

func (s Sorts) resolve(asked string) (order, error) {
	if asked == "" {
		asked = s.Default
	}
	column, ok := s.Columns[strings.TrimPrefix(asked, "-")]
	if !ok {
		names := slices.Sorted(maps.Keys(s.Columns))
		return order{}, apperr.Malformed("?sort", "must be one of "+strings.Join(names, ", ")+", with - before it for descending")
	}
	return order{
		name: asked, column: column, descending: strings.HasPrefix(asked, "-"),
		unique: column == "id" || slices.Contains(s.Unique, column),
	}, nil
}

// by is ORDER BY column, id; or column alone where no two rows share it.
func (o order) by() clause.OrderBy {
	columns := []clause.OrderByColumn{{Column: o.sorted(o.column), Desc: o.descending}}
	if !o.unique {
		columns = append(columns, clause.OrderByColumn{Column: o.sorted("id"), Desc: o.descending})
	}
	return clause.OrderBy{Columns: columns}
}

// sort has the engine read in the order. MySQL likes to walk the primary key to rows in the
// order of their ids, whosesoever they are, or to sort what it finds by it, and is told not to.
func (o order) sort(query *gorm.DB) *gorm.DB {
	if !o.hidden && query.Name() == string(MySQL) {
		notByID := clause.Expr{SQL: "IGNORE INDEX (`PRIMARY`)"}
		query = query.Clauses(clause.From{Joins: []clause.Join{{Expression: notByID}}})
	}
	return query.Clauses(o.by())
}

// between has MySQL read an index from the one limit to the other that there is in the order's
// column; the filters are what the index begins with after the tenant.
//
// For many rows between the limits MariaDB takes the equalities alone along the index, from its
// end, and looks at each row on the way to the first limit: seconds for a page in the middle of a
// million rows. Where each is a range, from a value to it, there are none to take; and where each
// stands in the order too, no other index has the rows in it.
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

// beyond narrows a query to what comes after a place.
func (o order) beyond(query *gorm.DB, p place) *gorm.DB {
	return o.compare(query, p, o.descending, false)
}

// upTo narrows a query to what comes no later than a place.
func (o order) upTo(query *gorm.DB, p place) *gorm.DB {
	return o.compare(query, p, !o.descending, true)
}

// compare is (column, id) < (value, id), or > or with = also the place itself, in the form
// that the dialect answers from an index on (tenant_id, column, id): a comparison of rows on
// SQLite, and on MySQL
//
//	column < ? OR (column = ? AND id < ?)
func (o order) compare(query *gorm.DB, p place, below, equal bool) *gorm.DB {
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
