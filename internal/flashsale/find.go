package flashsale

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/storage"
)

// askedGates bounds how many sales are asked for a ticket.
const askedGates = 20

// ByName returns at most limit sales whose name begins with a text.
func (s *Service) ByName(ctx context.Context, text string, limit int) ([]Sale, error) {
	sales, err := storage.ByPrefix[Sale](s.db.Read(ctx), "name", storage.Spellings(text), limit)
	if err != nil {
		return nil, fmt.Errorf("find flash sales by name: %w", err)
	}
	return sales, nil
}

// Waiting returns a ticket that is no order, or not yet, and its sale, from the gates of
// the caller's latest sales that are open or paused; nil when none of them knows it.
// Tickets are found whole only, and those of a gate that cannot be reached not at all.
func (s *Service) Waiting(ctx context.Context, ticket string) (*Ticket, *Sale, error) {
	if !isTicket(ticket) {
		return nil, nil, nil
	}
	var sales []Sale
	err := s.db.Read(ctx).Where("status IN ?", []int{open.Code, paused.Code}).Order("id DESC").Limit(askedGates).Find(&sales).Error
	if err != nil {
		return nil, nil, fmt.Errorf("look for sales that may know a ticket: %w", err)
	}
	for i := range sales {
		snap, err := s.snapshotOf(ctx, sales[i].ID)
		if err != nil {
			return nil, nil, err
		}
		if snap.stock == nil {
			continue
		}
		found, err := s.gate.Ticket(ctx, sales[i].ID, snap.stock.Epoch, ticket)
		if errors.Is(err, ErrNoGate) {
			continue
		}
		if err != nil {
			return nil, nil, nil //nolint:nilerr // the rest of a search is worth having without the gate
		}
		if found != nil {
			return found, &sales[i], nil
		}
	}
	return nil, nil, nil
}
