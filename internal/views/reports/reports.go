// Package reports sums up the sales of a tenant.
//
// Invariants:
//
//   - An order counts at the time of its complete payment, a refund at the time of its settlement.
//   - Days, weeks and months are those of a time zone, the tenant's by default.
//   - A report reads one snapshot, and only the rows of its period.
package reports

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

// Zones returns the time zone of the context's tenant.
type Zones interface {
	Location(ctx context.Context) (*time.Location, error)
}

// Deps are the dependencies of a Service.
type Deps struct {
	DB    *storage.DB
	Clock clock.Clock
	Zones Zones
}

// Service builds reports. It is safe for concurrent use.
type Service struct{ deps Deps }

// New returns a Service.
func New(d Deps) *Service { return &Service{d} }

// Grouping is the key of the rows of a report.
type Grouping string

// The groupings.
const (
	ByDay   Grouping = "day"
	ByWeek  Grouping = "week"
	ByMonth Grouping = "month"
	BySKU   Grouping = "sku"
	BySale  Grouping = "sale"
)

// Enum returns the values in the contract.
func (Grouping) Enum() []string {
	return []string{string(ByDay), string(ByWeek), string(ByMonth), string(BySKU), string(BySale)}
}

const (
	// maxRows is the maximum number of rows of a report.
	maxRows = 400
	// maxDays is the maximum length of a period, in days. A period can include parts of two more days.
	maxDays = maxRows - 2
	// usualDays is the length of the period by default, in days.
	usualDays = 30
	// settled is the status of a settled refund, which is final.
	settled = 3
)

// Sums are the sums of a row. Amounts are in minor units.
type Sums struct {
	// Orders that were paid in full in the period.
	Orders int64 `json:"orders" validate:"min=0"`
	// Units of these orders.
	Units int64 `json:"units" validate:"min=0"`
	// The amounts of these orders before discounts; by `sku`, the prices of the units.
	Gross int64 `json:"gross" validate:"min=0"`
	// Null by `sku`, because a discount is of a whole order.
	Discounts *int64 `json:"discounts" validate:"min=0"`
	// Refunds that were settled in the period, of any order. Null by `sku`, because a refund can be of a whole order.
	Refunds *int64 `json:"refunds" validate:"min=0"`
	// `gross` − `discounts` − `refunds`. Null by `sku`.
	Net *int64 `json:"net"`
}

// Row is a row of a report.
type Row struct {
	// The first day of the period (`2026-01-31`), the month (`2026-01`), the sku, or the id of the flash sale; `` for orders without a flash sale.
	Key string `json:"key"`
	Sums
}

// Query selects a report.
type Query struct {
	// From <= t < To; nil for the last 30 days.
	From, To *time.Time
	// Zone is the IANA name of a time zone, "" for the tenant's.
	Zone string
	By   Grouping
}

// Sales is a report.
type Sales struct {
	From, To time.Time
	Zone     string
	Rows     []Row
	Totals   Sums
}

// Sales returns the sales of the context's tenant. Errors: ValidationFailed for an invalid zone, and
// for a period that is too long.
func (s *Service) Sales(ctx context.Context, q Query) (Sales, error) {
	from, end, err := s.period(ctx, q)
	if err != nil {
		return Sales{}, err
	}
	report := Sales{From: from, To: end, Zone: from.Location().String(), Rows: []Row{}}
	err = s.deps.DB.Snapshot(ctx, func(tx *gorm.DB) error {
		if report.Totals, err = sumsOf(ctx, tx, from, end); err != nil {
			return err
		}
		switch q.By {
		case BySKU:
			report.Rows, err = bySKU(ctx, tx, from, end)
		case BySale:
			report.Rows, err = bySale(ctx, tx, from, end)
		default:
			report.Rows, err = byTime(ctx, tx, from, end, q.By)
		}
		return err
	})
	return report, err
}

// period returns the period of a query, in its zone.
func (s *Service) period(ctx context.Context, q Query) (from, end time.Time, err error) {
	zone, err := s.deps.Zones.Location(ctx)
	if err == nil && q.Zone != "" {
		zone, err = time.LoadLocation(q.Zone)
		if err != nil || q.Zone == "Local" {
			return from, end, apperr.Invalid(apperr.Field{Pointer: "?zone", Code: "time_zone", Message: "must be an IANA name of a time zone, such as Europe/Berlin or UTC"})
		}
	}
	if err != nil {
		return from, end, err
	}
	end = clock.AddDays(s.deps.Clock.Now().In(zone), 1)
	if q.To != nil {
		end = q.To.In(zone)
	}
	from = clock.AddDays(end, -usualDays)
	if q.From != nil {
		from = q.From.In(zone)
	}
	if !from.Before(end) || from.Before(clock.AddDays(end, -maxDays)) {
		return from, end, apperr.Invalid(apperr.Field{Pointer: "?from", Code: "range", Message: fmt.Sprintf("must be at most %d days before `to`", maxDays)})
	}
	return from, end, nil
}

// byTime returns a row for each day, week or month, including those without orders.
func byTime(ctx context.Context, tx *gorm.DB, from, end time.Time, by Grouping) ([]Row, error) {
	var rows []Row
	for from.Before(end) {
		key, next := from.Format(time.DateOnly), clock.AddDays(from, 1)
		switch by {
		case ByWeek:
			// Weeks start on Monday (ISO 8601). The first and the last can be shorter.
			next = clock.AddDays(from, 7-(int(from.Weekday())+6)%7)
		case ByMonth:
			key = from.Format("2006-01")
			next = clock.AddDays(from, time.Date(from.Year(), from.Month()+1, 0, 12, 0, 0, 0, time.UTC).Day()-from.Day()+1)
		}
		if next.After(end) {
			next = end
		}
		sums, err := sumsOf(ctx, tx, from, next)
		if err != nil {
			return nil, err
		}
		rows = append(rows, Row{key, sums})
		from = next
	}
	return rows, nil
}

// sumsOf returns the sums of a period:
//
//	SELECT …, SUM((SELECT SUM(quantity) FROM order_lines …)) FROM orders WHERE tenant_id = ? AND paid_time >= ? AND paid_time < ?
//	SELECT SUM(amount) FROM refunds WHERE tenant_id = ? AND status = 3 AND updated_time >= ? AND updated_time < ?
//
// With a join instead of the subquery, SQLite reads all order lines for each period.
func sumsOf(ctx context.Context, tx *gorm.DB, from, end time.Time) (Sums, error) {
	tenant, _ := principal.From(ctx)
	period := []any{tenant.TenantID, from.UTC(), end.UTC()}
	var sums Sums
	var discounts, refunds int64
	for _, part := range []struct {
		sql  string
		into []any
	}{
		{`SELECT COUNT(*), COALESCE(SUM(o.amount + o.discount), 0), COALESCE(SUM(o.discount), 0),
			COALESCE(SUM((SELECT SUM(l.quantity) FROM order_lines l WHERE l.tenant_id = o.tenant_id AND l.order_id = o.id)), 0)
			FROM orders o WHERE o.tenant_id = ? AND o.paid_time >= ? AND o.paid_time < ?`,
			[]any{&sums.Orders, &sums.Gross, &discounts, &sums.Units}},
		{fmt.Sprintf("SELECT COALESCE(SUM(amount), 0) FROM refunds WHERE tenant_id = ? AND status = %d AND updated_time >= ? AND updated_time < ?", settled), []any{&refunds}},
	} {
		if err := tx.Raw(part.sql, period...).Row().Scan(part.into...); err != nil {
			return sums, fmt.Errorf("sum up sales: %w", err)
		}
	}
	net := sums.Gross - discounts - refunds
	sums.Discounts, sums.Refunds, sums.Net = &discounts, &refunds, &net
	return sums, nil
}

// bySKU returns the items with the highest sums. CROSS JOIN makes SQLite start with the orders of the
// period; to MySQL it is the same as JOIN.
func bySKU(ctx context.Context, tx *gorm.DB, from, end time.Time) (rows []Row, err error) {
	tenant, _ := principal.From(ctx)
	const statement = "SELECT l.sku AS `key`, COUNT(*) AS orders, SUM(l.quantity) AS units, SUM(l.price * l.quantity) AS gross" +
		" FROM orders o CROSS JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id" +
		" WHERE o.tenant_id = ? AND o.paid_time >= ? AND o.paid_time < ? GROUP BY l.sku ORDER BY gross DESC, l.sku LIMIT ?"
	if err := tx.Raw(statement, tenant.TenantID, from.UTC(), end.UTC(), maxRows).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("sum up sales by item: %w", err)
	}
	return rows, nil
}

// bySale returns the flash sales with the highest sums, and the orders without a flash sale.
func bySale(ctx context.Context, tx *gorm.DB, from, end time.Time) ([]Row, error) {
	tenant, _ := principal.From(ctx)
	// Both parts of the sum have one row for each flash sale.
	statement := "SELECT CASE WHEN sale_id = 0 THEN '' ELSE CONCAT('', sale_id) END AS `key`, SUM(orders) AS orders, SUM(units) AS units," +
		" SUM(gross) AS gross, SUM(discounts) AS discounts, SUM(refunds) AS refunds, SUM(gross) - SUM(discounts) - SUM(refunds) AS net FROM (" +
		`SELECT COALESCE(o.sale_id, 0) AS sale_id, COUNT(*) AS orders, SUM(o.amount + o.discount) AS gross, SUM(o.discount) AS discounts, 0 AS refunds,
			SUM((SELECT SUM(l.quantity) FROM order_lines l WHERE l.tenant_id = o.tenant_id AND l.order_id = o.id)) AS units
			FROM orders o WHERE o.tenant_id = ? AND o.paid_time >= ? AND o.paid_time < ? GROUP BY o.sale_id
		UNION ALL
		SELECT COALESCE(o.sale_id, 0), 0, 0, 0, SUM(r.amount), 0
			FROM refunds r JOIN orders o ON o.tenant_id = r.tenant_id AND o.id = r.order_id
			WHERE r.tenant_id = ? AND r.status = ? AND r.updated_time >= ? AND r.updated_time < ? GROUP BY o.sale_id
		) AS parts GROUP BY sale_id ORDER BY gross DESC, sale_id LIMIT ?`
	rows := []Row{}
	err := tx.Raw(statement, tenant.TenantID, from.UTC(), end.UTC(), tenant.TenantID, settled, from.UTC(), end.UTC(), maxRows).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("sum up sales by flash sale: %w", err)
	}
	return rows, nil
}
