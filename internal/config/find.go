package config

import (
	"context"
	"fmt"

	"interlock/internal/base/storage"
)

// Found is a config as a search shows it.
type Found struct{ Key, Remark string }

// ByKey returns at most limit configs whose key begins with a text, the one that has
// it as its key first.
func (s *Service) ByKey(ctx context.Context, text string, limit int) ([]Found, error) {
	// Values are left unread: they can be large.
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
