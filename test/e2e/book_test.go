package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// book is the ledger of a shop: it derives all sums from the catalog and from the outcomes of the
// shop's acts, and reads none of them from the service.
type book struct {
	zone     *time.Location
	prices   map[string]int64
	onHand   map[string]int64
	wallets  map[string][]int64
	orders   map[int64]*bookedOrder
	payments map[int64]*bookedPayment
	refunds  []bookedRefund
}

type bookedOrder struct {
	id     int64
	user   string
	status string
	// units are the ordered units by sku. Each of them is to ship, shipped or back in stock.
	units, toShip, shipped map[string]int64
	// gross is the sum before the discount, with shipping and tax.
	gross, discount, paid, refunded int64
	payments                        []*bookedPayment
	// sale is the flash sale; 0 for none.
	sale int64
	// due is the time of the cancellation of an unpaid order, and paidTime the time of the complete
	// payment; zero for none.
	due, paidTime time.Time
}

func (o *bookedOrder) amount() int64 { return o.gross - o.discount }

type bookedPayment struct {
	id, amount, refunded int64
	method, status       string
	// order is 0 for a payment without one.
	order int64
}

type bookedRefund struct {
	amount, sale int64
	time         time.Time
}

func newBook(zone *time.Location) *book {
	return &book{
		zone: zone, prices: map[string]int64{}, onHand: map[string]int64{}, wallets: map[string][]int64{},
		orders: map[int64]*bookedOrder{}, payments: map[int64]*bookedPayment{},
	}
}

func (b *book) enter(user string, amount int64) { b.wallets[user] = append(b.wallets[user], amount) }

func (b *book) balance(user string) (sum int64) {
	for _, amount := range b.wallets[user] {
		sum += amount
	}
	return sum
}

// paid books an applied payment.
func (b *book) paid(o *bookedOrder, p *bookedPayment, now time.Time) {
	p.order, p.status = o.id, "applied"
	b.payments[p.id] = p
	o.payments, o.paid = append(o.payments, p), o.paid+p.amount
	if p.method == "wallet" {
		b.enter(o.user, -p.amount)
	}
	if o.paid == o.amount() {
		o.paidTime, o.due = now, time.Time{}
		if o.status == "pending" {
			o.status = "paid"
		}
	}
}

// repaid books the repayment of a part of a payment.
func (b *book) repaid(o *bookedOrder, p *bookedPayment, amount int64, now time.Time) {
	p.refunded, o.refunded = p.refunded+amount, o.refunded+amount
	if p.refunded == p.amount {
		p.status = "refunded"
	}
	if p.method == "wallet" {
		b.enter(o.user, amount)
	}
	b.refunds = append(b.refunds, bookedRefund{amount, o.sale, now})
}

// sent books a parcel.
func (b *book) sent(o *bookedOrder, units map[string]int64) {
	for sku, n := range units {
		o.toShip[sku] -= n
		o.shipped[sku] += n
		b.onHand[sku] -= n
	}
	if left := sumOf(o.toShip); left == 0 {
		o.status = "shipped"
	}
}

func (b *book) cancelled(o *bookedOrder) {
	o.status, o.toShip, o.due = "cancelled", map[string]int64{}, time.Time{}
}

// reserved returns the units that open orders have reserved, by sku.
func (b *book) reserved() map[string]int64 {
	reserved := map[string]int64{}
	for _, o := range b.orders {
		for sku, n := range o.toShip {
			reserved[sku] += n
		}
	}
	return reserved
}

func sumOf(units map[string]int64) (sum int64) {
	for _, n := range units {
		sum += n
	}
	return sum
}

// sums are the numbers of a row of the report.
type sums struct{ orders, units, gross, discounts, refunds int64 }

func (s sums) plus(o sums) sums {
	return sums{s.orders + o.orders, s.units + o.units, s.gross + o.gross, s.discounts + o.discounts, s.refunds + o.refunds}
}

// sales returns the rows of the report with a sale, by key.
func (b *book) sales(by string) map[string]sums {
	rows := map[string]sums{}
	add := func(key string, s sums) { rows[key] = rows[key].plus(s) }
	for _, o := range b.orders {
		switch {
		case o.paidTime.IsZero():
		case by == "sku":
			for sku, n := range o.units {
				gross := n * b.prices[sku]
				if o.sale != 0 {
					gross = o.gross // its only line has the price of the sale
				}
				add(sku, sums{orders: 1, units: n, gross: gross})
			}
		default:
			add(b.key(by, o.paidTime, o.sale), sums{orders: 1, units: sumOf(o.units), gross: o.gross, discounts: o.discount})
		}
	}
	for _, r := range b.refunds {
		if by != "sku" {
			add(b.key(by, r.time, r.sale), sums{refunds: r.amount})
		}
	}
	return rows
}

// key returns the key of the row of a time and a flash sale.
func (b *book) key(by string, at time.Time, sale int64) string {
	at = at.In(b.zone)
	switch by {
	case "week":
		at = at.AddDate(0, 0, -(int(at.Weekday())+6)%7)
	case "month":
		return at.Format("2006-01")
	case "sale":
		if sale == 0 {
			return ""
		}
		return fmt.Sprint(sale)
	}
	return at.Format(time.DateOnly)
}

// total returns the sums of all rows.
func total(rows map[string]sums) (all sums) {
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		all = all.plus(rows[key])
	}
	return all
}

func (o *bookedOrder) paymentStatus() string {
	switch {
	case o.paid == 0:
		return "unpaid"
	case o.refunded == o.paid:
		return "refunded"
	case o.refunded > 0:
		return "partly_refunded"
	case o.paid < o.amount():
		return "partly_paid"
	}
	return "paid"
}
