package storage

import (
	"fmt"
	"slices"

	"gorm.io/gorm"
)

// Bound is how many rows a list counts along an index at most.
const Bound = 10_000

// Looking at a row costs several times what counting it along an index does: a page looks at a
// half of Bound, and what says that there are at least so many rows at a quarter.
const (
	examinedPart = 2
	countedPart  = 4
)

// ListBound is a gorm plugin that gives the lists of a database another bound than Bound, so
// that tests need few rows to have too many.
type ListBound int

// Name implements gorm.Plugin.
func (ListBound) Name() string { return "storage:list-bound" }

// Initialize implements gorm.Plugin.
func (ListBound) Initialize(*gorm.DB) error { return nil }

func boundOf(query *gorm.DB) int {
	if bound, ok := query.Plugins[ListBound(0).Name()].(ListBound); ok {
		return int(bound)
	}
	return Bound
}

// List reads one page of T by keyset: WHERE (column, id) > (last value, last id) ORDER BY
// column, id LIMIT n. Neither the page's number nor the size of the table decides what it
// costs. A sort that is not in the allow-list and a cursor that is not one of ours are
// MalformedRequest errors.
//
// A filter Whose says whose rows these are. What narrows the list besides are other filters. Of an
// indexed filter at most Bound matches are counted, which reads the index alone, and then
// the page is read in one of three ways:
//
//   - A filter with fewer matches leads: its matches are read by its index, the other
//     filters are checked on them, and they are sorted. The total is exact.
//   - Otherwise a filter whose index has the rows in the order of the sort is walked.
//   - Otherwise the index of the sort is walked.
//
// Whatever is walked stops when the page is full. With filters that the walked index does
// not answer it stops after half of Bound at the latest: the page then has what was found and
// the cursor of where to go on, and the total is what was found among a quarter of Bound.
//
// Columns that are not to lead stand in expressions, so that no statement is left to an
// engine's estimate of its rows.
func List[T any](query *gorm.DB, page Page, sorts Sorts, filters ...Filter) (Listing[T], error) {
	var none Listing[T]
	l, err := newLister[T](query, page, sorts)
	if err != nil {
		return none, err
	}
	var narrowing []Filter
	for _, f := range filters {
		switch {
		case f.holdsForAll():
		case f.owns:
			l.owners = append(l.owners, f)
		default:
			narrowing = append(narrowing, f)
		}
	}
	l.way, err = l.choose(narrowing)
	if err != nil {
		return none, err
	}
	l.order.hidden = l.way.unordered
	for _, f := range l.way.leads {
		l.order.unique = l.order.unique || slices.Contains(f.unique, l.order.column)
	}
	listing := Listing[T]{Rows: []T{}, TotalIsExact: true}
	if l.way.empty {
		return listing, nil
	}
	if listing.Rows, listing.Next, err = l.page(); err != nil {
		return none, err
	}
	switch {
	case page.Exact:
		err = Apply(l.owned(), narrowing...).Count(&listing.Total).Error
	case l.after == nil && len(listing.Rows) < l.limit && len(listing.Rows) <= l.bound:
		// This page has all that match, of all rows or of those that were examined.
		listing.Total, listing.TotalIsExact = int64(len(listing.Rows)), listing.Next == nil
	default:
		listing.Total, listing.TotalIsExact, err = l.total()
		// The page may have found more than were counted: it examines more rows.
		listing.Total = max(listing.Total, int64(min(len(listing.Rows), l.bound)))
	}
	return listing, err
}

// lister reads one page of T.
type lister[T any] struct {
	scope *gorm.DB
	// owners say whose rows of the scope these are.
	owners []Filter
	order  order
	after  *place
	limit  int
	bound  int
	way    way
}

// way is how a page is read.
type way struct {
	// empty is set when a filter has no match.
	empty bool
	// leads are the filters by whose index rows are read, at most one; rest are checked on them.
	leads, rest []Filter
	// counted is how many rows match what leads, Bound + 1 for more than Bound.
	counted int64
	// gathered is set when what leads has at most Bound matches, and unordered when these
	// have to be sorted.
	gathered, unordered bool
}

func newLister[T any](query *gorm.DB, page Page, sorts Sorts) (*lister[T], error) {
	order, err := sorts.resolve(page.Sort)
	if err != nil {
		return nil, err
	}
	l := &lister[T]{scope: query.Model(new(T)).Session(&gorm.Session{}), order: order, limit: page.Limit, bound: boundOf(query)}
	if l.limit == 0 {
		l.limit = DefaultLimit
	}
	if page.Cursor != "" {
		after, err := decodeCursor[T](page.Cursor, order.name, order.column)
		if err != nil {
			return nil, err
		}
		l.after = &after
	}
	return l, nil
}

func (l *lister[T]) choose(filters []Filter) (way, error) {
	walked := way{rest: filters}
	for i, f := range filters {
		if !f.indexed {
			continue
		}
		f, matches, err := l.matches(f)
		if err != nil {
			return way{}, err
		}
		rest := slices.Delete(slices.Clone(filters), i, i+1)
		ordered := f.ordered(l.order.column)
		switch {
		case matches == 0:
			return way{empty: true, gathered: true}, nil
		case matches <= int64(l.bound):
			return way{leads: []Filter{f}, rest: rest, counted: matches, gathered: true, unordered: !ordered}, nil
		case ordered && walked.leads == nil:
			walked.leads, walked.rest, walked.counted = []Filter{f}, rest, matches
		}
	}
	var err error
	if len(walked.rest) == 0 && walked.leads == nil {
		walked.counted, err = l.countUpTo(l.owned())
	}
	return walked, err
}

func (l *lister[T]) owned() *gorm.DB { return Apply(l.scope, l.owners...) }

// matches counts the matches of a filter, and leaves out those of its alternatives that
// have none: what is left may have an order.
func (l *lister[T]) matches(f Filter) (Filter, int64, error) {
	if len(f.terms) == 1 {
		n, err := l.countUpTo(f.apply(l.owned(), false))
		return f, n, err
	}
	met := f
	met.terms = nil
	var sum int64
	for _, t := range f.terms {
		alone := f
		alone.terms = []term{t}
		n, err := l.countUpTo(alone.apply(l.owned(), false))
		if err != nil {
			return f, 0, err
		}
		if n > 0 {
			met.terms = append(met.terms, t)
			sum += n
		}
	}
	return met, sum, nil
}

// countUpTo counts at most one row more than the bound:
//
//	SELECT COUNT(*) FROM (SELECT 1 FROM t WHERE tenant_id = ? AND … LIMIT 10001) AS counted
func (l *lister[T]) countUpTo(query *gorm.DB) (int64, error) { return countUpTo(query, l.bound) }

// countUpTo is that of a list with a bound.
func countUpTo(query *gorm.DB, bound int) (n int64, err error) {
	counted := query.Select("1").Limit(bound + 1)
	fresh := query.Session(&gorm.Session{NewDB: true})
	if err := fresh.Raw("SELECT COUNT(*) FROM (?) AS counted", counted).Scan(&n).Error; err != nil {
		return 0, fmt.Errorf("count rows: %w", err)
	}
	return n, nil
}

// Count is how many rows there are, or that there are more.
type Count struct {
	// N is at most where the counting stopped.
	N int64
	// More is set when there are more than N.
	More bool
}

// CountUpTo counts the rows of T that match some filters, and stops at Bound.
func CountUpTo[T any](query *gorm.DB, filters ...Filter) (Count, error) {
	return CountAtMost[T](query, boundOf(query), filters...)
}

// CountAtMost counts the rows of T that match some filters, and stops at so many.
func CountAtMost[T any](query *gorm.DB, most int, filters ...Filter) (Count, error) {
	n, err := countUpTo(Apply(query.Model(new(T)), filters...), most)
	return Count{N: min(n, int64(most)), More: n > int64(most)}, err
}

// total is how many rows match at least, and whether there are no more.
func (l *lister[T]) total() (n int64, exact bool, err error) {
	bound := int64(l.bound)
	switch w := l.way; {
	case len(w.rest) == 0:
		// An alternative may hold beside another; only one leads here without being counted twice.
		if w.counted <= bound && w.manyTerms() {
			return l.countLed(nil)
		}
		return min(w.counted, bound), w.counted <= bound, nil
	case w.gathered:
		return l.countLed(nil)
	}
	end, err := l.windowEnd(nil, max(1, l.bound/countedPart))
	if err != nil {
		return 0, false, err
	}
	n, _, err = l.countLed(end)
	return n, end == nil, err
}

func (w way) manyTerms() bool { return len(w.leads) > 0 && len(w.leads[0].terms) > 1 }

// countLed counts the rows that match all filters, up to a place; nil for all that lead.
func (l *lister[T]) countLed(end *place) (n int64, exact bool, err error) {
	if err := l.matching(nil, end).Count(&n).Error; err != nil {
		return 0, false, fmt.Errorf("count rows: %w", err)
	}
	return n, true, nil
}

// led are the rows that are read: those of the filter that leads, beyond a place and up to
// another; nil for no such end.
func (l *lister[T]) led(after, end *place) *gorm.DB {
	query := l.scope
	filters := slices.Concat(l.owners, l.way.leads)
	above, below := after != nil, end != nil
	if l.order.descending {
		above, below = below, above
	}
	switch {
	case l.order.hidden:
		query = Apply(query, filters...)
	case query.Name() == string(MySQL) && l.isLimited(after, end) && !crossesTenants(query):
		query = l.order.between(query, filters)
	default:
		for _, f := range filters {
			query = f.applyBetween(query, l.order.column, above, below)
		}
	}
	if after != nil {
		query = l.order.beyond(query, *after)
	}
	if end != nil {
		query = l.order.upTo(query, *end)
	}
	return query
}

// isLimited reports whether there is a limit in the order's column: a place, or that of what leads.
func (l *lister[T]) isLimited(after, end *place) bool {
	limits := func(f Filter) bool { return f.terms[0].column == l.order.column && !f.isEquality() }
	return after != nil || end != nil || slices.ContainsFunc(l.way.leads, limits)
}

// matching are those of the led rows that match the other filters too.
func (l *lister[T]) matching(after, end *place) *gorm.DB {
	query := l.led(after, end)
	for _, f := range l.way.rest {
		query = f.apply(query, true)
	}
	return query
}

// page reads the rows of the page, and the cursor of the next.
func (l *lister[T]) page() ([]T, *string, error) {
	var end *place
	var err error
	if !l.way.gathered && len(l.way.rest) > 0 {
		if end, err = l.windowEnd(l.after, max(1, l.bound/examinedPart)); err != nil {
			return nil, nil, err
		}
	}
	query := l.matching(l.after, end)
	rows := []T{}
	if err := l.order.sort(query).Limit(l.limit + 1).Find(&rows).Error; err != nil {
		return nil, nil, err
	}
	switch {
	case len(rows) > l.limit:
		rows = rows[:l.limit]
		next, err := encodeCursor(rows[l.limit-1], l.order.name, l.order.column)
		return rows, &next, err
	case end != nil:
		next, err := end.encode(l.order.name)
		return rows, &next, err
	}
	return rows, nil, nil
}

// windowEnd is the place of the last of so many rows that are examined, nil when it is the last of all:
//
//	SELECT column, id FROM t WHERE tenant_id = ? AND (column, id) > (?, ?) ORDER BY column, id LIMIT 2 OFFSET 4999
func (l *lister[T]) windowEnd(after *place, rows int) (*place, error) {
	var last []T
	err := l.order.sort(l.led(after, nil)).Select(slices.Compact([]string{l.order.column, "id"})).Offset(rows - 1).Limit(2).Find(&last).Error
	if err != nil || len(last) < 2 {
		return nil, err
	}
	end, err := placeOf(last[0], l.order.column)
	return &end, err
}
