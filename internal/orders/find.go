package orders

import (
	"context"
	"fmt"
	"strings"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

// ByNumber returns at most limit orders, without their lines, whose number begins
// with a text in either case; the one that has it as its number first.
func (s *Service) ByNumber(ctx context.Context, text string, limit int) ([]Order, error) {
	orders, err := storage.ByPrefix[Order](s.db.Read(ctx), "order_no", []string{strings.ToUpper(text)}, limit)
	if err != nil {
		return nil, fmt.Errorf("find orders by number: %w", err)
	}
	return orders, nil
}

// ByTicket returns at most limit orders, without their lines, that were made of the
// tickets of flash sales which begin with a text in either case.
func (s *Service) ByTicket(ctx context.Context, text string, limit int) ([]Order, error) {
	orders, err := storage.ByPrefix[Order](s.db.Read(ctx), "ticket", []string{strings.ToUpper(text)}, limit)
	if err != nil {
		return nil, fmt.Errorf("find orders by ticket: %w", err)
	}
	return orders, nil
}

// LatestOf returns a user's latest order, without its lines, or nil when the user has
// none:
//
//	SELECT * FROM orders WHERE tenant_id = ? AND user_id = ? ORDER BY id DESC LIMIT 1
func (s *Service) LatestOf(ctx context.Context, user principal.CustomerID) (*Order, error) {
	var orders []Order
	if err := s.db.Read(ctx).Where("user_id = ?", user).Order("id DESC").Limit(1).Find(&orders).Error; err != nil {
		return nil, fmt.Errorf("find the latest order of a user: %w", err)
	}
	if len(orders) == 0 {
		return nil, nil
	}
	return &orders[0], nil
}

// CountByStatus returns how many orders each status has, zeros included:
//
//	SELECT status, COUNT(*) FROM orders WHERE tenant_id = ? GROUP BY status
//
// It reads the index on status and none of the rows.
func (s *Service) CountByStatus(ctx context.Context) (map[string]int64, error) {
	var counted []struct {
		Status int
		Orders int64
	}
	err := s.db.Read(ctx).Model(&Order{}).Select("status, COUNT(*) AS orders").Group("status").Scan(&counted).Error
	if err != nil {
		return nil, fmt.Errorf("count orders by status: %w", err)
	}
	counts := make(map[string]int64, len(Machine.States))
	for _, state := range Machine.States {
		counts[state.Name] = 0
	}
	for _, c := range counted {
		counts[Machine.Of(c.Status).Name] = c.Orders
	}
	return counts, nil
}
