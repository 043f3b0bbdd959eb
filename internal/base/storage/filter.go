package storage

import (
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Filter is a condition of a list, and how an index answers it. List decides from that
// which index a page is read along; see its comment. The zero Filter is no condition.
type Filter struct {
	// terms are alternatives: one of them holds for a row.
	terms []term
	// indexed is set when an index begins with the tenant and the column of each term.
	indexed bool
	// unique are columns of which no two rows that match share a value.
	unique []string
	// owns is set when every index of the list begins with the tenant and the column.
	owns bool
}

// term is what holds of a column, such as {"status", ["= ?"]}. Without a column, the tests
// are conditions of their own.
type term struct {
	column string
	tests  []string
	args   []any
	// along are the columns in whose order the index has the rows that match.
	along []string
}

// Equal is column = value, answered by an index on (tenant_id, column, id).
func Equal(column string, value any) Filter {
	return Filter{terms: []term{{column, []string{"= ?"}, []any{value}, []string{"id"}}}, indexed: true}
}

// Whose is column = value, which says whose rows a list has, such as those of one order. An index
// on (tenant_id, column) goes on with the column of each sort.
func Whose(column string, value any) Filter {
	f := Equal(column, value)
	f.owns = true
	return f
}

// Above is column > value, answered by an index on (tenant_id, column, id).
func Above(column string, value any) Filter { return limits(column, limit{">", value}) }

// Until is column <= value, answered by an index on (tenant_id, column, id).
func Until(column string, value any) Filter { return limits(column, limit{"<=", value}) }

// Between is from <= column AND column < to, answered by an index on (tenant_id, column, id).
func Between(column string, from, to any) Filter {
	return limits(column, limit{">=", from}, limit{"<", to})
}

// Created is from <= created_time AND created_time < to, answered by an index on (tenant_id,
// created_time, id). nil does not narrow. See Sorts.Within.
func Created(from, to *time.Time) Filter {
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
	return limits("created_time", ends...)
}

type limit struct {
	sign  string
	value any
}

func limits(column string, ends ...limit) Filter {
	t := term{column: column, along: []string{column}}
	for _, end := range ends {
		t.tests = append(t.tests, end.sign+" ?")
		t.args = append(t.args, end.value)
	}
	return Filter{terms: []term{t}, indexed: true}
}

// HasPrefix selects the rows whose column begins with a text:
//
//	column >= 'text' AND column < 'text\U0010FFFF'
//
// Both dialects answer such a range from an index on (tenant_id, column), and SQLite does
// not for LIKE. Columns compare by bytes, so the case must be right; see Spellings.
func HasPrefix(column, text string) Filter { return Between(column, text, text+lastRune) }

// Among is id IN (subquery), answered by the indexes of another table.
func Among(subquery string, args ...any) Filter {
	return Filter{terms: []term{{"id", []string{"IN (" + subquery + ")"}, args, nil}}, indexed: true}
}

// Indexed is a condition that begins with a column on which there is an index, such as
// Indexed("status", "= ? AND expires_time <= ?", …). It says nothing of an order.
func Indexed(column, test string, args ...any) Filter {
	return Filter{terms: []term{{column, []string{test}, args, nil}}, indexed: true}
}

// Examined is a condition that no index answers: rows are read one by one to see for which
// it holds.
func Examined(condition string, args ...any) Filter {
	return Filter{terms: []term{{tests: []string{condition}, args: args}}}
}

// Either holds where one of some filters does.
func Either(filters ...Filter) Filter {
	either := Filter{indexed: true}
	for _, f := range filters {
		if f.holdsForAll() {
			return f
		}
		either.terms = append(either.terms, f.terms...)
		either.indexed = either.indexed && f.indexed
	}
	return either
}

// Along says in the order of which columns the filter's index has the rows, where that is
// not the one that its constructor names.
func (f Filter) Along(columns ...string) Filter {
	f.terms = slices.Clone(f.terms)
	for i := range f.terms {
		f.terms[i].along = columns
	}
	return f
}

// Unique says that no two rows that match share a value of a column, so that there is nothing to
// break in their order: the filter's index ends with it.
func (f Filter) Unique(column string) Filter {
	f.unique = append(slices.Clone(f.unique), column)
	return f
}

// Containing selects the rows in which one of the columns contains a text, in either case.
// The engine folds both sides, each in its way: SQLite knows only ASCII. Rows are examined.
// Each row contains the empty text.
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

// Apply narrows a query by filters, without a say in how it is answered.
func Apply(query *gorm.DB, filters ...Filter) *gorm.DB {
	for _, f := range filters {
		query = f.apply(query, false)
	}
	return query
}

// apply adds the condition. Hidden, its columns stand in an expression, so that the engine
// reads along the index that List has chosen, and checks this condition row by row.
func (f Filter) apply(query *gorm.DB, hidden bool) *gorm.DB {
	return f.applyHiding(query, func(string) bool { return hidden })
}

// applyBetween adds the condition to a query that is narrowed to what lies above a place, below
// one, or between two, in the order of the filter's column. Its own limit at such an end is
// hidden: of two limits SQLite reads along the first, and not along the narrower. MySQL reads
// along both.
func (f Filter) applyBetween(query *gorm.DB, column string, above, below bool) *gorm.DB {
	if query.Name() != string(SQLite) || len(f.terms) != 1 || f.terms[0].column != column {
		return f.apply(query, false)
	}
	return f.applyHiding(query, func(test string) bool { return above && test[0] == '>' || below && test[0] == '<' })
}

// asRange writes column = value as column >= value AND column <= value.
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
	if f.holdsForAll() {
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

// holdsForAll reports whether the filter is no condition.
func (f Filter) holdsForAll() bool { return len(f.terms) == 0 }

func (t term) sql(isHidden func(test string) bool) string {
	conditions := make([]string, len(t.tests))
	for i, test := range t.tests {
		switch {
		case t.column == "":
			conditions[i] = test
		case isHidden(test):
			conditions[i] = hide(t.column) + " " + test
		default:
			conditions[i] = "`" + t.column + "` " + test
		}
	}
	return "(" + strings.Join(conditions, " AND ") + ")"
}

// hide is the value of a NOT NULL or nullable column as an expression that no index serves.
func hide(column string) string { return "COALESCE(`" + column + "`, `" + column + "`)" }

// ordered reports whether the filter's index has the matching rows in the order of a column.
func (f Filter) ordered(column string) bool {
	return f.indexed && len(f.terms) == 1 && slices.Contains(f.terms[0].along, column)
}
