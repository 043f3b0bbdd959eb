package reports

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// readPermission is the permission to read orders.
const readPermission = "orders:read"

// Routes registers the reports.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Overview", Noun: "sales report", Example: example})
	httpapi.Get(r, "/reports/sales", readPermission, handler{s}.sales).
		Doc("Report the sales", "An order counts on the day of its complete payment, a refund on the day of its settlement. "+
			"By `day`, `week` (from Monday) and `month` each period has a row; by `sku` and `sale` at most 400 rows, the highest `gross` first. The totals include all. "+
			"By default the last 30 days, today included; at most 398 days. A period that starts or ends within a day includes that part of the day.").
		With(httpapi.Contract{ID: "reportSales"})
}

type handler struct{ service *Service }

type salesRequest struct {
	From *time.Time `query:"from"`
	To   *time.Time `query:"to"`
	// The IANA name of the time zone of the days. By default the tenant's `timeZone`.
	Zone string                  `query:"zone"`
	By   httpapi.OneOf[Grouping] `query:"by" default:"day"`
}

type salesView struct {
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Zone     string    `json:"zone" validate:"required"`
	By       Grouping  `json:"by"`
	Currency string    `json:"currency"`
	Rows     []Row     `json:"rows" validate:"max=400"`
	Totals   Sums      `json:"totals"`
}

func (h handler) sales(ctx context.Context, in salesRequest) (salesView, error) {
	by := in.By.Value
	if by == "" {
		by = ByDay
	}
	report, err := h.service.Sales(ctx, Query{From: in.From, To: in.To, Zone: in.Zone, By: by})
	return salesView{
		From: report.From, To: report.To, Zone: report.Zone, By: by, Currency: principal.CurrencyOf(ctx), Rows: report.Rows, Totals: report.Totals,
	}, err
}

// example is a report for the contract.
var example = func() salesView {
	sums := Sums{Orders: 12, Units: 31, Gross: 45_600, Discounts: new(int64(1500)), Refunds: new(int64(1990)), Net: new(int64(42_110))}
	return salesView{
		From: time.Date(2026, time.January, 30, 23, 0, 0, 0, time.UTC), To: time.Date(2026, time.January, 31, 23, 0, 0, 0, time.UTC), Zone: "Europe/Berlin", By: ByDay, Currency: "CNY", Rows: []Row{{"2026-01-31", sums}}, Totals: sums,
	}
}()
