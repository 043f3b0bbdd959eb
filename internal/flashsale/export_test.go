package flashsale

import (
	"context"
	"slices"

	"interlock/internal/base/principal"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
)

// What the tests of this package see of its inside.
const SoldOutLife = soldOutLife

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

// Supervises reports whether a worker looks after a sale.
func (s *Service) Supervises(ctx context.Context, sale int64) bool {
	sales, err := s.actives(ctx)
	return err == nil && slices.ContainsFunc(sales, func(a active) bool { return a.sale.ID == sale })
}
