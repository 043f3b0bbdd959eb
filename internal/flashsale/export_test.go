package flashsale

import (
	"context"
	"slices"

	"interlock/internal/base/principal"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
)

// What the tests of this package see of its inside.
const (
	SoldOutLife             = soldOutLife
	BuyersLife              = buyersLife
	LookUpsBeforeReadingAll = lookUpsBeforeReadingAll
)

// Handler is what handles the queue of a sale.
func (s *Service) Handler(id int64) mq.Handler { return s.handler(id) }

// FlushArrivals is one round of CountArrivals.
func (s *Service) FlushArrivals(ctx context.Context) { s.flushArrivals(ctx) }

// CountSoldOut counts a customer who was told that the sale is sold out.
func (s *Service) CountSoldOut(sale int64) { s.countArrival(1, sale, gate.SoldOut) }

// Round is the first round of a worker, without its consumers.
func (s *Service) Round(ctx context.Context) error { return s.Rounds()(ctx) }

// Rounds returns the rounds of a worker, without its consumers.
func (s *Service) Rounds() func(ctx context.Context) error {
	w, c := &worker{Service: s}, &consuming{}
	return func(ctx context.Context) error {
		sales, err := s.actives(ctx)
		if err != nil {
			return err
		}
		// The tests of a package share a database and have stores of gates of their own.
		p, _ := principal.From(ctx)
		for i := range sales {
			if sales[i].sale.TenantID != p.TenantID {
				continue
			}
			if _, err := w.supervise(asProgramOf(ctx, sales[i].sale.TenantID), &sales[i], c); err != nil {
				return err
			}
		}
		return nil
	}
}

// Process is a process with a worker, whose rounds a test begins. It hears the others until its
// context ends.
type Process struct {
	*worker

	Sales *Service
}

// Process returns a process with a worker that has done nothing yet. Close ends it.
func (s *Service) Process(ctx context.Context) *Process {
	p := &Process{worker: &worker{Service: s, running: make(map[int64]*consuming)}, Sales: s}
	// Whoever speaks next is heard, however late the goroutine begins.
	news, err := s.bus.Subscribe(ctx, Topic, workerTopic)
	if err != nil {
		panic(err)
	}
	go s.listenTo(ctx, news)
	return p
}

// Round is one round of the worker over the sales of a tenant.
func (p *Process) Round(ctx context.Context) error {
	sales, err := p.actives(ctx)
	if err != nil {
		return err
	}
	// See Rounds.
	caller, _ := principal.From(ctx)
	sales = slices.DeleteFunc(sales, func(a active) bool { return a.sale.TenantID != caller.TenantID })
	return p.superviseEach(ctx, sales)
}

// Alone is Round of a process that has heard of no other.
func (p *Process) Alone(ctx context.Context) error {
	p.peers.mu.Lock()
	clear(p.peers.peers)
	p.peers.mu.Unlock()
	return p.Round(ctx)
}

// WorksOn reports whether the process consumes the queue of a sale.
func (p *Process) WorksOn(sale int64) bool { return p.running[sale] != nil }

// Hears reports whether the process has heard that another works on a sale.
func (p *Process) Hears(sale int64) bool {
	p.peers.mu.Lock()
	defer p.peers.mu.Unlock()
	other, ok := p.peers.peers[sale]
	return ok && other.isAlive(p.clock.Now())
}

// Told is where the sales come of which another process enqueued something.
func (p *Process) Told() <-chan int64 { return p.peers.queued }

// Close ends the process in good order.
func (p *Process) Close(ctx context.Context) {
	p.stopAll(ctx)
	clear(p.running)
}

// Supervises reports whether a worker looks after a sale.
func (s *Service) Supervises(ctx context.Context, sale int64) bool {
	sales, err := s.actives(ctx)
	return err == nil && slices.ContainsFunc(sales, func(a active) bool { return a.sale.ID == sale })
}
