package flashsale

import (
	"context"

	"interlock/internal/mq"
)

// What the tests of this package see of its inside.
const SoldOutLife = soldOutLife

// Handler is what handles the queue of a sale.
func (s *Service) Handler(id int64) mq.Handler { return s.handler(id) }

// Look is the first round of a worker, without its consumers.
func (s *Service) Look(ctx context.Context) error { return s.Looking()(ctx) }

// Looking returns the rounds of a worker, without its consumers.
func (s *Service) Looking() func(ctx context.Context) error {
	w, c := &worker{Service: s}, &consuming{}
	return func(ctx context.Context) error {
		sales, err := s.actives(ctx)
		if err != nil {
			return err
		}
		for i := range sales {
			if _, err := w.lookAfter(actor(ctx, sales[i].sale.TenantID), &sales[i], c); err != nil {
				return err
			}
		}
		return nil
	}
}

// Waiting is how many customers wait for the gate's next round trip.
func (g *RedisGate) Waiting(sale int64) int {
	c := g.crowdOf(sale)
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}
