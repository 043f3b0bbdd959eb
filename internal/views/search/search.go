// Package search finds rows of all kinds for one box.
//
// Invariants:
//
//   - Only kinds are searched that the caller may read, in the caller's tenant.
//   - Each kind shows at most eight rows, those that are called exactly so first; and
//     kinds with such a row come before the others.
//
// It knows no domain: each offers a Finder, and app brings them together.
package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

// most is how many rows a kind shows.
const most = 8

// Hit is a row that was found.
type Hit struct {
	// ID is the row's key within its kind.
	ID string
	// Title is what people call it and Subtitle tells it from others.
	Title, Subtitle string
	// Path is the row's page in the admin.
	Path string
}

// Finder finds at most limit rows of one kind that begin with a text, in the tenant
// of the context.
type Finder interface {
	Find(ctx context.Context, text string, limit int) ([]Hit, error)
}

// FinderFunc is a function as a Finder.
type FinderFunc func(ctx context.Context, text string, limit int) ([]Hit, error)

// Find implements Finder.
func (f FinderFunc) Find(ctx context.Context, text string, limit int) ([]Hit, error) {
	return f(ctx, text, limit)
}

// Kind is a kind of rows.
type Kind struct {
	Name string
	// Permission is what a caller needs to read such rows.
	Permission string
	Finder     Finder
}

// Found is a hit with its kind.
type Found struct {
	Kind string
	Hit
}

// Service searches. It is safe for concurrent use.
type Service struct{ kinds []Kind }

// New returns a Service that shows kinds in this order.
func New(kinds ...Kind) *Service { return &Service{kinds: kinds} }

// Search returns what begins with a text, grouped by kind.
func (s *Service) Search(ctx context.Context, text string) ([]Found, error) {
	caller, ok := principal.From(ctx)
	if !ok {
		return nil, storage.ErrNoTenant
	}
	var groups []group
	for _, kind := range s.kinds {
		if !caller.May(kind.Permission) {
			continue
		}
		hits, err := kind.Finder.Find(ctx, text, most)
		if err != nil {
			return nil, fmt.Errorf("search %ss: %w", kind.Name, err)
		}
		groups = append(groups, newGroup(kind.Name, text, hits))
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.rank, b.rank) })
	found := []Found{}
	for _, g := range groups {
		found = append(found, g.found...)
	}
	return found, nil
}

// group is what was found of one kind.
type group struct {
	// rank is that of the best hit.
	rank  int
	found []Found
}

func newGroup(kind, text string, hits []Hit) group {
	g := group{rank: partly}
	hits = slices.Clone(hits)
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(a.rank(text), b.rank(text)) })
	seen := make(map[string]bool, len(hits))
	for _, hit := range hits {
		if len(g.found) == most || seen[hit.ID] {
			continue
		}
		seen[hit.ID] = true
		g.rank = min(g.rank, hit.rank(text))
		g.found = append(g.found, Found{Kind: kind, Hit: hit})
	}
	return g
}

// The ranks of hits, best first.
const (
	exactly = iota
	partly
)

func (h Hit) rank(text string) int {
	if strings.EqualFold(h.Title, text) || strings.EqualFold(h.Subtitle, text) {
		return exactly
	}
	return partly
}
