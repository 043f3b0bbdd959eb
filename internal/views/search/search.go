// Package search finds rows of all kinds for one search box.
//
// Invariants:
//
//   - Only kinds that the caller may read are searched, in the caller's tenant.
//   - Each kind returns at most eight rows, exact matches first; kinds with an exact match
//     precede the others.
//
// It depends on no domain: each declares its kinds.
package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/module"
)

// most is the maximum number of rows per kind.
const most = 8

// Found is a hit with its kind.
type Found struct {
	Kind string
	module.Hit
}

// Service searches. It is safe for concurrent use.
type Service struct{ kinds []module.Kind }

// New returns a Service that returns kinds in this order.
func New(kinds ...module.Kind) *Service { return &Service{kinds: kinds} }

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
		hits, err := kind.Find(ctx, text, most)
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

func newGroup(kind, text string, hits []module.Hit) group {
	g := group{rank: partly}
	hits = slices.Clone(hits)
	slices.SortStableFunc(hits, func(a, b module.Hit) int { return cmp.Compare(rank(a, text), rank(b, text)) })
	seen := make(map[string]bool, len(hits))
	for _, hit := range hits {
		if len(g.found) == most || seen[hit.ID] {
			continue
		}
		seen[hit.ID] = true
		g.rank = min(g.rank, rank(hit, text))
		g.found = append(g.found, Found{Kind: kind, Hit: hit})
	}
	return g
}

// The ranks of hits, best first.
const (
	exactly = iota
	partly
)

func rank(h module.Hit, text string) int {
	if strings.EqualFold(h.Title, text) || strings.EqualFold(h.Subtitle, text) {
		return exactly
	}
	return partly
}
