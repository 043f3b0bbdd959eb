package storage

import (
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Filter is a condition of a list, with data about the index that serves it. List chooses the index
// of a page by these data; see List. The zero Filter is no condition.
type Filter struct {
	// terms are alternatives: a row matches if one of the terms is true.
	terms []term
	// indexed is set if for each term an index starts with the tenant and the column.
	indexed bool
	// unique are columns in which matching rows have distinct values.
	unique []string
	// owns is set if every index of the list starts with the tenant and the column.
	owns bool
	// index is the index for counts on MySQL; "" for any.
	index string
}

// CountedBy returns the filter with the name of the index that counts its matches. MySQL may prefer
// another index that contains the column.
func (f Filter) CountedBy(index string) Filter {
	f.index = index
	return f
}

// hint makes MySQL read the filter's index.
func (f Filter) hint(query *gorm.DB) *gorm.DB {
	if f.index == "" {
		return query
	}
	return hinted(query, "FORCE INDEX (`"+f.index+"`)")
}

// term is a condition on a column, such as {"status", ["= ?"]}. Without a column, the tests
// are complete conditions.
type term struct {
	column string
	tests  []string
	args   []any
	// orderedBy are the columns by which the index orders the matching rows.
	orderedBy []string
	// subquery is set if the index of another table serves the term. ids is the subquery if it
	// returns the id of each matching row exactly once; otherwise it is "".
	subquery bool
	ids      string
	// lookup is the condition for one row, with the same args as the subquery; "" for the
	// subquery.
	lookup string
}

// Equal returns the filter column = value, served by an index on (tenant_id, column, id).
func Equal(column string, value any) Filter {
	return Filter{terms: []term{{column: column, tests: []string{"= ?"}, args: []any{value}, orderedBy: []string{"id"}}}, indexed: true}
}

// OwnedBy returns the filter column = value for the owner of the rows, such as the order of order
// lines. Each sort has an index on (tenant_id, column, sort column).
func OwnedBy(column string, value any) Filter {
	f := Equal(column, value)
	f.owns = true
	return f
}

// Above returns the filter column > value, served by an index on (tenant_id, column, id).
func Above(column string, value any) Filter { return limits(column, limit{">", value}) }

// Until returns the filter column <= value, served by an index on (tenant_id, column, id).
func Until(column string, value any) Filter { return limits(column, limit{"<=", value}) }

// Between returns the filter from <= column AND column < to, served by an index on (tenant_id,
// column, id).
func Between(column string, from, to any) Filter {
	return limits(column, limit{">=", from}, limit{"<", to})
}

// Created returns the filter from <= created_time AND created_time < to, served by an index on
// (tenant_id, created_time, id). A limit that is nil is left out. See Sorts.Within.
func Created(from, to *time.Time) Filter { return Period("created_time", from, to) }

// Period is Created for another column.
func Period(column string, from, to *time.Time) Filter {
	var ends []limit
	if from != nil {
		ends = append(ends, limit{">=", *from})
	}
	if to != nil {
		ends = append(ends, limit{"<", *to})
	}
	if len(ends) == 0 {
		return Filter{}
	}
	return limits(column, ends...)
}

type limit struct {
	sign  string
	value any
}

func limits(column string, ends ...limit) Filter {
	t := term{column: column, orderedBy: []string{column}}
	for _, end := range ends {
		t.tests = append(t.tests, end.sign+" ?")
		t.args = append(t.args, end.value)
	}
	return Filter{terms: []term{t}, indexed: true}
}

// HasPrefix selects the rows with a column that starts with text:
//
//	column >= 'text' AND column < 'text\U0010FFFF'
//
// Both dialects serve such a range from an index on (tenant_id, column); SQLite does not
// for LIKE. Columns compare by bytes, so the case must match; see Spellings.
func HasPrefix(column, text string) Filter { return Between(column, text, PrefixEnd(text)) }

// InSubquery returns the filter id IN (subquery), served by the indexes of another table.
func InSubquery(subquery string, args ...any) Filter {
	return Filter{terms: []term{{column: "id", tests: []string{"IN (" + subquery + ")"}, args: args, subquery: true}}, indexed: true}
}

// InDistinctSubquery is like InSubquery, for a subquery that returns only ids of rows of the tenant, and each id
// once. List counts the ids without reading the rows, however many there are.
func InDistinctSubquery(subquery string, args ...any) Filter {
	f := InSubquery(subquery, args...)
	f.terms[0].ids = subquery
	return f
}

// WithLookup sets the condition that List checks row by row if the filter has too many matches to
// lead. It has the same args as the subquery of InSubquery, which an engine would execute in full.
func (f Filter) WithLookup(condition string) Filter {
	f.terms = slices.Clone(f.terms)
	f.terms[0].lookup = condition
	return f
}

// Indexed returns a filter with a condition that starts with an indexed column, such as Indexed("status",
// "= ? AND expires_time <= ?", …). The filter defines no order.
func Indexed(column, test string, args ...any) Filter {
	return Filter{terms: []term{{column: column, tests: []string{test}, args: args}}, indexed: true}
}

// Examined returns a filter that no index serves: each row is read and checked.
func Examined(condition string, args ...any) Filter {
	return Filter{terms: []term{{tests: []string{condition}, args: args}}}
}

// Either returns a filter for the rows that match at least one of the filters.
func Either(filters ...Filter) Filter {
	either := Filter{indexed: true}
	for _, f := range filters {
		if f.includesAll() {
			return f
		}
		either.terms = append(either.terms, f.terms...)
		either.indexed = either.indexed && f.indexed
	}
	return either
}

// OrderedBy sets the columns by which the filter's index orders the rows, if these columns differ from
// those that the constructor set.
func (f Filter) OrderedBy(columns ...string) Filter {
	f.terms = slices.Clone(f.terms)
	for i := range f.terms {
		f.terms[i].orderedBy = columns
	}
	return f
}

// Unique declares that matching rows have distinct values in a column, so that ties need not be
// broken. The column is the last one of the filter's index.
func (f Filter) Unique(column string) Filter {
	f.unique = append(slices.Clone(f.unique), column)
	return f
}

// Containing selects the rows in which one of the columns contains a text, ignoring case. Each
// engine folds both sides by its own rules: SQLite folds only ASCII. No index serves the filter.
// Every row contains the empty text.
func Containing(text string, columns ...string) Filter {
	if text == "" {
		return Filter{}
	}
	pattern := "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text) + "%"
	conditions, patterns := make([]string, len(columns)), make([]any, len(columns))
	for i, column := range columns {
		conditions[i], patterns[i] = "LOWER(`"+column+"`) LIKE LOWER(?) ESCAPE '!'", pattern
	}
	return Examined("("+strings.Join(conditions, " OR ")+")", patterns...)
}

// Apply adds filters to a query, without influence on the choice of an index.
func Apply(query *gorm.DB, filters ...Filter) *gorm.DB {
	for _, f := range filters {
		query = f.apply(query, false)
	}
	return query
}

// apply adds the condition. If hidden, its columns are wrapped in an expression, so that
// the engine uses the index that List has chosen and checks this condition row by row.
func (f Filter) apply(query *gorm.DB, hidden bool) *gorm.DB {
	return f.applyHiding(query, func(string) bool { return hidden })
}

// applyBetween adds the condition to a query that is limited by cursors in the order of the
// filter's column, from above, from below, or both. It hides the filter's own limit at such
// an end: of two limits SQLite uses the first for the index, not the narrower one. MySQL
// uses both.
func (f Filter) applyBetween(query *gorm.DB, column string, above, below bool) *gorm.DB {
	if query.Name() != string(SQLite) || len(f.terms) != 1 || f.terms[0].column != column {
		return f.apply(query, false)
	}
	return f.applyHiding(query, func(test string) bool { return above && test[0] == '>' || below && test[0] == '<' })
}

// asRange converts column = value to column >= value AND column <= value.
func (f Filter) asRange() Filter {
	if !f.isEquality() {
		return f
	}
	t := f.terms[0]
	t.tests, t.args = []string{">= ?", "<= ?"}, []any{t.args[0], t.args[0]}
	f.terms = []term{t}
	return f
}

// isEquality reports whether the filter is column = value.
func (f Filter) isEquality() bool {
	return len(f.terms) == 1 && slices.Equal(f.terms[0].tests, []string{"= ?"})
}

func (f Filter) applyHiding(query *gorm.DB, isHidden func(test string) bool) *gorm.DB {
	if f.includesAll() {
		return query
	}
	conditions := make([]string, len(f.terms))
	var args []any
	for i, t := range f.terms {
		conditions[i] = t.sql(isHidden)
		args = append(args, t.args...)
	}
	return query.Where("("+strings.Join(conditions, " OR ")+")", args...)
}

// includesAll reports whether the filter has no condition.
func (f Filter) includesAll() bool { return len(f.terms) == 0 }

func (t term) sql(isHidden func(test string) bool) string {
	conditions := make([]string, len(t.tests))
	for i, test := range t.tests {
		switch {
		case t.column == "":
			conditions[i] = test
		case t.lookup != "" && isHidden(test):
			conditions[i] = t.lookup
		case isHidden(test):
			conditions[i] = hide(t.column) + " " + test
		default:
			conditions[i] = "`" + t.column + "` " + test
		}
	}
	return "(" + strings.Join(conditions, " AND ") + ")"
}

// hide returns the value of a column as an expression that no index can serve.
func hide(column string) string { return "COALESCE(`" + column + "`, `" + column + "`)" }

// ordered reports whether the filter's index orders the matching rows by a column.
func (f Filter) ordered(column string) bool {
	return f.indexed && len(f.terms) == 1 && slices.Contains(f.terms[0].orderedBy, column)
}
