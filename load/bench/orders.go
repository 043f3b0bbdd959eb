package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// batch is the number of orders in one transaction of the product's consumer.
	batch = 100
	// consumers is the number of concurrent batches of a sale. The inventory lock of the
	// item admits one of them at a time into its transaction.
	consumers = 2
	// queuedAhead is the number of tickets, per second of the period, that must be queued
	// before the consumer is measured.
	queuedAhead = 15_000
)

// orders compares the consumer with a loop of its statements, with many orders per
// transaction and with one, and with two concurrent loops, which the inventory lock rules
// out for the consumer. The bare statements write for a sale that is only planned, so that
// the product ignores it.
func (b *saleBench) orders(ctx context.Context) (*comparison, error) {
	id, _, err := b.planDraft(ctx, lot)
	if err != nil {
		return nil, err
	}
	writers, err := newLotWriters(ctx, b.engine, b.over, id)
	if err != nil {
		return nil, err
	}
	many := func(ctx context.Context, worker int) error { return writers[worker].commit(ctx, batch) }
	one := func(ctx context.Context, worker int) error { return writers[worker].commit(ctx, 1) }

	q := &subject{name: "Q  orders by the consumer", run: b.consume}
	x := stepping("X  raw transactions of 100 orders", 1, b.options.period, batch, many)
	y := stepping("Y  raw transactions of one order", 1, b.options.period, 1, one)
	z := stepping("Z  X, twice at once and without a lock", consumers, b.options.period, batch, many)
	b.rawSale, b.raw = id, []*subject{x, y, z}
	return &comparison{
		title: "orders of a flash sale", subjects: []*subject{q, x, y, z}, processes: b.processes,
		ratios: []ratio{{"Q/X", q, x, 0.9}, {"Q/Y", q, y, 6}, {"Q/Z", q, z, 0}},
	}, nil
}

// consume wakes the consumer, counts the units sold in SQL over a period, and pauses the
// consumer.
func (b *saleBench) consume(ctx context.Context, processes []process) (taken sample, err error) {
	if err := b.fill(ctx); err != nil {
		return sample{}, fmt.Errorf("fill the queue: %w", err)
	}
	before, err := b.sold(ctx)
	if err == nil {
		err = b.setRate(ctx, nil)
	}
	if err != nil {
		return sample{}, err
	}
	if err := b.awaitSold(ctx, func(sold int64) bool { return sold >= before+5*batch }); err != nil {
		return sample{}, err
	}
	profileErr := b.profiled(ctx, b.options.profile, "Q", b.options.period, func() {
		taken, err = timed(processes, func() (int64, time.Duration, error) { return b.watch(ctx) })
	})
	if err == nil {
		err = profileErr
	}
	if err != nil {
		return sample{}, err
	}
	if queued, err := b.queued(ctx); err != nil || queued == 0 {
		return sample{}, fmt.Errorf("the queue ran empty (%w)", err)
	}
	if err := b.setRate(ctx, 1); err != nil {
		return sample{}, err
	}
	last := int64(-10)
	return taken, b.awaitSold(ctx, func(sold int64) bool {
		resting := sold-last < 2
		last = sold
		return resting
	})
}

// watch returns the number of orders made in a period.
func (b *saleBench) watch(ctx context.Context) (int64, time.Duration, error) {
	start := time.Now()
	before, err := b.sold(ctx)
	if err != nil {
		return 0, 0, err
	}
	if err := pause(ctx, b.options.period); err != nil {
		return 0, 0, err
	}
	after, err := b.sold(ctx)
	return after - before, time.Since(start), err
}

func (b *saleBench) sold(ctx context.Context) (int64, error) {
	return b.engine.count(ctx, "SELECT sold FROM flash_sale_stocks WHERE sale_id = ?", b.sale)
}

func (b *saleBench) awaitSold(ctx context.Context, enough func(sold int64) bool) error {
	for {
		sold, err := b.sold(ctx)
		if err != nil || enough(sold) {
			return err
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// fill makes purchases until enough tickets are queued.
func (b *saleBench) fill(ctx context.Context) error {
	buy := b.purchases(b.sale, "202")
	for {
		queued, err := b.queued(ctx)
		if err != nil || queued > queuedAhead*b.options.period.Seconds() {
			return err
		}
		tokens, err := buy.load(b.options.period)
		if err != nil {
			return err
		}
		if _, _, err := buy.fire(ctx, b.options.workers, b.options.period, tokens); err != nil {
			return err
		}
	}
}

func (b *saleBench) queued(ctx context.Context) (float64, error) {
	stats, _, err := b.ask(ctx, http.MethodGet, fmt.Sprintf("/flash-sales/%d/stats", b.sale), nil)
	queued, _ := stats["queued"].(float64)
	return queued, err
}

// lotWriter runs only the statements of one transaction of the consumer, with rows like
// those that the product wrote for one order.
type lotWriter struct {
	connection                  *sql.Conn
	order, line, history, audit row
	tenant, sale, stock         int64
	user                        int64
}

const rawSKU = "BENCH-RAW"

// newLotWriters copies the patterns from the only order of the sold-out sale.
func newLotWriters(ctx context.Context, e *engine, pattern, sale int64) ([]*lotWriter, error) {
	for {
		n, err := e.count(ctx, "SELECT COUNT(*) FROM orders WHERE sale_id = ?", pattern)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			break
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
	tenant, stock, err := addRawStock(ctx, e, sale)
	if err != nil {
		return nil, fmt.Errorf("add the units of the bare statements: %w", err)
	}
	server, err := e.asTheProduct()
	if err != nil {
		return nil, err
	}
	var writers []*lotWriter
	for i := range consumers {
		w := &lotWriter{tenant: tenant, sale: sale, stock: stock, user: int64(i+1) * 1e9}
		if err := w.open(ctx, e, server, pattern); err != nil {
			return nil, err
		}
		writers = append(writers, w)
	}
	return writers, nil
}

func (w *lotWriter) open(ctx context.Context, e *engine, server *sql.DB, pattern int64) (err error) {
	if w.connection, err = server.Conn(ctx); err != nil {
		return err
	}
	order, err := e.count(ctx, "SELECT id FROM orders WHERE sale_id = ?", pattern)
	if err != nil {
		return err
	}
	for _, taken := range []struct {
		into         *row
		table, where string
	}{
		{&w.order, "orders", fmt.Sprintf("id = %d", order)},
		{&w.line, "order_lines", fmt.Sprintf("order_id = %d", order)},
		{&w.history, "order_histories", fmt.Sprintf("order_id = %d", order)},
		{&w.audit, "audit_entries", "action = 'flash_sale.confirm'"},
	} {
		if *taken.into, err = e.newest(ctx, taken.table, taken.where); err != nil {
			return err
		}
	}
	return w.order.set("sale_id", w.sale)
}

// addRawStock gives the planned sale its units, and a holder its reserved stock, of an item
// that is sold nowhere else.
func addRawStock(ctx context.Context, e *engine, sale int64) (tenant, id int64, err error) {
	units, err := e.newest(ctx, "flash_sale_stocks", "TRUE")
	if err != nil {
		return 0, 0, err
	}
	for column, cell := range map[string]any{"sale_id": sale, "allotted": lot, "sold": 0} {
		if err := units.set(column, cell); err != nil {
			return 0, 0, err
		}
	}
	if _, err := e.ExecContext(ctx, units.insert(1), units.cells...); err != nil {
		return 0, 0, err
	}
	err = e.QueryRowContext(ctx, "SELECT tenant_id, id FROM flash_sale_stocks WHERE sale_id = ?", sale).Scan(&tenant, &id)
	if err != nil {
		return 0, 0, err
	}
	_, err = e.ExecContext(ctx, "INSERT INTO inventory_holds (tenant_id, holder, sku, quantity) VALUES (?, 'bench', ?, ?)", tenant, rawSKU, lot)
	return tenant, id, err
}

// commit is one transaction with n orders.
func (w *lotWriter) commit(ctx context.Context, n int) error {
	tx, err := w.connection.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // no effect after COMMIT
	tickets, err := w.insertOrders(ctx, tx, n)
	if err != nil {
		return fmt.Errorf("insert orders: %w", err)
	}
	ids, err := w.ids(ctx, tx, tickets)
	if err != nil {
		return fmt.Errorf("read orders: %w", err)
	}
	if err := w.insertRest(ctx, tx, ids); err != nil {
		return err
	}
	if err := w.move(ctx, tx, n); err != nil {
		return err
	}
	return tx.Commit()
}

func (w *lotWriter) insertOrders(ctx context.Context, tx *sql.Tx, n int) (tickets []any, err error) {
	var cells []any
	for range n {
		w.user++
		ticket := randomHex(16)
		tickets = append(tickets, ticket)
		for column, cell := range map[string]any{"ticket": ticket, "order_no": "B" + ticket[:20], "user_id": w.user} {
			if err := w.order.set(column, cell); err != nil {
				return nil, err
			}
		}
		cells = append(cells, w.order.cells...)
	}
	_, err = tx.ExecContext(ctx, w.order.insert(n), cells...)
	return tickets, err
}

func (w *lotWriter) ids(ctx context.Context, tx *sql.Tx, tickets []any) ([]int64, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id FROM orders WHERE tenant_id = ? AND ticket IN ("+places(len(tickets))+")",
		append([]any{w.tenant}, tickets...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if len(ids) != len(tickets) {
		return nil, fmt.Errorf("%d of %d are there", len(ids), len(tickets))
	}
	return ids, rows.Err()
}

// insertRest inserts the other rows of the orders: lines, histories, holds, and one audit
// row.
func (w *lotWriter) insertRest(ctx context.Context, tx *sql.Tx, orders []int64) error {
	var lines, histories, holds []any
	for _, id := range orders {
		if err := w.line.set("order_id", id); err != nil {
			return err
		}
		if err := w.history.set("order_id", id); err != nil {
			return err
		}
		lines = append(lines, w.line.cells...)
		histories = append(histories, w.history.cells...)
		holds = append(holds, w.tenant, fmt.Sprintf("orders/%d", id), rawSKU, 1)
	}
	if err := w.audit.set("unit_id", newUnitID()); err != nil {
		return err
	}
	held := row{table: "inventory_holds", columns: []string{"tenant_id", "holder", "sku", "quantity"}}
	for _, insert := range []struct {
		statement string
		cells     []any
	}{
		{w.line.insert(len(orders)), lines},
		{w.history.insert(len(orders)), histories},
		{held.insert(len(orders)), holds},
		{w.audit.insert(1), w.audit.cells},
	} {
		if _, err := tx.ExecContext(ctx, insert.statement, insert.cells...); err != nil {
			return fmt.Errorf("%.30s: %w", insert.statement, err)
		}
	}
	return nil
}

// move counts units as sold and subtracts them from their holder, both guarded.
func (w *lotWriter) move(ctx context.Context, tx *sql.Tx, n int) error {
	for _, guarded := range []struct {
		statement string
		cells     []any
	}{
		{"UPDATE flash_sale_stocks SET sold = sold + ?, version = version + 1, updated_time = ?, updated_by = ?, updated_by_name = ?" +
			" WHERE tenant_id = ? AND id = ? AND (sold + ? <= allotted)", []any{n, time.Now().UTC(), 0, "flash sale", w.tenant, w.stock, n}},
		{"UPDATE inventory_holds SET quantity = quantity - ? WHERE tenant_id = ? AND holder = 'bench' AND sku = ? AND quantity >= ?",
			[]any{n, w.tenant, rawSKU, n}},
	} {
		result, err := tx.ExecContext(ctx, guarded.statement, guarded.cells...)
		if err != nil {
			return fmt.Errorf("%.30s: %w", guarded.statement, err)
		}
		if changed, err := result.RowsAffected(); err != nil || changed != 1 {
			return fmt.Errorf("%.30s changed %d rows (%w)", guarded.statement, changed, err)
		}
	}
	return nil
}

// asTheProduct opens connections like the product's: interpolated statements, in one round
// trip, under READ COMMITTED.
func (e *engine) asTheProduct() (*sql.DB, error) {
	config, err := mysql.ParseDSN(e.dsn(e.name))
	if err != nil {
		return nil, err
	}
	config.InterpolateParams = true
	config.Params = map[string]string{"tx_isolation": "'READ-COMMITTED'"}
	return sql.Open("mysql", config.FormatDSN())
}
