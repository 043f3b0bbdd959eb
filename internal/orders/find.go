package orders

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
)

// ByName returns at most limit orders, without their lines, with a number, an external id or a
// tracking number that starts with text, in this order. Numbers ignore case; of tracking numbers also
// the upper case is found.
func (s *Service) ByName(ctx context.Context, text string, limit int) ([]Order, error) {
	upper := strings.ToUpper(text)
	spellings := []string{text}
	if upper != text {
		spellings = append(spellings, upper)
	}
	var orders []Order
	for _, name := range []struct {
		column    string
		spellings []string
	}{{"order_no", []string{upper}}, {"external_id", []string{text}}, {"tracking_no", spellings}} {
		found, err := storage.ByPrefix[Order](s.db.Read(ctx), name.column, name.spellings, limit)
		if err != nil {
			return nil, fmt.Errorf("find orders by %s: %w", name.column, err)
		}
		for _, order := range found {
			if len(orders) < limit && !slices.ContainsFunc(orders, func(o Order) bool { return o.ID == order.ID }) {
				orders = append(orders, order)
			}
		}
	}
	return orders, nil
}

// ByTicket returns at most limit orders, without their lines, of flash-sale tickets that start with
// text, ignoring case.
func (s *Service) ByTicket(ctx context.Context, text string, limit int) ([]Order, error) {
	orders, err := storage.ByPrefix[Order](s.db.Read(ctx), "ticket", []string{strings.ToUpper(text)}, limit)
	if err != nil {
		return nil, fmt.Errorf("find orders by ticket: %w", err)
	}
	return orders, nil
}

// LatestOf returns a user's latest order, without its lines, or nil for none:
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

// CountByStatus returns the number of orders per status, zeros included; see storage.Count.
func (s *Service) CountByStatus(ctx context.Context) (map[string]storage.Count, error) {
	return change.CountByStatus[Order](s.db.Read(ctx), Machine)
}

// Day summarises the orders that were placed on one day.
type Day struct {
	// Day is a date such as 2026-01-31.
	Day string
	// Placed is the number of orders, including cancelled orders.
	Placed int64
	// Amount is the sum of the paid, shipped and completed orders, in minor units.
	Amount int64
}

// ByDay returns the last days in the location of now, today last, including days without orders:
//
//	SELECT COUNT(*), SUM(CASE WHEN status IN (1, 2, 3) THEN amount ELSE 0 END)
//	  FROM orders WHERE tenant_id = ? AND created_time >= ? AND created_time < ?
func (s *Service) ByDay(ctx context.Context, now time.Time, days int) ([]Day, error) {
	list := make([]Day, days)
	for i := range list {
		start := clock.AddDays(now, i+1-days)
		err := s.db.Read(ctx).Model(&Order{}).
			Select("COUNT(*) AS placed, COALESCE(SUM(CASE WHEN status IN (?, ?, ?) THEN amount ELSE 0 END), 0) AS amount", paid.Code, shipped.Code, completed.Code).
			Where("created_time >= ? AND created_time < ?", start.UTC(), clock.AddDays(start, 1).UTC()).Scan(&list[i]).Error
		if err != nil {
			return nil, fmt.Errorf("count the orders of a day: %w", err)
		}
		list[i].Day = start.Format(time.DateOnly)
	}
	return list, nil
}

// DueUntil returns the pending orders with a payment deadline until a time, without their lines,
// most urgent first, at most limit, and their total number; see storage.Count:
//
//	SELECT * FROM orders WHERE tenant_id = ? AND status = 0 AND payment_due <= ? ORDER BY payment_due, id LIMIT ?
func (s *Service) DueUntil(ctx context.Context, until time.Time, limit int) ([]Order, storage.Count, error) {
	due := s.db.Read(ctx).Where("status = ? AND payment_due <= ?", pending.Code, until).Session(&gorm.Session{})
	count, err := storage.CountUpTo[Order](due)
	if err != nil {
		return nil, count, fmt.Errorf("count orders that are due: %w", err)
	}
	var orders []Order
	if err := due.Order("payment_due, id").Limit(limit).Find(&orders).Error; err != nil {
		return nil, count, fmt.Errorf("find orders that are due: %w", err)
	}
	return orders, count, nil
}
