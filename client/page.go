package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"time"
)

// Page is one page of a list.
type Page[T any] struct {
	Items []T `json:"items"`
	// NextCursor is the cursor of the next page for [Paging], "" on the last page.
	NextCursor string `json:"nextCursor"`
	// Total is the size of the whole list at the time of this page, or a lower bound from 10,000 unless
	// TotalIsExact.
	Total        int64 `json:"total"`
	TotalIsExact bool  `json:"totalIsExact"`
}

// Paging selects a page of a list. The zero value selects the first page in the list's default
// order.
type Paging struct {
	// Limit is the number of rows, 1 to 200; 0 means 50.
	Limit int
	// Cursor is the NextCursor of the previous page.
	Cursor string
	// Sort is a field name, with the prefix "-" for descending order.
	Sort string
	// ExactTotal counts all rows for [Page].Total, which needs a scan of a long list.
	ExactTotal bool
}

func (p Paging) parameters() parameters {
	query := parameters{}.set("limit", p.Limit).set("cursor", p.Cursor).set("sort", p.Sort)
	if p.ExactTotal {
		query.set("total", "exact")
	}
	return query
}

// List is a list of the service. Page and All send the requests; creating a List sends none.
type List[T any] struct {
	client *Client
	path   string
	query  parameters
}

// Page reads the page that Paging selects.
func (l List[T]) Page(ctx context.Context) (Page[T], error) {
	return call[Page[T]](ctx, l.client, request{method: http.MethodGet, path: l.path, query: l.query}, nil)
}

// All returns the rows of the page that Paging selects and of all following pages, and reads the
// pages during the iteration. The iteration ends with the first error.
func (l List[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		next := List[T]{l.client, l.path, l.query.clone()}
		for {
			page, err := next.Page(ctx)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if page.NextCursor == "" {
				return
			}
			next.query.set("cursor", page.NextCursor)
		}
	}
}

// parameters are query parameters.
type parameters url.Values

// set sets a parameter to a value or to the value of a pointer. It omits zero values and nil.
func (p parameters) set(name string, value any) parameters {
	v := reflect.ValueOf(value)
	if v.IsZero() {
		return p
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	text := fmt.Sprint(v)
	if t, ok := v.Interface().(time.Time); ok {
		text = t.UTC().Format(time.RFC3339Nano)
	}
	url.Values(p).Set(name, text)
	return p
}

// segment escapes a value for a segment of a path.
func segment[T int64 | string](value T) string { return url.PathEscape(fmt.Sprint(value)) }

func (p parameters) clone() parameters {
	other := make(parameters, len(p))
	for name, values := range p {
		other[name] = append([]string(nil), values...)
	}
	return other
}
