package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// benchSale compares the requests of customers and callers of a flash sale with requests
// that do nothing, and its consumer with the bare statements. During the measurement of
// requests the sale's rate limits the consumer to one order per second.
func benchSale(ctx context.Context, o options, e *engine, r redisServer) (err error) {
	secret := randomHex(32)
	s, err := startBenchServer(ctx, o, e, r, secret)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	b := &saleBench{benchServer: s, options: o, engine: e, customers: &customers{secret: secret}, processes: []process{
		{"mariadbd", e.pid}, {"service", s.pid()}, {"redis", r.pid}, {"generator", os.Getpid()},
	}}
	if err := b.open(ctx); err != nil {
		return fmt.Errorf("open the sales: %w", err)
	}
	var compared []*comparison
	if o.has("http") {
		c, err := b.requests(ctx)
		if err == nil {
			c.only(o.rows)
			err = c.measure(ctx, o.rounds)
		}
		if err != nil {
			return fmt.Errorf("http: %w", err)
		}
		compared = append(compared, c)
	}
	if o.has("orders") {
		c, err := b.orders(ctx)
		if err == nil {
			c.only(o.rows)
			err = c.measure(ctx, o.rounds)
		}
		if err != nil {
			return fmt.Errorf("orders: %w", err)
		}
		compared = append(compared, c)
	}
	if err := b.drain(ctx); err != nil {
		return fmt.Errorf("make the orders that wait: %w", err)
	}
	for _, c := range compared {
		if err := c.print(os.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// saleBench is the service with an unlimited sale and a sold-out one.
type saleBench struct {
	*benchServer
	options   options
	engine    *engine
	customers *customers
	processes []process

	sku  string
	sale int64 // its id
	etag string
	over int64 // id of the sold-out sale

	rawSale int64      // the sale of the bare statements; 0 without
	raw     []*subject // the subjects that count its orders
}

// lot is the number of units for sale, more than are sold.
const lot = 50_000_000

func (b *saleBench) open(ctx context.Context) error {
	b.sku = "BENCH-" + strings.ToUpper(randomHex(4))
	if _, _, err := b.ask(ctx, http.MethodPost, "/items", map[string]any{"sku": b.sku, "name": "Bench", "price": 900}); err != nil {
		return err
	}
	if _, _, err := b.ask(ctx, http.MethodPost, "/inventory/"+b.sku+"/adjustments",
		map[string]any{"delta": lot + 1, "reason": "bench", "reference": "opening"}); err != nil {
		return err
	}
	var err error
	if b.sale, b.etag, err = b.plan(ctx, lot); err != nil {
		return err
	}
	if b.over, _, err = b.plan(ctx, 1); err != nil {
		return err
	}
	_, _, err = b.ask(ctx, http.MethodPost, fmt.Sprintf("/flash-sales/%d/orders", b.over), json.RawMessage(purchase),
		"Authorization", "Bearer "+b.customers.sign())
	return err
}

// plan plans and opens a sale with an idle consumer.
func (b *saleBench) plan(ctx context.Context, quantity int) (id int64, etag string, err error) {
	if id, _, err = b.planDraft(ctx, quantity); err != nil {
		return 0, "", err
	}
	_, etag, err = b.ask(ctx, http.MethodPost, fmt.Sprintf("/flash-sales/%d/open", id), map[string]any{})
	return id, etag, err
}

func (b *saleBench) planDraft(ctx context.Context, quantity int) (id int64, etag string, err error) {
	sale, etag, err := b.ask(ctx, http.MethodPost, "/flash-sales", map[string]any{
		"name": "Bench", "sku": b.sku, "price": 500, "quantity": quantity, "perUserLimit": 1, "rate": 1,
		"startsTime": "2020-01-01T00:00:00Z", "endsTime": "2100-01-01T00:00:00Z",
	})
	if err != nil {
		return 0, "", err
	}
	number, ok := sale["id"].(float64)
	if !ok {
		return 0, "", fmt.Errorf("a sale without an id: %v", sale)
	}
	return int64(number), etag, nil
}

const purchase = `{"quantity":1}`

// purchases returns a volley of customers who buy one unit each.
func (b *saleBench) purchases(sale int64, status string) *volley {
	return &volley{
		service: b.benchServer, method: http.MethodPost, path: fmt.Sprintf("/flash-sales/%d/orders", sale), body: purchase,
		customers: b.customers, route: "/flash-sales/:id/orders", status: status,
	}
}

// requests compares replies over HTTP. The requests of one ratio authenticate alike: N, F
// and S with a different customer each time, the others with one API token.
func (b *saleBench) requests(ctx context.Context) (*comparison, error) {
	token := "Authorization: Bearer " + b.token
	nothing := volley{
		service: b.benchServer, method: http.MethodPost, path: "/bench/nothing", body: purchase,
		route: "/bench/nothing", status: "204",
	}
	asCustomers, asToken, get := nothing, nothing, nothing
	asCustomers.customers, asToken.headers = b.customers, []string{token}
	get.method, get.body, get.headers = http.MethodGet, "", []string{token}
	replayed, err := b.replayed(ctx, token)
	if err != nil {
		return nil, err
	}
	locked := &volley{
		service: b.benchServer, method: http.MethodPost, path: "/bench/locked", headers: []string{token},
		route: "/bench/locked", status: "423",
	}
	held := &volley{
		service: b.benchServer, method: http.MethodPost, path: "/bench/hold", body: fmt.Sprintf(`{"milliseconds":%d}`, b.holdFor().Milliseconds()),
		route: "/bench/hold", status: "409",
	}
	hold := func(ctx context.Context) (func() error, error) {
		key := "bench." + randomHex(8)
		held.headers = []string{token, "X-Idempotency-Key: " + key}
		return b.hold(ctx, held.body, key)
	}

	n := asCustomers.subject(b.options, "N  POST that does nothing, customers", nil)
	f := b.purchases(b.sale, "202").subject(b.options, "F  purchase, accepted", nil)
	s := b.purchases(b.over, "409").subject(b.options, "S  purchase, sold out", nil)
	g := get.subject(b.options, "G  GET that does nothing, one token", nil)
	r := replayed.subject(b.options, "R  POST replayed", nil)
	m := asToken.subject(b.options, "M  POST that does nothing, one token", nil)
	i := held.subject(b.options, "I  POST whose key is in use (409)", hold)
	l := locked.subject(b.options, "L  POST whose lock is held (423)", hold)
	return &comparison{
		title: "replies over HTTP", subjects: []*subject{n, f, s, g, r, m, i, l}, processes: b.processes,
		ratios: []ratio{{"F/N", f, n, 0.7}, {"S/N", s, n, 0.85}, {"R/G", r, g, 0.7}, {"I/M", i, m, 0.7}, {"L/M", l, m, 0.7}},
	}, nil
}

// replayed returns a volley of repeats of a completed request, under its key.
func (b *saleBench) replayed(ctx context.Context, token string) (*volley, error) {
	const key = "bench.replayed"
	body := `{"key":"` + key + `","value":"` + valueOf(0) + `","valueType":"string","remark":"written by the bench"}`
	if _, _, err := b.ask(ctx, http.MethodPost, "/configs", json.RawMessage(body), "X-Idempotency-Key", key); err != nil {
		return nil, fmt.Errorf("create what is replayed: %w", err)
	}
	return &volley{
		service: b.benchServer, method: http.MethodPost, path: "/configs", body: body,
		headers: []string{token, "X-Idempotency-Key: " + key}, route: "/configs", status: "201",
	}, nil
}

func (b *saleBench) holdFor() time.Duration {
	return b.options.period.Round(time.Second) + 3*time.Second
}

// hold makes the service hold the bench's lock and an idempotency key for a while. It
// returns when they are held; the returned function waits until they are released.
func (b *saleBench) hold(ctx context.Context, body, key string) (func() error, error) {
	freed := make(chan error, 1)
	go func() {
		_, _, err := b.ask(ctx, http.MethodPost, "/bench/hold", json.RawMessage(body), "X-Idempotency-Key", key)
		freed <- err
	}()
	// The rejection proves that the lock is held.
	for {
		if _, _, err := b.ask(ctx, http.MethodPost, "/bench/locked", nil); err != nil {
			return func() error { return <-freed }, nil
		}
		select {
		case err := <-freed:
			return nil, fmt.Errorf("the lock was not held: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// drain lets the consumer make an order of each ticket, and compares the result with the
// accepted purchases.
func (b *saleBench) drain(ctx context.Context) error {
	if err := b.setRate(ctx, nil); err != nil {
		return err
	}
	for {
		stats, _, err := b.ask(ctx, http.MethodGet, fmt.Sprintf("/flash-sales/%d/stats", b.sale), nil)
		if err != nil {
			return err
		}
		if stats["queued"] == 0.0 && stats["processing"] == 0.0 {
			return b.check(ctx, stats)
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// check compares accepted and sold units, in the gate and in SQL. Requests that wrk
// interrupted may have been accepted too; the service counts them separately.
func (b *saleBench) check(ctx context.Context, stats map[string]any) error {
	replies, err := b.replies(ctx, http.MethodPost, "/flash-sales/:id/orders")
	if err != nil {
		return err
	}
	confirmed, _ := stats["confirmed"].(float64)
	sold, accepted := int64(confirmed), replies["202"]-1 // one belongs to the sold-out sale
	if stats["balanced"] != true || sold < accepted || sold > accepted+replies[gone] {
		return fmt.Errorf("%d accepted and %d unknown do not fit the sale's %v", accepted, replies[gone], stats)
	}
	if err := b.checkRaw(ctx); err != nil {
		return err
	}
	of := func(what string) string { return fmt.Sprintf(what, b.sale) }
	return b.engine.holds(ctx, []expectation{
		{"orders", of("SELECT COUNT(*) FROM orders WHERE sale_id = %d"), sold},
		{"tickets with an order", of("SELECT COUNT(DISTINCT ticket) FROM orders WHERE sale_id = %d"), sold},
		{"customers with an order", of("SELECT COUNT(DISTINCT user_id) FROM orders WHERE sale_id = %d"), sold},
		{"order lines", of("SELECT SUM(l.quantity) FROM order_lines l JOIN orders o ON o.id = l.order_id WHERE o.sale_id = %d"), sold},
		{"units counted as sold", of("SELECT sold FROM flash_sale_stocks WHERE sale_id = %d"), sold},
	})
}

// checkRaw compares the rows written by the bare statements with their counts.
func (b *saleBench) checkRaw(ctx context.Context) error {
	var written int64
	for _, subject := range b.raw {
		written += subject.done
	}
	of := func(what string) string { return fmt.Sprintf(what, b.rawSale) }
	return b.engine.holds(ctx, []expectation{
		{"orders by bare statements", of("SELECT COUNT(*) FROM orders WHERE sale_id = %d"), written},
		{"units counted by bare statements", of("SELECT SUM(sold) FROM flash_sale_stocks WHERE sale_id = %d"), written},
	})
}

// setRate limits the orders per second of the consumer; nil means no limit.
func (b *saleBench) setRate(ctx context.Context, rate any) error {
	_, etag, err := b.ask(ctx, http.MethodPatch, fmt.Sprintf("/flash-sales/%d", b.sale), map[string]any{"rate": rate}, "If-Match", b.etag)
	if err == nil {
		b.etag = etag
	}
	return err
}
