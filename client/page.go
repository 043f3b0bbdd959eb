package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Page is a part of a list.
type Page[T any] struct {
	Items []T `json:"items"`
	// NextCursor is for [Paging] to get the next page, "" on the last.
	NextCursor string `json:"nextCursor"`
	// Total counts the whole list as it was for this page.
	Total int64 `json:"total"`
}

// Paging says which part of a list is wanted. The zero value is the first page, in the
// list's own order.
type Paging struct {
	// Limit is the number of rows, 1 to 200; 0 is 50.
	Limit int
	// Cursor is the NextCursor of the page before.
	Cursor string
	// Sort is a field, or a field after "-" for descending order.
	Sort string
}

func (p Paging) parameters() parameters {
	return parameters{}.number("limit", int64(p.Limit)).text("cursor", p.Cursor).text("sort", p.Sort)
}

// List is a list of the service. Nothing is asked for until it is read.
type List[T any] struct {
	client *Client
	path   string
	query  parameters
}

// Page reads the page that the list's Paging names.
func (l List[T]) Page(ctx context.Context) (Page[T], error) {
	return call[Page[T]](ctx, l.client, request{method: http.MethodGet, path: l.path, query: url.Values(l.query)}, nil)
}

// All reads the rows of that page and of all that follow, page by page. It ends with
// the first error.
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
			next.query.text("cursor", page.NextCursor)
		}
	}
}

// parameters is a query that leaves zero values out.
type parameters url.Values

func (p parameters) text(name, value string) parameters {
	if value != "" {
		url.Values(p).Set(name, value)
	}
	return p
}

func (p parameters) number(name string, value int64) parameters {
	if value == 0 {
		return p
	}
	return p.text(name, strconv.FormatInt(value, 10))
}

func (p parameters) time(name string, value time.Time) parameters {
	if value.IsZero() {
		return p
	}
	return p.text(name, value.UTC().Format(time.RFC3339Nano))
}

func (p parameters) clone() parameters {
	other := make(parameters, len(p))
	for name, values := range p {
		other[name] = append([]string(nil), values...)
	}
	return other
}
