package storage

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"reflect"
	"sync"
	"time"

	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"interlock/internal/base/apperr"
)

// Limits of a page, in rows.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// Sorts is the allow-list of a resource's sort keys: the name in the API, and the NOT NULL
// column. Ties are broken by id in the same direction.
type Sorts struct {
	Columns map[string]string
	// Unique are columns with distinct values in the list, without ties to break.
	Unique []string
	// Default is the default sort key; a leading "-" means descending.
	Default string
}

// Within returns the sorts of a list limited to a creation period, which has an index by
// creation time: a sort by id then uses the creation time. Both orders are equal, except
// for units that ended in another order than they started.
func (s Sorts) Within(period Filter) Sorts {
	if period.includesAll() {
		return s
	}
	s.Columns = maps.Clone(s.Columns)
	s.Columns["id"] = "created_time"
	return s
}

// Page is a requested page of a list.
type Page struct {
	Limit  int
	Sort   string
	Cursor string
	// Exact requests a total that counts every row.
	Exact bool
	// Uncounted requests no total.
	Uncounted bool
}

// EachRow calls fn for each row of a list, in pages in the order of its sort. It has no
// transaction and no cursor of the database while fn runs: a row that is inserted or changed
// concurrently may be included.
func EachRow[T any](sort string, list func(Page) (Listing[T], error), fn func(T) error) error {
	page := Page{Sort: sort, Limit: MaxLimit, Uncounted: true}
	for {
		listing, err := list(page)
		if err != nil {
			return err
		}
		for _, row := range listing.Rows {
			if err := fn(row); err != nil {
				return err
			}
		}
		if listing.Next == nil {
			return nil
		}
		page.Cursor = *listing.Next
	}
}

// Listing is one page of rows.
type Listing[T any] struct {
	Rows []T
	// Next is the cursor of the next page, nil on the last one. A page can have fewer rows
	// than its limit, or none, and still a next page: List examines a bounded number of
	// rows.
	Next *string
	// Total is the number of rows on all pages, or, unless TotalIsExact, a lower bound from
	// a bounded count.
	Total        int64
	TotalIsExact bool
}

// Pointers returns a pointer to each row, for callers that add data of other tables.
func (l Listing[T]) Pointers() []*T {
	pointers := make([]*T, len(l.Rows))
	for i := range l.Rows {
		pointers[i] = &l.Rows[i]
	}
	return pointers
}

// cursor is the position after which the next page starts. It is sent as opaque text and contains
// the sort, so that a list with another sort rejects it.
type cursor struct {
	Sort  string          `json:"s"`
	Value json.RawMessage `json:"v"`
	ID    int64           `json:"i"`
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

// position is the position of a row in an order.
type position struct {
	value any
	id    int64
}

func positionOf[T any](row T, column string) (position, error) {
	field, err := fieldOf[T](column)
	if err != nil {
		return position{}, err
	}
	id, err := fieldOf[T]("id")
	if err != nil {
		return position{}, err
	}
	value, _ := field.ValueOf(context.Background(), reflect.ValueOf(row))
	rowID, _ := id.ValueOf(context.Background(), reflect.ValueOf(row))
	return position{value: value, id: rowID.(int64)}, nil
}

// encode returns the position as a cursor of a list in that order.
func (p position) encode(sort string) (string, error) {
	raw, err := json.Marshal(p.value)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(cursor{Sort: sort, Value: raw, ID: p.id})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(text), nil
}

func encodeCursor[T any](row T, sort, column string) (string, error) {
	at, err := positionOf(row, column)
	if err != nil {
		return "", err
	}
	return at.encode(sort)
}

func decodeCursor[T any](text, sort, column string) (position, error) {
	illegal := apperr.Malformed("?cursor", "is not a cursor of this list; send nextCursor unchanged, with the same sort")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return position{}, illegal
	}
	var c cursor
	if err := json.Unmarshal(raw, &c); err != nil || c.Sort != sort {
		return position{}, illegal
	}
	field, err := fieldOf[T](column)
	if err != nil {
		return position{}, err
	}
	value := reflect.New(field.IndirectFieldType)
	if err := json.Unmarshal(c.Value, value.Interface()); err != nil {
		return position{}, illegal
	}
	if at, ok := value.Interface().(*time.Time); ok {
		if year := at.UTC().Year(); year < 1 || year > 9999 {
			return position{}, illegal
		}
		return position{value: at.UTC(), id: c.ID}, nil
	}
	return position{value: value.Elem().Interface(), id: c.ID}, nil
}
