package config

import (
	"context"
	"fmt"

	"interlock/internal/base/storage"
)

// Found is a search result.
type Found struct{ Key, Remark string }

// ByKey returns at most limit configs with a key that starts with text, an exact match first.
func (s *Service) ByKey(ctx context.Context, text string, limit int) ([]Found, error) {
	// The query omits values: they can be large.
	query := s.db.Read(ctx).Select("key", "remark")
	rows, err := storage.ByPrefix[Config](query, "key", storage.Spellings(text), limit)
	if err != nil {
		return nil, fmt.Errorf("find configs by key: %w", err)
	}
	found := make([]Found, len(rows))
	for i, row := range rows {
		found[i] = Found{Key: row.Key, Remark: row.Remark}
	}
	return found, nil
}
