package refunds

import (
	"context"
	"fmt"

	"interlock/internal/base/storage"
	"interlock/internal/core/change"
)

// ByReference returns at most limit refunds, without their lines, with a reference that starts with
// text.
func (s *Service) ByReference(ctx context.Context, text string, limit int) ([]Refund, error) {
	refunds, err := storage.ByPrefix[Refund](s.db.Read(ctx), "reference", storage.Spellings(text), limit)
	if err != nil {
		return nil, fmt.Errorf("find refunds by reference: %w", err)
	}
	return refunds, nil
}

// CountByStatus returns the number of refunds per status, zeros included; see storage.Count.
func (s *Service) CountByStatus(ctx context.Context) (map[string]storage.Count, error) {
	return change.CountByStatus[Refund](s.db.Read(ctx), Machine)
}
