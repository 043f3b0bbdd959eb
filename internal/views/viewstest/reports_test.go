package viewstest

import (
	"cmp"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/views/reports"
)

type inZone string

func (z inZone) Location(context.Context) (*time.Location, error) {
	return time.LoadLocation(string(z))
}

// insertPaid inserts an order that was paid at a time, with one line of each item, and a settled refund.
func insertPaid(t *testing.T, ctx context.Context, db *storage.DB, id int64, paid string, amount, discount int64, sale *int64, refunded int64, refundTime string, skus ...string) {
	t.Helper()
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return parsed
	}
	tenant := tenantOf(ctx)
	guarded := map[string]any{
		"tenant_id": tenant, "version": 1, "created_time": at(paid), "updated_time": at(paid), "updated_by": 1, "updated_by_name": "Li", "order_no": fmt.Sprintf("%d-%d", tenant, id),
		"user_id": "ana", "amount": amount,
	}
	order := map[string]any{
		"status": 1, "discount": discount, "coupon_code": "", "carrier": "", "tracking_no": "", "cancel_reason": "",
		"paid": amount, "paid_time": at(paid), "sale_id": sale, "shipping_address": "", "billing_address": "", "note": "", "metadata": "{}",
	}
	for name, value := range guarded {
		order[name] = value
	}
	require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Table("orders").Create(order).Error)
	var orderID int64
	require.NoError(t, db.Read(storage.AcrossTenants(ctx)).Table("orders").Where("tenant_id = ? AND order_no = ?", tenant, guarded["order_no"]).Pluck("id", &orderID).Error)
	for _, sku := range skus {
		require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Table("order_lines").Create(map[string]any{
			"tenant_id": tenant, "order_id": orderID, "sku": sku, "name": sku, "price": 100, "quantity": 2, "to_ship": 2, "in_refund": 0, "shipped": 0, "returned": 0,
		}).Error)
	}
	if refunded == 0 {
		return
	}
	refund := map[string]any{
		"order_id": orderID, "payment_id": orderID, "method": "external", "origin": "request", "status": 3, "reason": "late", "requested_by": 1, "requested_by_name": "Li",
		"approved_by_name": "", "status_reason": "",
	}
	for name, value := range guarded {
		refund[name] = value
	}
	refund["amount"], refund["updated_time"] = refunded, at(refundTime)
	require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Table("refunds").Create(refund).Error)
}

func sums(orders, units, gross, discounts, refunds int64) reports.Sums {
	net := gross - discounts - refunds
	return reports.Sums{Orders: orders, Units: units, Gross: gross, Discounts: &discounts, Refunds: &refunds, Net: &net}
}

func TestSalesFollowTheDaysOfTheZone(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		// The clocks in Berlin are changed on 29 March: the day has 23 hours.
		insertPaid(t, ctx, db, 1, "2026-03-28T22:59:59Z", 1000, 100, nil, 0, "", "tea")
		insertPaid(t, ctx, db, 2, "2026-03-28T23:00:00Z", 400, 0, new(int64(7)), 400, "2026-03-30T10:00:00Z", "tea", "cup")
		insertPaid(t, ctx, db, 3, "2026-03-29T21:59:59Z", 200, 50, nil, 0, "", "cup")
		insertPaid(t, ctx, db, 4, "2026-03-29T22:00:00Z", 300, 0, nil, 0, "", "cup")
		insertPaid(t, storagetest.Tenant(t), db, 5, "2026-03-29T22:00:00Z", 300, 0, nil, 0, "", "cup")
		s := reports.New(reports.Deps{DB: db, Clock: clock.NewFake(time.Date(2026, 3, 30, 22, 30, 0, 0, time.UTC)), Zones: inZone("Europe/Berlin")})
		sales := func(by reports.Grouping, from, to, zone string) reports.Sales {
			t.Helper()
			location, err := time.LoadLocation(cmp.Or(zone, "Europe/Berlin"))
			require.NoError(t, err)
			q := reports.Query{By: by, Zone: zone}
			if from != "" {
				first, err := time.ParseInLocation(time.DateOnly, from, location)
				require.NoError(t, err)
				last, err := time.ParseInLocation(time.DateOnly, to, location)
				require.NoError(t, err)
				q.From, q.To = &first, new(last.AddDate(0, 0, 1))
			}
			report, err := s.Sales(ctx, q)
			require.NoError(t, err)
			return report
		}
		row := func(key string, sums reports.Sums) reports.Row { return reports.Row{Key: key, Sums: sums} }
		report := sales(reports.ByDay, "2026-03-28", "2026-03-30", "")
		require.Equal(t, []reports.Row{
			row("2026-03-28", sums(1, 2, 1100, 100, 0)), row("2026-03-29", sums(2, 6, 650, 50, 0)), row("2026-03-30", sums(1, 2, 300, 0, 400)),
		}, report.Rows)
		require.Equal(t, sums(4, 10, 2050, 150, 400), report.Totals)
		require.Equal(t, "Europe/Berlin", report.Zone)

		require.Equal(t, []reports.Row{row("2026-03-28", sums(2, 6, 1500, 100, 0)), row("2026-03-29", sums(2, 4, 550, 50, 0))},
			sales(reports.ByDay, "2026-03-28", "2026-03-29", "UTC").Rows)
		require.Equal(t, []reports.Row{row("2026-03-25", sums(3, 8, 1750, 150, 0)), row("2026-03-30", sums(1, 2, 300, 0, 400))},
			sales(reports.ByWeek, "2026-03-25", "2026-03-31", "").Rows)
		require.Equal(t, []reports.Row{row("2026-02", sums(0, 0, 0, 0, 0)), row("2026-03", sums(4, 10, 2050, 150, 400)), row("2026-04", sums(0, 0, 0, 0, 0))},
			sales(reports.ByMonth, "2026-02-27", "2026-04-01", "").Rows)
		require.Equal(t, []reports.Row{row("cup", reports.Sums{Orders: 3, Units: 6, Gross: 600}), row("tea", reports.Sums{Orders: 2, Units: 4, Gross: 400})},
			sales(reports.BySKU, "2026-03-01", "2026-03-31", "").Rows)
		require.Equal(t, []reports.Row{row("", sums(3, 6, 1650, 150, 0)), row("7", sums(1, 4, 400, 0, 400))},
			sales(reports.BySale, "2026-03-01", "2026-03-31", "").Rows)

		usual := sales(reports.ByDay, "", "", "")
		require.Equal(t, "2026-03-01T23:00:00Z 2026-03-31T22:00:00Z", usual.From.UTC().Format(time.RFC3339)+" "+usual.To.UTC().Format(time.RFC3339))
		require.Len(t, usual.Rows, 30)
		at := func(days int) *time.Time {
			return new(time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC).AddDate(0, 0, days))
		}
		for _, invalid := range []reports.Query{{From: at(0), To: at(0)}, {From: at(-400), To: at(0)}, {Zone: "Mars/Base"}, {Zone: "Local"}} {
			_, err := s.Sales(ctx, invalid)
			require.True(t, apperr.Has(err, apperr.ValidationFailed), "%+v: %v", invalid, err)
		}
	})
}
