package flashsale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"interlock/internal/guard"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/storage"
	"interlock/internal/uow"
)

const (
	// lookEvery is how often a worker looks at the sales.
	lookEvery = time.Second
	// repairEvery is how often a sale's tickets are compared with its orders.
	repairEvery = 30 * time.Second
	// consumerLease is how long the tickets of a consumer that died wait.
	consumerLease    = 5 * time.Second
	consumerBatch    = 100
	consumersPerSale = 2
)

// Listen forgets what this process knows of sales that others change, until ctx ends.
// Every process that takes purchases runs it; without it a change is noticed some
// seconds later.
func (s *Service) Listen(ctx context.Context) error {
	news, err := s.bus.Subscribe(ctx, Topic)
	if err != nil {
		return fmt.Errorf("listen for changes of flash sales: %w", err)
	}
	defer news.Close()
	for delivery := range news.Deliveries() {
		if delivery.Lagged {
			s.snapshots.Clear()
			s.exhausted.Clear()
			continue
		}
		id, err := strconv.ParseInt(delivery.Event.Key, 10, 64)
		if err != nil {
			continue
		}
		var what struct{ Action string }
		if json.Unmarshal(delivery.Event.Payload, &what) == nil && what.Action == statsAction {
			continue
		}
		s.forget(id)
	}
	return nil
}

// Work consumes the queues of all sales and looks after them until ctx ends. It may run
// in any number of processes.
func (s *Service) Work(ctx context.Context) {
	w := &worker{Service: s, running: make(map[int64]*consuming)}
	defer w.stopAll()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		if err := w.round(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "flash sales could not be looked after and will be again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-s.nudge:
		}
	}
}

type worker struct {
	*Service
	running map[int64]*consuming
}

// consuming is the consumer of one sale.
type consuming struct {
	consumer *mq.Consumer
	stop     context.CancelFunc
	done     sync.WaitGroup
	repaired time.Time
	told     Stats
	toldAt   time.Time
}

type active struct {
	sale  Sale
	stock Stock
}

// round looks at each active sale once.
func (w *worker) round(ctx context.Context) error {
	sales, err := w.actives(ctx)
	if err != nil {
		return err
	}
	seen := make(map[int64]bool, len(sales))
	var failures []error
	var dead int64
	for i := range sales {
		a := &sales[i]
		seen[a.sale.ID] = true
		ctx := actor(ctx, a.sale.TenantID)
		c := w.consume(ctx, &a.sale)
		stats, err := w.lookAfter(ctx, a, c)
		dead += stats.Dead
		if err != nil && !errors.Is(err, lock.ErrNotAcquired) {
			failures = append(failures, fmt.Errorf("sale %d: %w", a.sale.ID, err))
		}
	}
	w.metrics.dead.Set(float64(dead))
	for id, c := range w.running {
		if !seen[id] {
			c.end()
			delete(w.running, id)
			w.metrics.balanced.DeleteLabelValues(strconv.FormatInt(id, 10))
		}
	}
	return errors.Join(failures...)
}

// actives returns the sales of all tenants that are not over:
//
//	SELECT * FROM flash_sales WHERE status IN (open, paused)
//	    OR status = closed AND EXISTS (SELECT 1 FROM flash_sale_stocks … WHERE allotted > sold)
func (s *Service) actives(ctx context.Context) ([]active, error) {
	ctx = storage.AcrossTenants(ctx)
	var sales []Sale
	err := s.db.Read(ctx).Where("status IN ? OR (status = ? AND EXISTS (SELECT 1 FROM flash_sale_stocks k"+
		" WHERE k.tenant_id = flash_sales.tenant_id AND k.sale_id = flash_sales.id AND k.allotted > k.sold))",
		[]int{open.Code, paused.Code}, closed.Code).Order("id").Find(&sales).Error
	if err != nil {
		return nil, fmt.Errorf("look for active sales: %w", err)
	}
	if len(sales) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(sales))
	for i, sale := range sales {
		ids[i] = sale.ID
	}
	var stocks []Stock
	if err := s.db.Read(ctx).Where("sale_id IN ?", ids).Find(&stocks).Error; err != nil {
		return nil, fmt.Errorf("read the units of active sales: %w", err)
	}
	bySale := make(map[int64]Stock, len(stocks))
	for _, stock := range stocks {
		bySale[stock.SaleID] = stock
	}
	found := make([]active, len(sales))
	for i, sale := range sales {
		found[i] = active{sale, bySale[sale.ID]}
	}
	return found, nil
}

// consume runs the consumer of a sale, at its present rate.
func (w *worker) consume(ctx context.Context, sale *Sale) *consuming {
	rate := 0.0
	if sale.Rate != nil {
		rate = float64(*sale.Rate)
	}
	if c := w.running[sale.ID]; c != nil {
		c.consumer.SetRate(rate)
		return c
	}
	consumer := mq.NewConsumer(w.queues.Queue(QueueName(sale.ID)), w.handler(sale.ID), mq.ConsumerOptions{
		Batch: consumerBatch, Concurrency: consumersPerSale, Rate: rate, Lease: consumerLease, MaxAttempts: maxAttempts, Logger: slog.Default(),
	})
	ctx, stop := context.WithCancel(ctx)
	c := &consuming{consumer: consumer, stop: stop}
	c.done.Go(func() { consumer.Run(ctx) })
	w.running[sale.ID] = c
	return c
}

func (c *consuming) end() {
	c.stop()
	c.done.Wait()
}

func (w *worker) stopAll() {
	for _, c := range w.running {
		c.stop()
	}
	for _, c := range w.running {
		c.done.Wait()
	}
}

// lookAfter builds a gate that is missing, tells it of changes that it has not heard of,
// closes a sale whose time is over, releases what is unsold of a closed one, and reports.
func (w *worker) lookAfter(ctx context.Context, a *active, c *consuming) (Stats, error) {
	if _, err := w.rebuild(ctx, &a.sale, lockPatience); err != nil {
		return Stats{}, err
	}
	counts, err := w.gate.Counts(ctx, a.sale.ID)
	if err != nil {
		return Stats{}, err
	}
	if counts.Version < a.sale.Version {
		// A pause that the gate has not heard of is not to wait for the next repair.
		if err := w.gate.Apply(ctx, rulesOf(&a.sale, &a.stock)); err != nil {
			return Stats{}, err
		}
	}
	if w.isDueForRepair(counts, a, c) {
		c.repaired = w.clock.Now()
		if _, err := w.Reconcile(ctx, a.sale.ID, lockPatience); err != nil {
			return Stats{}, err
		}
	}
	if a.sale.Status != closed.Code && !a.sale.EndsTime.After(w.clock.Now()) {
		return Stats{}, w.closeOver(ctx, a.sale.ID)
	}
	if _, err := w.release(ctx, &a.sale, lockPatience); err != nil {
		return Stats{}, err
	}
	if counts, err = w.gate.Counts(ctx, a.sale.ID); err != nil {
		return Stats{}, err
	}
	stats, err := w.statsOf(ctx, a.sale.ID, counts)
	if err != nil {
		return stats, err
	}
	w.report(ctx, a, c, stats)
	return stats, nil
}

// isDueForRepair reports whether a sale is to be compared with SQL: now and then, and
// when it is out of balance or SQL counts otherwise and no batch is under way that
// would explain it.
func (w *worker) isDueForRepair(counts Counts, a *active, c *consuming) bool {
	waited := w.clock.Now().Sub(c.repaired)
	atRest := counts.Queued == 0 && counts.Processing == 0
	if counts.Allotted != a.stock.Allotted || !counts.Balanced() || atRest && counts.Confirmed != a.stock.Sold {
		return waited > 2*lookEvery
	}
	return waited > repairEvery
}

// report announces a sale's numbers when they have changed, and now and then when not,
// and says when they do not add up.
func (w *worker) report(ctx context.Context, a *active, c *consuming, stats Stats) {
	balanced := 0.0
	if stats.Balanced {
		balanced = 1
	} else {
		slog.ErrorContext(ctx, "a flash sale does not add up", "sale", a.sale.ID, "stats", stats)
	}
	w.metrics.balanced.WithLabelValues(strconv.FormatInt(a.sale.ID, 10)).Set(balanced)
	const tellEvery, tellAnyway = 900 * time.Millisecond, 10 * time.Second
	waited := w.clock.Now().Sub(c.toldAt)
	if waited < tellEvery || stats == c.told && waited < tellAnyway {
		return
	}
	c.told, c.toldAt = stats, w.clock.Now()
	w.publish(ctx, &a.sale, stats)
}

// closeOver closes a sale whose time is over.
func (w *worker) closeOver(ctx context.Context, id int64) error {
	return w.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		sale, err := w.Sale(ctx, id)
		if err != nil || sale.Status == closed.Code {
			return err
		}
		_, err = w.Take(ctx, u, sale, "close", nil)
		if errors.Is(err, guard.ErrStale) {
			return nil
		}
		return err
	})
}
