package catalog

import (
	"context"
	"fmt"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
)

// Find returns at most limit items with a sku or name that starts with text, those with the sku
// first.
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

// Locate returns the id and the stored sku of an item. It reads only the id. Errors: NotFound.
func (s *Service) Locate(ctx context.Context, sku string) (id int64, stored string, err error) {
	// MySQL treats "a " as "a", so only valid skus are queried.
	if !skuPattern.MatchString(sku) {
		return 0, "", apperr.MissingRow("item", sku)
	}
	var ids []int64
	if err := s.db.Read(ctx).Model(&Item{}).Where("sku = ?", sku).Limit(1).Pluck("id", &ids).Error; err != nil {
		return 0, "", fmt.Errorf("locate item: %w", err)
	}
	if len(ids) == 0 {
		return 0, "", apperr.MissingRow("item", sku)
	}
	return ids[0], sku, nil
}
