// Package search finds rows of all kinds for one search box.
//
// Invariants:
//
//   - Only kinds that the caller may read are searched, in the caller's tenant.
//   - Each kind returns at most eight rows, exact matches first; kinds with an exact match
//     precede the others.
//
// It depends on no domain: each provides a Finder, and app combines them.
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

// most is the maximum number of rows per kind.
const most = 8

// Hit is a found row.
type Hit struct {
	// ID is the row's key within its kind.
	ID string
	// Title is the display name, and Subtitle distinguishes equal titles.
	Title, Subtitle string
	// Path is the row's page in the admin.
	Path string
}

// Finder finds at most limit rows of one kind that start with a text, in the tenant of the
// context.
type Finder interface {
	Find(ctx context.Context, text string, limit int) ([]Hit, error)
}

// FinderFunc is a function that implements Finder.
type FinderFunc func(ctx context.Context, text string, limit int) ([]Hit, error)

// Find implements Finder.
func (f FinderFunc) Find(ctx context.Context, text string, limit int) ([]Hit, error) {
	return f(ctx, text, limit)
}

// Kind is a kind of rows.
type Kind struct {
	Name string
	// Permission is required to read such rows.
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

// New returns a Service that returns kinds in this order.
func New(kinds ...Kind) *Service { return &Service{kinds: kinds} }

// Search returns the rows that start with a text, grouped by kind.
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

// group contains the hits of one kind.
type group struct {
	// rank is the rank of the best hit.
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
