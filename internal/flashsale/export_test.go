package flashsale

import (
	"context"

	"interlock/internal/mq"
)

// What the tests of this package see of its inside.
const SoldOutLife = soldOutLife

// Handler is what handles the queue of a sale.
func (s *Service) Handler(id int64) mq.Handler { return s.handler(id) }

// Look is one round of a worker, without its consumers.
func (s *Service) Look(ctx context.Context) error {
	sales, err := s.actives(ctx)
	if err != nil {
		return err
	}
	w := &worker{Service: s}
	for i := range sales {
		if _, err := w.lookAfter(actor(ctx, sales[i].sale.TenantID), &sales[i], &consuming{}); err != nil {
			return err
		}
	}
	return nil
}
