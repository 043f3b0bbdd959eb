package storage

import (
	"fmt"
	"slices"

	"gorm.io/gorm"
)

// distinctStep is the number of index entries that ListDistinct reads in one statement.
const distinctStep = 500

// ListDistinct reads one page of the distinct values of the sort's column, with one row of T for each
// value; only that column and the id of the row are set. Its index starts with the tenant and the
// column, followed by the id. within is a filter on the same column, or the zero Filter.
//
// It reads the index in steps of distinctStep entries, and starts each step after the last value. A
// value costs one step, however many rows have it.
func ListDistinct[T any](query *gorm.DB, page Page, sorts Sorts, within Filter) (Listing[T], error) {
	listing := Listing[T]{Rows: []T{}}
	l, err := newLister[T](query, page, sorts)
	if err != nil {
		return listing, err
	}
	l.order.unique = true
	if !within.includesAll() {
		l.way.leads = []Filter{within}
	}
	columns := []string{l.order.column, "id"}
	after := l.after
	for more := true; more && len(listing.Rows) <= l.limit; {
		var entries []T
		if err := l.order.sort(l.led(after, nil)).Select(columns).Limit(distinctStep).Find(&entries).Error; err != nil {
			return listing, fmt.Errorf("list distinct values: %w", err)
		}
		more = len(entries) == distinctStep
		for _, entry := range entries {
			at, err := positionOf(entry, l.order.column)
			if err != nil {
				return listing, err
			}
			if after == nil || at.value != after.value {
				listing.Rows = append(listing.Rows, entry)
			}
			after = &at
		}
	}
	if len(listing.Rows) > l.limit {
		listing.Rows = slices.Clip(listing.Rows[:l.limit])
		next, err := encodeCursor(listing.Rows[l.limit-1], l.order.name, l.order.column)
		if err != nil {
			return listing, err
		}
		listing.Next = &next
	}
	return l.countDistinct(listing, within)
}

// countDistinct sets the total: the values among Bound index entries are a lower bound of it.
func (l *lister[T]) countDistinct(listing Listing[T], within Filter) (Listing[T], error) {
	listing.Total, listing.TotalIsExact = int64(len(listing.Rows)), l.after == nil && listing.Next == nil
	if listing.TotalIsExact {
		return listing, nil
	}
	entries := within.hint(l.led(nil, nil)).Select(l.order.column).Limit(l.bound + 1)
	var counted struct{ Entries, Total int64 }
	err := l.scope.Session(&gorm.Session{NewDB: true}).
		Raw("SELECT COUNT(*) AS entries, COUNT(DISTINCT `"+l.order.column+"`) AS total FROM (?) AS counted", entries).Scan(&counted).Error
	if err != nil {
		return listing, fmt.Errorf("count distinct values: %w", err)
	}
	listing.Total, listing.TotalIsExact = max(listing.Total, counted.Total), counted.Entries <= int64(l.bound)
	return listing, nil
}
