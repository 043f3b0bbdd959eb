package shop

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/orders"
	"interlock/test/world"
)

// requireFilters requires that the columns by which lists filter agree with the derived facts of an
// order.
func (s *Shop) requireFilters(t require.TestingT, order *orders.Order) {
	var toShip int64
	for _, line := range order.Lines {
		toShip += line.ToShip
	}
	status := orders.Machine.Of(order.Status).Name
	ready := toShip > 0 && (status == "paid" || status == "shipped" || status == "pending" && order.PaymentTerms != orders.Prepaid)
	for _, filter := range []orders.Filter{
		{PaymentStatus: order.PaymentStatus()}, {FulfilmentStatus: order.FulfilmentStatus()}, {ToShip: &ready},
	} {
		filter.NumberPrefix = order.OrderNo
		listing, err := s.Orders.List(s.Ctx, filter, storage.Page{})
		require.NoError(t, err)
		require.Len(t, listing.Rows, 1, "%s: %+v", status, filter)
	}
}

func TestOrdersAreFoundByEachFilter(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Stock(t, "CUP-1", 100, Plenty)
		coupon := s.Coupon(t, nil)
		made := map[string]object{}
		create := func(name string, body object) {
			body["userId"] = Buyer
			made[name] = s.Create(t, "/orders", body)
		}
		create("pending", object{"items": []object{Line("TEA-1", 200)}, "couponCode": coupon, "tags": []string{"gift", "late"}})
		create("paid", object{"items": []object{Line("TEA-1", 2), Line("CUP-1", 1)}, "tags": []string{"gift"}})
		create("shipped", object{"items": []object{Line("CUP-1", 1)}})
		create("terms", object{"items": []object{Line("TEA-1", 1)}})
		s.Post(t, http.StatusOK, OrderPath(made["paid"])+"/pay", object{"method": "external", "reference": "PSP-1"})
		s.Post(t, http.StatusOK, OrderPath(made["shipped"])+"/pay", object{"method": "external", "reference": "PSP-2"})
		s.Post(t, http.StatusOK, OrderPath(made["shipped"])+"/ship", object{"carrier": "DHL", "trackingNo": "JD01"})
		// Other requests set these facts.
		for name, facts := range map[string]map[string]any{
			"pending": {"external_id": "web-1", "email": "a@example.com"},
			"paid":    {"sale_id": 7, "paid_time": world.Opening.Add(time.Hour)},
			"shipped": {"paid_time": world.Opening.Add(2 * time.Hour), "shipped_time": world.Opening.Add(3 * time.Hour)},
			"terms":   {"payment_terms": "invoice", "paid": 40},
		} {
			require.NoError(t, db.Write(ctx).Model(&orders.Order{}).Where("id = ?", world.ID(made[name])).UpdateColumns(facts).Error)
		}
		at := func(hours time.Duration) string { return world.Opening.Add(hours * time.Hour).Format(time.RFC3339) }
		for query, found := range map[string]string{
			"externalId=web-1": "pending", "externalId=web": "", "email=a@example.com": "pending", "couponCode=" + coupon: "pending",
			"trackingNo=JD01": "shipped", "reference=PSP-1": "paid", "reference=PSP-3": "",
			"sku=TEA-1": "terms paid pending", "sku=CUP-1": "shipped paid", "sku=CUP": "", "flashSaleId=7": "paid",
			"tag=gift": "paid pending", "tag=late": "pending", "tag=gif": "", "tag=gift&sku=CUP-1": "paid",
			"paymentStatus=unpaid": "pending", "paymentStatus=partly_paid": "terms", "paymentStatus=paid": "shipped paid", "paymentStatus=refunded": "",
			"fulfilmentStatus=none": "terms paid pending", "fulfilmentStatus=shipped": "shipped",
			"toShip=true": "terms paid", "toShip=false": "shipped pending", "toShip=true&sku=CUP-1": "paid",
			"paidFrom=" + at(2): "shipped", "paidTo=" + at(2): "paid", "paidFrom=" + at(1) + "&paidTo=" + at(3): "shipped paid",
			"shippedFrom=" + at(3): "shipped", "shippedTo=" + at(3): "",
		} {
			reply := s.Send(t, http.MethodGet, "/orders?"+query, nil)
			require.Equal(t, http.StatusOK, reply.Status, reply.Body)
			var names []string
			for _, item := range reply.Body["items"].([]any) {
				for name, order := range made {
					if world.ID(order) == world.ID(item.(object)) {
						names = append(names, name)
					}
				}
			}
			require.Equal(t, found, strings.Join(names, " "), query)
		}
		for text, name := range map[string]string{"web-1": "pending", "jd0": "shipped", made["paid"]["orderNo"].(string): "paid"} {
			hits, err := s.Orders.ByName(ctx, text, 5)
			require.NoError(t, err)
			require.Len(t, hits, 1, text)
			require.Equal(t, world.ID(made[name]), hits[0].ID, text)
		}
		require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodGet, "/orders?paymentStatus=late", nil).Status)
	})
}

func TestOrderExportHasEveryMatchingOrder(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		const many = storage.MaxLimit + 3
		for i := range many {
			s.Create(t, "/orders", object{"userId": fmt.Sprintf("u%d", i%2), "items": []object{Line("TEA-1", 1)}})
		}
		rows, err := csv.NewReader(strings.NewReader(s.Download(t, "/orders/export"))).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, many+1)
		require.Equal(t, []string{"id", "orderNo", "userId", "items"}, rows[0][:4])
		require.Contains(t, rows[0], "shippingAddress.city")
		require.Contains(t, rows[0], "payment.reference")
		var last int
		for _, row := range rows[1:] {
			var id int
			_, err := fmt.Sscan(row[0], &id)
			require.NoError(t, err)
			require.Greater(t, id, last, "oldest first")
			last = id
		}
		lines := strings.Split(strings.TrimSpace(s.Download(t, "/orders/export?format=jsonl&userId=u1")), "\n")
		require.Len(t, lines, many/2+1)
		require.Contains(t, lines[0], `"userId":"u1"`)
		require.JSONEq(t, fmt.Sprintf(`{"rows":%d}`, many/2), lines[len(lines)-1])
		require.Len(t, strings.Split(strings.TrimSpace(s.Download(t, "/orders/export?userId=nobody")), "\n"), 1)
		s.Create(t, "/orders", object{"userId": "u1", "items": []object{Line("TEA-1", 1)}, "tags": []string{"gift"}})
		require.Len(t, strings.Split(strings.TrimSpace(s.Download(t, "/orders/export?tag=gift")), "\n"), 2)
	})
}
