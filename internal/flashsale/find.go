package flashsale

import (
	"context"
	"fmt"

	"interlock/internal/base/storage"
	"interlock/internal/flashsale/gate"
)

// ByName returns at most limit sales whose name begins with a text.
func (s *Service) ByName(ctx context.Context, text string, limit int) ([]Sale, error) {
	sales, err := storage.ByPrefix[Sale](s.db.Read(ctx), "name", storage.Spellings(text), limit)
	if err != nil {
		return nil, fmt.Errorf("find flash sales by name: %w", err)
	}
	return sales, nil
}

// Queues names the queues of the caller's tenant, and whether each is of a sale that is not
// closed:
//
//	SELECT id, status FROM flash_sales WHERE tenant_id = ?
func (s *Service) Queues(ctx context.Context) (map[string]bool, error) {
	var sales []Sale
	if err := s.db.Read(ctx).Select("id", "status").Find(&sales).Error; err != nil {
		return nil, fmt.Errorf("read whose sales have queues: %w", err)
	}
	queues := make(map[string]bool, len(sales))
	for _, sale := range sales {
		queues[gate.QueueName(sale.ID)] = sale.Status != closed.Code
	}
	return queues, nil
}
