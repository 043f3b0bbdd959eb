package storage

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"interlock/internal/base/apperr"
)

// Limits of a page, in rows.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// Sorts is the allow-list of a resource's sort keys: the name in the API, and
// the NOT NULL column behind it. Ties are broken by id in the same direction.
type Sorts struct {
	Columns map[string]string
	// Default is the key used when none is asked for; "-" before it means
	// descending.
	Default string
}

// Page is one page of a list, as asked for.
type Page struct {
	Limit  int
	Sort   string
	Cursor string
}

// Listing is one page of rows.
type Listing[T any] struct {
	Rows []T
	// Next is the cursor of the next page, nil on the last one.
	Next *string
	// Total counts the rows that match the filters, on all pages.
	Total int64
}

// Pointers returns a pointer to each row, for who adds to them what other tables hold.
func (l Listing[T]) Pointers() []*T {
	pointers := make([]*T, len(l.Rows))
	for i := range l.Rows {
		pointers[i] = &l.Rows[i]
	}
	return pointers
}

// cursor is the place after which the next page begins. It travels as opaque
// text; the sort is kept in it so that it cannot be used with another one.
type cursor struct {
	Sort  string          `json:"s"`
	Value json.RawMessage `json:"v"`
	ID    int64           `json:"i"`
}

// List reads one page of T by keyset: WHERE (column, id) > (last value, last id)
// ORDER BY column, id LIMIT n. Its cost does not grow with the page's number.
// A sort that is not in the allow-list and a cursor that is not one of ours are
// MalformedRequest errors.
func List[T any](query *gorm.DB, page Page, sorts Sorts) (Listing[T], error) {
	var none Listing[T]
	name, column, descending, err := sorts.resolve(page.Sort)
	if err != nil {
		return none, err
	}
	query = query.Model(new(T)).Session(&gorm.Session{})
	var listing Listing[T]
	if err := query.Count(&listing.Total).Error; err != nil {
		return none, err
	}
	paged := query
	if page.Cursor != "" {
		after, err := decodeCursor[T](page.Cursor, name, column)
		if err != nil {
			return none, err
		}
		paged = paged.Where(after.beyond(column, descending))
	}
	limit := page.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	order := clause.OrderBy{Columns: []clause.OrderByColumn{
		{Column: tableColumn(column), Desc: descending},
		{Column: tableColumn("id"), Desc: descending},
	}}
	if err := paged.Clauses(order).Limit(limit + 1).Find(&listing.Rows).Error; err != nil {
		return none, err
	}
	if len(listing.Rows) > limit {
		listing.Rows = listing.Rows[:limit]
		next, err := encodeCursor(listing.Rows[limit-1], name, column)
		if err != nil {
			return none, err
		}
		listing.Next = &next
	}
	return listing, nil
}

func (s Sorts) resolve(asked string) (name, column string, descending bool, err error) {
	if asked == "" {
		asked = s.Default
	}
	column, ok := s.Columns[strings.TrimPrefix(asked, "-")]
	if !ok {
		names := slices.Sorted(maps.Keys(s.Columns))
		return "", "", false, apperr.Malformed("?sort", "must be one of "+strings.Join(names, ", ")+", with - before it for descending")
	}
	return asked, column, strings.HasPrefix(asked, "-"), nil
}

type place struct {
	value any
	id    int64
}

// beyond is (column > value) OR (column = value AND id > last), which both
// dialects answer from an index on (tenant_id, column, id).
func (p place) beyond(column string, descending bool) clause.Expression {
	past := func(name string, value any) clause.Expression {
		if descending {
			return clause.Lt{Column: tableColumn(name), Value: value}
		}
		return clause.Gt{Column: tableColumn(name), Value: value}
	}
	return clause.Or(
		past(column, p.value),
		clause.And(clause.Eq{Column: tableColumn(column), Value: p.value}, past("id", p.id)),
	)
}

func tableColumn(name string) clause.Column {
	return clause.Column{Table: clause.CurrentTable, Name: name}
}

var schemas sync.Map

func fieldOf[T any](column string) (*schema.Field, error) {
	parsed, err := schema.Parse(new(T), &schemas, schema.NamingStrategy{})
	if err != nil {
		return nil, err
	}
	return parsed.LookUpField(column), nil
}

func encodeCursor[T any](row T, sort, column string) (string, error) {
	field, err := fieldOf[T](column)
	if err != nil {
		return "", err
	}
	id, err := fieldOf[T]("id")
	if err != nil {
		return "", err
	}
	value, _ := field.ValueOf(context.Background(), reflect.ValueOf(row))
	rowID, _ := id.ValueOf(context.Background(), reflect.ValueOf(row))
	raw, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(cursor{Sort: sort, Value: raw, ID: rowID.(int64)})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(text), nil
}

func decodeCursor[T any](text, sort, column string) (place, error) {
	illegal := apperr.Malformed("?cursor", "is not a cursor of this list; take nextCursor as it was given, with the same sort")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return place{}, illegal
	}
	var c cursor
	if err := json.Unmarshal(raw, &c); err != nil || c.Sort != sort {
		return place{}, illegal
	}
	field, err := fieldOf[T](column)
	if err != nil {
		return place{}, err
	}
	value := reflect.New(field.IndirectFieldType)
	if err := json.Unmarshal(c.Value, value.Interface()); err != nil {
		return place{}, illegal
	}
	if at, ok := value.Interface().(*time.Time); ok {
		if year := at.UTC().Year(); year < 1 || year > 9999 {
			return place{}, illegal
		}
		return place{value: at.UTC(), id: c.ID}, nil
	}
	return place{value: value.Elem().Interface(), id: c.ID}, nil
}
