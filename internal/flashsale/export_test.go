package flashsale

import (
	"context"
	"slices"

	"interlock/internal/base/principal"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
)

// Internals for the tests of this package.
const (
	SoldOutTTL              = soldOutTTL
	BuyersTTL               = buyersTTL
	LookUpsBeforeReadingAll = lookUpsBeforeReadingAll
)

// Handler returns the handler of a sale's queue.
func (s *Service) Handler(id int64) mq.Handler { return s.handler(id) }

// FlushAttempts is one run of Attempts without saving.
func (s *Service) FlushAttempts(ctx context.Context) { s.flushAttempts(ctx) }

// CountSoldOut counts a purchase that was rejected as sold out.
func (s *Service) CountSoldOut(sale int64) { s.countAttempt(1, sale, gate.SoldOut) }

// Round runs the first round of a worker, without its consumers.
func (s *Service) Round(ctx context.Context) error { return s.Rounds()(ctx) }

// Rounds returns the rounds of a worker, without its consumers.
func (s *Service) Rounds() func(ctx context.Context) error {
	w, c := &worker{Service: s}, &consuming{}
	return func(ctx context.Context) error {
		sales, err := s.actives(ctx)
		if err != nil {
			return err
		}
		// The tests of a package share a database and have separate stores of gates.
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

// Process is a process with a worker; a test starts its rounds. It receives messages of
// other processes until its context ends.
type Process struct {
	*worker

	Sales *Service
}

// Process returns a process with a worker that has done nothing yet. Close ends it.
func (s *Service) Process(ctx context.Context) *Process {
	p := &Process{worker: &worker{Service: s, running: make(map[int64]*consuming)}, Sales: s}
	// Subscribe before the goroutine starts, so that no message is missed.
	news, err := s.bus.Subscribe(ctx, Topic, workerTopic)
	if err != nil {
		panic(err)
	}
	go func() {
		for delivery := range news.Deliveries() {
			s.handleAnnouncement(delivery)
		}
	}()
	go func() { _ = s.sendHints(ctx) }()
	return p
}

// Round runs one round of the worker over the sales of a tenant.
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

// Alone is Round in a process without knowledge of other processes.
func (p *Process) Alone(ctx context.Context) error {
	p.peers.mu.Lock()
	clear(p.peers.peers)
	p.peers.mu.Unlock()
	return p.Round(ctx)
}

// WorksOn reports whether the process consumes the queue of a sale.
func (p *Process) WorksOn(sale int64) bool { return p.running[sale] != nil }

// HasPeer reports whether the process has received heartbeats of another worker of a sale.
func (p *Process) HasPeer(sale int64) bool {
	p.peers.mu.Lock()
	defer p.peers.mu.Unlock()
	other, ok := p.peers.peers[sale]
	return ok && other.isAlive(p.clock.Now())
}

// QueuedSales receives sales for which another process enqueued a ticket.
func (p *Process) QueuedSales() <-chan int64 { return p.peers.queued }

// Close shuts the process down cleanly.
func (p *Process) Close(ctx context.Context) {
	p.stopAll(ctx)
	clear(p.running)
}

// Supervises reports whether workers supervise a sale.
func (s *Service) Supervises(ctx context.Context, sale int64) bool {
	sales, err := s.actives(ctx)
	return err == nil && slices.ContainsFunc(sales, func(a active) bool { return a.sale.ID == sale })
}
