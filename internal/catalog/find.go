package catalog

import (
	"context"
	"fmt"
	"slices"

	"interlock/internal/storage"
)

// Find returns at most limit items whose sku or name begins with a text; those with
// the sku first.
func (s *Service) Find(ctx context.Context, text string, limit int) ([]Item, error) {
	spellings := storage.Spellings(text)
	found, err := storage.ByPrefix[Item](s.db.Read(ctx), "sku", spellings, limit)
	if err != nil {
		return nil, fmt.Errorf("find items by sku: %w", err)
	}
	named, err := storage.ByPrefix[Item](s.db.Read(ctx), "name", spellings, limit)
	if err != nil {
		return nil, fmt.Errorf("find items by name: %w", err)
	}
	for _, item := range named {
		known := slices.ContainsFunc(found, func(other Item) bool { return other.ID == item.ID })
		if !known && len(found) < limit {
			found = append(found, item)
		}
	}
	return found, nil
}
