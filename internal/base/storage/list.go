package storage

import (
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"
)

// Bound is the maximum number of index entries that a list counts.
const Bound = 10_000

// Examining a row costs several times as much as counting an index entry. A page therefore examines
// at most half of Bound rows, and the lower bound of a total is based on a quarter.
const (
	examinedPart = 2
	countedPart  = 4
)

// ListBound is a gorm plugin that overrides Bound for a database, so that tests reach it
// with few rows.
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
// column, id LIMIT n. Its cost depends neither on the page number nor on the size of the
// table. A sort outside the allow-list and a malformed cursor are MalformedRequest errors.
//
// An OwnedBy filter selects the owner of the rows; the other filters narrow the list. List
// counts at most Bound matches of each indexed filter, which reads only the index, and then
// reads the page in one of three ways:
//
//   - A filter with at most Bound matches leads: its matches are read by its index, checked
//     against the other filters, and sorted. The total is exact.
//   - Otherwise List scans a filter with an index in the order of the sort.
//   - Otherwise List scans the index of the sort.
//
// A scan stops when the page is full. With filters that the scanned index does not serve it
// stops after half of Bound at the latest: the page then contains the rows found so far and
// the cursor for the next page, and the total is the number of matches among a quarter of
// Bound.
//
// The columns of the other filters are wrapped in expressions, so that the choice of the index
// does not depend on an engine's estimate.
func List[T any](query *gorm.DB, page Page, sorts Sorts, filters ...Filter) (Listing[T], error) {
	var none Listing[T]
	l, err := newLister[T](query, page, sorts)
	if err != nil {
		return none, err
	}
	var narrowing []Filter
	for _, f := range filters {
		switch {
		case f.includesAll():
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
	case page.Uncounted:
		listing.TotalIsExact = false
	case page.Exact:
		err = Apply(l.owned(), narrowing...).Count(&listing.Total).Error
	case l.after == nil && len(listing.Rows) < l.limit && len(listing.Rows) <= l.bound:
		// This page contains all matches, of all rows or of the examined ones.
		listing.Total, listing.TotalIsExact = int64(len(listing.Rows)), listing.Next == nil
	default:
		listing.Total, listing.TotalIsExact, err = l.total()
		// The page may contain more rows than were counted, because it examines more rows.
		listing.Total = max(listing.Total, int64(min(len(listing.Rows), l.bound)))
	}
	return listing, err
}

// lister reads one page of T.
type lister[T any] struct {
	scope *gorm.DB
	// owners select the owner of the rows.
	owners []Filter
	order  order
	after  *position
	limit  int
	bound  int
	way    way
}

// way is how a page is read.
type way struct {
	// empty is set if a filter has no matches.
	empty bool
	// leads contains the filter with the index to read, at most one; rest are checked on its
	// rows.
	leads, rest []Filter
	// counted is the number of matches of the leading filter; Bound + 1 means more than
	// Bound.
	counted int64
	// gathered is set if the leading filter has at most Bound matches, and unordered if
	// they must be sorted.
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

// matches counts the matches of a filter, and drops alternatives without matches: the
// remaining ones may have an order.
func (l *lister[T]) matches(f Filter) (Filter, int64, error) {
	if len(f.terms) == 1 {
		n, err := l.countTerm(f)
		return f, n, err
	}
	met := f
	met.terms = nil
	var sum int64
	for _, t := range f.terms {
		alone := f
		alone.terms = []term{t}
		n, err := l.countTerm(alone)
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

// countTerm counts the matches of a filter with one term.
func (l *lister[T]) countTerm(f Filter) (n int64, err error) {
	t := f.terms[0]
	if t.ids == "" || len(l.owners) > 0 {
		return l.countUpTo(f.hint(f.apply(l.owned(), false)))
	}
	statement := "SELECT COUNT(*) FROM (SELECT 1 FROM (" + t.ids + ") AS ids LIMIT ?) AS counted"
	err = l.scope.Session(&gorm.Session{NewDB: true}).Raw(statement, append(slices.Clone(t.args), l.bound+1)...).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count ids: %w", err)
	}
	return n, nil
}

// countUpTo counts at most bound + 1 rows:
//
//	SELECT COUNT(*) FROM (SELECT 1 FROM t WHERE tenant_id = ? AND … LIMIT 10001) AS counted
func (l *lister[T]) countUpTo(query *gorm.DB) (int64, error) { return countUpTo(query, l.bound) }

// countUpTo counts at most bound + 1 rows of a query.
func countUpTo(query *gorm.DB, bound int) (n int64, err error) {
	counted := query.Select("1").Limit(bound + 1)
	fresh := query.Session(&gorm.Session{NewDB: true})
	if err := fresh.Raw("SELECT COUNT(*) FROM (?) AS counted", counted).Scan(&n).Error; err != nil {
		return 0, fmt.Errorf("count rows: %w", err)
	}
	return n, nil
}

// Count is a bounded count of rows.
type Count struct {
	// N is at most the bound of the count.
	N int64
	// More is set if there are more than N rows.
	More bool
}

// CountUpTo counts the rows of T that match all filters, up to Bound.
func CountUpTo[T any](query *gorm.DB, filters ...Filter) (Count, error) {
	return CountAtMost[T](query, boundOf(query), filters...)
}

// CountAtMost counts the rows of T that match all filters, up to most.
func CountAtMost[T any](query *gorm.DB, most int, filters ...Filter) (Count, error) {
	n, err := countUpTo(Apply(query.Model(new(T)), filters...), most)
	return Count{N: min(n, int64(most)), More: n > int64(most)}, err
}

// total returns the number of matches, or a lower bound of it.
func (l *lister[T]) total() (n int64, exact bool, err error) {
	bound := int64(l.bound)
	switch w := l.way; {
	case len(w.rest) == 0:
		// Rows can match several alternatives; a single alternative needs no second count.
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

// countLed counts the rows that match all filters, up to end; nil for no end.
func (l *lister[T]) countLed(end *position) (n int64, exact bool, err error) {
	if err := l.matching(nil, end).Count(&n).Error; err != nil {
		return 0, false, fmt.Errorf("count rows: %w", err)
	}
	return n, true, nil
}

// led selects the rows to read: the matches of the leading filter after one position and up
// to another; nil for no limit.
func (l *lister[T]) led(after, end *position) *gorm.DB {
	query := l.scope
	filters := slices.Concat(l.owners, l.way.leads)
	above, below := after != nil, end != nil
	if l.order.descending {
		above, below = below, above
	}
	switch {
	case l.order.hidden:
		query = Apply(query, l.owners...)
		for _, f := range l.way.leads {
			query = l.gather(query, f)
		}
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

// gather adds the condition of a leading filter that does not define the order. No engine
// combines an index with a subquery under OR, so the ids of such alternatives are read one
// by one:
//
//	WHERE id IN (SELECT g.id FROM (SELECT id FROM t WHERE … UNION ALL SELECT …) AS g)
func (l *lister[T]) gather(query *gorm.DB, f Filter) *gorm.DB {
	if len(f.terms) == 1 || !slices.ContainsFunc(f.terms, func(t term) bool { return t.subquery }) {
		return f.apply(query, false)
	}
	parts, args := make([]string, len(f.terms)), make([]any, len(f.terms))
	for i, t := range f.terms {
		alone := Filter{terms: []term{t}}
		parts[i], args[i] = "?", alone.apply(l.owned(), false).Select("id")
	}
	return query.Where("id IN (SELECT g.id FROM ("+strings.Join(parts, " UNION ALL ")+") AS g)", args...)
}

// isLimited reports whether the order's column has a limit: a cursor, or one of the leading
// filter.
func (l *lister[T]) isLimited(after, end *position) bool {
	limits := func(f Filter) bool { return f.terms[0].column == l.order.column && !f.isEquality() }
	return after != nil || end != nil || slices.ContainsFunc(l.way.leads, limits)
}

// matching selects the rows of led that also match the other filters.
func (l *lister[T]) matching(after, end *position) *gorm.DB {
	query := l.led(after, end)
	for _, f := range l.way.rest {
		query = f.apply(query, true)
	}
	return query
}

// page reads the rows of the page and the cursor of the next one.
func (l *lister[T]) page() ([]T, *string, error) {
	var end *position
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

// windowEnd returns the position of the last of the examined rows, nil if no further row
// exists:
//
//	SELECT column, id FROM t WHERE tenant_id = ? AND (column, id) > (?, ?) ORDER BY column, id LIMIT 2 OFFSET 4999
func (l *lister[T]) windowEnd(after *position, rows int) (*position, error) {
	var last []T
	err := l.order.sort(l.led(after, nil)).Select(slices.Compact([]string{l.order.column, "id"})).Offset(rows - 1).Limit(2).Find(&last).Error
	if err != nil || len(last) < 2 {
		return nil, err
	}
	end, err := positionOf(last[0], l.order.column)
	return &end, err
}
