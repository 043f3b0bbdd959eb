package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
	"interlock/test/racing"
	"interlock/test/tier"
)

// The month has a change of months and, in Berlin, a day of 23 hours: 29 March.
const (
	monthZone  = "Europe/Berlin"
	monthDays  = 30
	unpaidFor  = 24 * time.Hour
	couponOff  = 300
	saleUnits  = 20
	saleBuyers = 30
	salePrice  = 50
)

var monthStart = time.Date(2026, time.March, 16, 0, 0, 0, 0, time.UTC)

// month is a shop that two users run, and the ledger of their acts.
type month struct {
	*book
	t      *testing.T
	p      *apptest.Program
	clock  *clock.Fake
	random *rand.Rand
	// clerk acts; boss decides on the clerk's refunds.
	clerk, boss *apptest.Caller
	skus        []string
	coupons     []string
	// later are the acts of a day that follow those of an earlier one, by day.
	later map[int][]func()
	today int
	// references numbers the references of payments and repayments from outside.
	references int
}

// A shop's month over HTTP: the reports, the exports, the wallets and the stock equal the sums of an
// independent ledger.
// Proves G4.71.
func TestReportsOfAShopsMonthEqualItsLedger(t *testing.T) {
	t.Run("embedded", func(t *testing.T) { playMonth(t, "", "") })
	t.Run("redis and mariadb", func(t *testing.T) { playMonth(t, storagetest.NewMariaDBURL(t), redistest.NewServer(t).URL()) })
}

func playMonth(t *testing.T, database, redis string) {
	zone, err := time.LoadLocation(monthZone)
	require.NoError(t, err)
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL, s.RedisURL = database, redis
	now := clock.NewFake(clock.StartOfDay(monthStart.In(zone).Add(12 * time.Hour)).Add(-time.Hour))
	p := apptest.StartAt(t, s, now)
	m := &month{book: newBook(zone), t: t, p: p, clock: now, random: racing.Seeded(t), clerk: p.Admin(t), later: map[int][]func(){}}
	m.clerk.HTTP = apptest.Client
	m.boss = newUser(t, m.clerk, "boss", "admin")
	m.open()
	first := clock.AddDays(m.now(), 1)
	for day := range monthDays {
		m.today = day
		m.play(clock.AddDays(first, day))
	}
	m.verify(first, clock.AddDays(first, monthDays))
	require.Empty(t, check(t, p.Services()))
}

func (m *month) now() time.Time { return m.clock.Now().In(m.zone) }

// open sets the tenant up: the zone, 200 items with stock, wallets and coupons.
func (m *month) open() {
	settings := read(m.t, m.clerk, "/api/v1/settings")
	patch(m.t, m.clerk, "/api/v1/settings?bypass=opening", object{"timeZone": monthZone, "unpaidOrderMinutes": unpaidFor.Minutes()}, etag(settings))
	for i := range 200 {
		sku := fmt.Sprintf("P-%03d", i)
		m.prices[sku], m.onHand[sku] = int64(400+37*i), 1000
		m.skus = append(m.skus, sku)
		m.post(201, "/items", object{"sku": sku, "name": "Product " + sku, "price": m.prices[sku]})
		m.post(201, "/inventory/"+sku+"/adjustments", object{"delta": 1000, "reason": "opening stock", "reference": "opening"})
	}
	for i := range 10 {
		user := fmt.Sprintf("customer-%d", i)
		m.enter(user, 10_000_000)
		m.post(201, "/wallets/"+user+"/entries", object{"amount": 10_000_000, "kind": "topup", "reference": "opening"})
	}
	campaign := m.post(201, "/coupon-campaigns", object{
		"name": "Spring", "kind": "amount", "value": couponOff, "total": 1000, "perUser": 1000, "validFrom": m.now(), "validTo": m.now().AddDate(0, 2, 0),
	})
	for _, code := range m.post(201, fmt.Sprintf("/coupon-campaigns/%v/coupons", campaign["id"]), object{"count": 200})["codes"].([]any) {
		m.coupons = append(m.coupons, code.(string))
	}
}

// play plays a day that begins at start. Acts are spread over the day; the first one is at its
// first instant and the last one at its last.
func (m *month) play(start time.Time) {
	acts := m.later[m.today]
	for range tier.Rounds(4, 12) {
		acts = append(acts, plots[m.random.IntN(len(plots))](m))
	}
	if m.today == 12 {
		acts = append(acts, m.flashSale)
	}
	end := clock.AddDays(start, 1)
	times := []time.Time{start}
	for len(times) < len(acts)-1 {
		times = append(times, start.Add(time.Duration(m.random.Int64N(int64(end.Sub(start))))))
	}
	times = append(times, end.Add(-time.Microsecond))
	slices.SortFunc(times, time.Time.Compare)
	for i, act := range acts {
		m.moveTo(times[i])
		act()
	}
}

// in adds an act to a later day.
func (m *month) in(days int, act func()) { m.later[m.today+days] = append(m.later[m.today+days], act) }

// moveTo sets the clock. Orders that were not paid in time are cancelled by the sweeper of the
// program, which may run concurrently.
func (m *month) moveTo(at time.Time) {
	m.clock.Advance(at.Sub(m.clock.Now()))
	var due []*bookedOrder
	for _, id := range slices.Sorted(maps.Keys(m.orders)) {
		if o := m.orders[id]; !o.due.IsZero() && !o.due.After(at) {
			due = append(due, o)
		}
	}
	for _, o := range due {
		require.Eventually(m.t, func() bool {
			require.NoError(m.t, m.p.Services().Orders.CancelUnpaid(m.t.Context(), m.clock.Now(), 500))
			return m.get(m.path(o))["status"] == "cancelled"
		}, patience, 10*time.Millisecond)
		m.bookCancellation(o)
	}
}

func (m *month) post(status int, path string, body any, headers ...string) object {
	m.t.Helper()
	return m.by(m.clerk, status, path, body, headers...)
}

func (m *month) by(c *apptest.Caller, status int, path string, body any, headers ...string) object {
	m.t.Helper()
	answer := c.Do(m.t, http.MethodPost, "/api/v1"+path, body, headers...)
	require.Equal(m.t, status, answer.Status, "%s: %s", path, answer.Body)
	return answer.JSON(m.t)
}

func (m *month) get(path string) object {
	m.t.Helper()
	return read(m.t, m.clerk, "/api/v1"+path)
}

func (m *month) path(o *bookedOrder) string { return fmt.Sprintf("/orders/%d", o.id) }

func (m *month) reference() string {
	m.references++
	return fmt.Sprint("ref-", m.references)
}

func idOf(row object) int64 { return int64(row["id"].(float64)) }

// order places an order of a random customer with two lines. members are further members of the
// request.
func (m *month) order(members object) *bookedOrder {
	user := fmt.Sprintf("customer-%d", m.random.IntN(10))
	first := m.random.IntN(len(m.skus))
	o := &bookedOrder{user: user, status: "pending", units: map[string]int64{
		m.skus[first]: 2 + m.random.Int64N(3), m.skus[(first+1+m.random.IntN(50))%len(m.skus)]: 1 + m.random.Int64N(3),
	}}
	body := object{"userId": user}
	maps.Copy(body, members)
	var lines []object
	for _, sku := range slices.Sorted(maps.Keys(o.units)) {
		lines = append(lines, object{"sku": sku, "quantity": o.units[sku]})
		o.gross += o.units[sku] * m.prices[sku]
	}
	body["items"] = lines
	if body["couponCode"] != nil {
		o.discount = min(couponOff, o.gross)
	}
	for _, charge := range []string{"shipping", "tax"} {
		if amount, ok := body[charge].(int); ok {
			o.gross += int64(amount)
		}
	}
	if body["paymentTerms"] == nil {
		o.due = m.clock.Now().Add(unpaidFor)
	}
	body["expectedTotal"] = o.amount()
	o.id = idOf(m.post(201, "/orders", body))
	o.toShip, o.shipped = maps.Clone(o.units), map[string]int64{}
	m.orders[o.id] = o
	return o
}

// pay records a payment of an amount.
func (m *month) pay(o *bookedOrder, method string, amount int64) {
	row := m.post(201, m.path(o)+"/payments", object{"method": method, "reference": m.reference(), "amount": amount})
	m.paid(o, &bookedPayment{id: idOf(row), amount: amount, method: method}, m.clock.Now())
}

// card pays all that is due.
func (m *month) card(o *bookedOrder) { m.pay(o, "external", o.amount()-o.paid) }

// split pays a third from the wallet and the rest by card.
func (m *month) split(o *bookedOrder) {
	m.pay(o, "wallet", o.amount()/3)
	m.card(o)
}

// ship sends a parcel of at most some units of each line; 0 for all that are to ship.
func (m *month) ship(o *bookedOrder, most int64) {
	units, lines := map[string]int64{}, []object{}
	for i, sku := range slices.Sorted(maps.Keys(o.units)) {
		n := o.toShip[sku]
		if most > 0 {
			n = min(n, most)
		}
		if n > 0 {
			units[sku] = n
			lines = append(lines, object{"lineId": i + 1, "quantity": n})
		}
	}
	body := object{"carrier": "DHL", "trackingNo": m.reference()}
	if most > 0 {
		body["lines"] = lines
	}
	m.post(201, m.path(o)+"/shipments", body)
	m.sent(o, units)
}

func (m *month) complete(o *bookedOrder) {
	m.post(200, m.path(o)+"/complete", nil)
	o.status = "completed"
}

// settle has the boss approve a refund, and records the provider's confirmation.
func (m *month) settle(o *bookedOrder, p *bookedPayment, refund, amount int64) {
	path := fmt.Sprintf("/refunds/%d", refund)
	row := m.by(m.boss, 200, path+"/approve", nil)
	require.EqualValues(m.t, amount, row["amount"])
	if p.method == "external" {
		row = m.by(m.boss, 200, path+"/settle", object{"reference": m.reference()})
	}
	require.Equal(m.t, "settled", row["status"])
	m.repaid(o, p, amount, m.clock.Now())
}

// bookCancellation books the cancellation of an order, which credits wallets immediately. The boss
// approves the refunds of the other payments.
func (m *month) bookCancellation(o *bookedOrder) {
	m.cancelled(o)
	for _, row := range m.get(fmt.Sprintf("/refunds?orderId=%d&limit=200", o.id))["items"].([]any) {
		refund := row.(object)
		p := m.payments[int64(refund["paymentId"].(float64))]
		if refund["origin"] != "cancellation" {
			continue
		}
		rest := p.amount - p.refunded
		require.EqualValues(m.t, rest, refund["amount"], "a cancellation repays the rest of each payment")
		if p.method == "wallet" {
			require.Equal(m.t, "settled", refund["status"])
			m.repaid(o, p, rest, m.clock.Now())
			continue
		}
		m.settle(o, p, idOf(refund), rest)
	}
	require.Equal(m.t, o.paid, o.refunded, "nothing is owed for a cancelled order")
}

func (m *month) cancel(o *bookedOrder) {
	m.post(200, m.path(o)+"/cancel", object{"reason": "The customer changed their mind."})
	m.bookCancellation(o)
}

// takeBack receives one unit of the first line, which is restocked or written off. It returns the
// path of the return and the price of the unit.
func (m *month) takeBack(o *bookedOrder) (path string, worth int64) {
	sku := slices.Sorted(maps.Keys(o.units))[0]
	row := m.post(201, m.path(o)+"/returns", object{"lines": []object{{"lineId": 1, "quantity": 1}}, "reason": "too small"})
	path = fmt.Sprintf("/returns/%d", idOf(row))
	restock := m.random.IntN(2) == 0
	m.post(200, path+"/receive", object{"lines": []object{{"lineId": 1, "quantity": 1, "restock": restock}}})
	if restock {
		m.onHand[sku]++
	}
	return path, m.prices[sku]
}

// stray records money that no order can take, and returns its booking.
func (m *month) stray(order, amount int64) *bookedPayment {
	row := m.post(202, fmt.Sprintf("/orders/%d/payments", order), object{"method": "external", "provider": "bank", "reference": m.reference(), "amount": amount})
	p := &bookedPayment{id: idOf(row), amount: amount, method: "external", status: "unmatched"}
	m.payments[p.id] = p
	return p
}

func (m *month) sendBack(p *bookedPayment) {
	m.by(m.boss, 200, fmt.Sprintf("/payments/%d/refund", p.id), object{"reason": "No order."})
	p.status, p.refunded = "refunded", p.amount
}

// plots are the stories of orders. Each returns its first act.
var plots = []func(m *month) func(){
	func(m *month) func() { // paid, sent and completed
		return func() {
			o := m.order(object{"externalId": m.reference()})
			m.card(o)
			m.in(1, func() { m.ship(o, 0) })
			m.in(4, func() { m.complete(o) })
		}
	},
	func(m *month) func() { // two payments and two parcels
		return func() {
			o := m.order(object{"shipping": 490, "tax": 95})
			m.split(o)
			m.in(1, func() { m.ship(o, 1) })
			m.in(2, func() { m.ship(o, 0) })
		}
	},
	func(m *month) func() { // a return that is refunded
		return func() {
			o := m.order(nil)
			m.card(o)
			m.ship(o, 0)
			m.in(3, func() {
				path, worth := m.takeBack(o)
				row := m.post(200, path+"/refund", object{})
				m.settle(o, o.payments[0], int64(row["refundId"].(float64)), worth)
				m.in(1, func() { m.post(200, path+"/close", object{}) })
			})
		}
	},
	func(m *month) func() { // an exchange
		return func() {
			o := m.order(nil)
			m.card(o)
			m.ship(o, 0)
			m.in(2, func() {
				path, _ := m.takeBack(o)
				other := m.order(nil)
				for other.user != o.user {
					other = m.order(nil) // those of other customers expire
				}
				m.card(other)
				m.post(200, path+"/close", object{"exchangeOrderId": other.id})
				m.in(1, func() { m.ship(other, 0) })
			})
		}
	},
	func(m *month) func() { // a coupon and a refund for goodwill
		return func() {
			o := m.order(object{"couponCode": m.coupon()})
			m.card(o)
			m.in(1, func() { m.ship(o, 0) })
			m.in(5, func() {
				row := m.post(201, m.path(o)+"/refunds", object{"amount": 123, "reason": "late"})
				m.settle(o, o.payments[0], idOf(row), 123)
			})
		}
	},
	func(m *month) func() { // an order that expires, with its coupon
		return func() { m.order(object{"couponCode": m.coupon()}) }
	},
	func(m *month) func() { // an order that expires with a part paid
		return func() { m.pay(m.order(nil), []string{"wallet", "external"}[m.random.IntN(2)], 100) }
	},
	func(m *month) func() { // two payments, and a cancellation
		return func() {
			o := m.order(nil)
			m.split(o)
			m.in(1, func() { m.cancel(o) })
		}
	},
	func(m *month) func() { // sent before it is paid
		return func() {
			o := m.order(object{"paymentTerms": []string{"invoice", "on_delivery"}[m.random.IntN(2)]})
			m.ship(o, 0)
			m.in(7, func() {
				m.card(o)
				m.complete(o)
			})
		}
	},
	func(m *month) func() { // a unit that is refunded before it is sent
		return func() {
			o := m.order(nil)
			m.card(o)
			m.in(1, func() {
				sku := slices.Sorted(maps.Keys(o.units))[0]
				row := m.post(201, m.path(o)+"/refunds", object{"reason": "broken", "lines": []object{{"sku": sku, "quantity": 1, "restock": true}}})
				m.settle(o, o.payments[0], idOf(row), m.prices[sku])
				o.toShip[sku]--
				m.ship(o, 0)
			})
		}
	},
	func(m *month) func() { // money for an unknown order, applied to another order
		return func() {
			o := m.order(object{"paymentTerms": "invoice"})
			p := m.stray(1<<40, o.amount()/2)
			m.in(1, func() {
				m.post(200, fmt.Sprintf("/payments/%d/apply", p.id), object{"orderId": o.id})
				m.paid(o, p, m.clock.Now())
				m.card(o)
			})
		}
	},
	func(m *month) func() { // an order that is paid twice
		return func() {
			o := m.order(nil)
			m.card(o)
			p := m.stray(o.id, o.amount())
			p.order = o.id
			m.in(2, func() { m.sendBack(p) })
		}
	},
	func(m *month) func() { // money that stays unmatched
		return func() { m.stray(1<<40, 777) }
	},
}

func (m *month) coupon() string {
	code := m.coupons[0]
	m.coupons = m.coupons[1:]
	return code
}

// flashSale sells 20 units of an item to 30 customers; some cancel, and some do not pay.
func (m *month) flashSale() {
	sku := m.skus[0]
	row := m.post(201, "/flash-sales", object{
		"name": "Noon sale", "sku": sku, "price": salePrice, "quantity": saleUnits, "perUserLimit": 1,
		"startsTime": m.now(), "endsTime": "2099-01-01T00:00:00Z", // the gate in Redis has the time of Redis
	})
	sale := idOf(row)
	path := fmt.Sprintf("/flash-sales/%d", sale)
	m.post(200, path+"/open", nil)
	customer, seen := 0, map[int64]bool{}
	// sell lets customers tap, and books the orders of those that got a unit.
	sell := func(taps, units int) (sold []*bookedOrder) {
		tickets := 0
		for range taps {
			customer++
			a := m.clerk.Do(m.t, http.MethodPost, "/api/v1"+path+"/orders", object{"quantity": 1}, "X-On-Behalf-Of", fmt.Sprint("tapper-", customer))
			require.Contains(m.t, []int{http.StatusAccepted, http.StatusConflict}, a.Status, "%s", a.Body)
			if a.Status == http.StatusAccepted {
				tickets++
			}
		}
		require.Equal(m.t, units, tickets)
		var rows []any
		require.Eventually(m.t, func() bool {
			rows = m.get(fmt.Sprintf("/orders?flashSaleId=%d&limit=200", sale))["items"].([]any)
			return len(rows) == len(seen)+units
		}, patience, 20*time.Millisecond)
		for _, r := range rows {
			order := r.(object)
			if seen[idOf(order)] {
				continue
			}
			seen[idOf(order)] = true
			o := &bookedOrder{
				id: idOf(order), user: order["userId"].(string), status: "pending", gross: salePrice, sale: sale, due: m.clock.Now().Add(15 * time.Minute),
				units: map[string]int64{sku: 1}, toShip: map[string]int64{sku: 1}, shipped: map[string]int64{},
			}
			m.orders[o.id] = o
			sold = append(sold, o)
		}
		return sold
	}
	sold := sell(saleBuyers, saleUnits)
	for i, o := range sold[:12] {
		m.card(o)
		if i < 3 {
			m.cancel(o)
		}
	}
	for _, o := range sell(5, 3) { // the cancelled units are for sale again
		m.card(o)
	}
	m.moveTo(m.clock.Now().Add(time.Hour)) // the others are not paid in time
	m.post(200, path+"/close", nil)
	require.Eventually(m.t, func() bool { return m.get("/inventory/" + sku)["reserved"] == float64(m.reserved()[sku]) }, patience, 20*time.Millisecond)
	m.in(1, func() {
		for i, o := range sold[3:12] {
			if i == 0 {
				m.cancel(o) // after the end of the sale, its unit returns to stock
				continue
			}
			m.ship(o, 0)
		}
	})
}

// verify compares everything that the service reports of the month with the ledger.
func (m *month) verify(from, to time.Time) {
	m.verifyReports(from, to)
	m.verifyOrders(from, to)
	m.verifyPayments()
	for _, user := range slices.Sorted(maps.Keys(m.wallets)) {
		var amounts []int64
		for _, entry := range m.list("/wallets/" + user + "/entries?") {
			amounts = append(amounts, int64(entry["amount"].(float64)))
		}
		slices.Reverse(amounts)
		require.Equal(m.t, m.wallets[user], amounts, user)
		require.EqualValues(m.t, m.balance(user), m.get("/wallets/" + user)["balance"], user)
	}
	reserved := m.reserved()
	stock := m.list("/inventory?")
	require.Len(m.t, stock, len(m.skus))
	for _, row := range stock {
		sku := row["sku"].(string)
		require.Equal(m.t, []any{float64(m.onHand[sku]), float64(reserved[sku])}, []any{row["onHand"], row["reserved"]}, sku)
	}
}

// list returns the items of all pages of a list.
func (m *month) list(path string) (items []object) {
	for cursor := ""; ; {
		page := m.get(path + "&limit=200" + cursor)
		for _, item := range page["items"].([]any) {
			items = append(items, item.(object))
		}
		if page["nextCursor"] == nil {
			return items
		}
		cursor = "&cursor=" + page["nextCursor"].(string)
	}
}

func (m *month) verifyReports(from, to time.Time) {
	period := "&from=" + from.UTC().Format(time.RFC3339) + "&to=" + to.UTC().Format(time.RFC3339)
	for by, count := range map[string]int{"day": monthDays, "week": 5, "month": 2, "sku": len(m.sales("sku")), "sale": 2} {
		report := m.get("/reports/sales?by=" + by + period)
		require.Equal(m.t, monthZone, report["zone"])
		rows, want := report["rows"].([]any), m.sales(by)
		require.Len(m.t, rows, count, by)
		for _, r := range rows {
			row := r.(object)
			key := row["key"].(string)
			require.Equal(m.t, want[key].view(by), valuesOf(row), "by %s: %s", by, key)
			delete(want, key)
		}
		require.Empty(m.t, want, "by %s: rows of the ledger that the report lacks", by)
		require.Equal(m.t, total(m.sales("day")).view("day"), valuesOf(report["totals"].(object)), by)
	}
}

// view returns the values of a row as the report has them.
func (s sums) view(by string) []any {
	values := []any{float64(s.orders), float64(s.units), float64(s.gross)}
	if by == "sku" {
		return append(values, nil, nil, nil)
	}
	return append(values, float64(s.discounts), float64(s.refunds), float64(s.gross-s.discounts-s.refunds))
}

func valuesOf(row object) (values []any) {
	for _, member := range []string{"orders", "units", "gross", "discounts", "refunds", "net"} {
		values = append(values, row[member])
	}
	return values
}

func (m *month) verifyOrders(from, to time.Time) {
	rows := m.exported("/orders/export?format=jsonl")
	require.Len(m.t, rows, len(m.orders))
	for _, row := range rows {
		o := m.orders[idOf(row)]
		require.NotNil(m.t, o)
		paidTime, due := any(nil), o.amount()-o.paid
		if !o.paidTime.IsZero() {
			paidTime = o.paidTime.UTC().Format("2006-01-02T15:04:05.000000Z")
		}
		if o.status == "cancelled" {
			due = 0
		}
		want := []any{o.user, o.status, float64(o.amount()), float64(o.discount), float64(o.paid), float64(o.refunded), 0.0, float64(due), o.paymentStatus(), paidTime}
		var got []any
		for _, member := range []string{"userId", "status", "amount", "discount", "paid", "refunded", "refundReserved", "due", "paymentStatus", "paidTime"} {
			got = append(got, row[member])
		}
		require.Equal(m.t, want, got, "order %d", o.id)
		for i, sku := range slices.Sorted(maps.Keys(o.units)) {
			line := row["items"].([]any)[i].(object)
			require.Equal(m.t, []any{sku, float64(o.units[sku]), float64(o.toShip[sku]), float64(o.shipped[sku])},
				[]any{line["sku"], line["quantity"], line["toShip"], line["shipped"]}, "order %d", o.id)
		}
	}
	all := total(m.sales("day"))
	paid := fmt.Sprintf("&paidFrom=%s&paidTo=%s", from.UTC().Format(time.RFC3339), to.UTC().Format(time.RFC3339))
	require.Equal(m.t, all.gross-all.discounts, m.column("/orders/export?format=csv"+paid, "amount"), "the orders that were paid in the month")
}

func (m *month) verifyPayments() {
	rows := m.exported("/payments/export?format=jsonl")
	require.Len(m.t, rows, len(m.payments))
	var received int64
	for _, row := range rows {
		p := m.payments[idOf(row)]
		require.NotNil(m.t, p)
		order := any(nil)
		if p.order != 0 {
			order = float64(p.order)
		}
		require.Equal(m.t, []any{p.method, p.status, float64(p.amount), float64(p.refunded), 0.0, order},
			[]any{row["method"], row["status"], row["amount"], row["refunded"], row["refundReserved"], row["orderId"]}, "payment %d", p.id)
		received += p.amount
	}
	require.Equal(m.t, received, m.column("/payments/export?format=csv", "amount"))
}

// exported returns the rows of an export as JSON lines, which ends with their number.
func (m *month) exported(path string) (rows []object) {
	a := m.clerk.Do(m.t, http.MethodGet, "/api/v1"+path, nil)
	require.Equal(m.t, http.StatusOK, a.Status, "%s", a.Body)
	for lines := bufio.NewScanner(bytes.NewReader(a.Body)); lines.Scan(); {
		var row object
		require.NoError(m.t, json.Unmarshal(lines.Bytes(), &row))
		rows = append(rows, row)
	}
	last := len(rows) - 1
	require.EqualValues(m.t, last, rows[last]["rows"])
	return rows[:last]
}

// column returns the sum of a column of an export as CSV.
func (m *month) column(path, name string) (sum int64) {
	a := m.clerk.Do(m.t, http.MethodGet, "/api/v1"+path, nil)
	require.Equal(m.t, http.StatusOK, a.Status, "%s", a.Body)
	rows, err := csv.NewReader(bytes.NewReader(a.Body)).ReadAll()
	require.NoError(m.t, err)
	at := slices.Index(rows[0], name)
	require.GreaterOrEqual(m.t, at, 0, "%v", rows[0])
	for _, row := range rows[1:] {
		n, err := strconv.ParseInt(row[at], 10, 64)
		require.NoError(m.t, err)
		sum += n
	}
	return sum
}
