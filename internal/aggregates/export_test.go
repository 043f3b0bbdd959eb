package aggregates

import (
	"context"

	"interlock/internal/core/uow"
)

// AppendUnlooked is Append as it must not be: it does not ask whether an event has landed.
func (s *Service) AppendUnlooked(ctx context.Context, u *uow.Unit, w Write) error {
	rows, err := w.rows()
	if err != nil {
		return err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	aggregate, err := find(forUpdate(tx), w.Name)
	if err != nil {
		return err
	}
	u.Audit(uow.Entry{Action: "aggregate.append", Resource: resource(w.Name)})
	if err := advance(ctx, u, aggregate, int64(len(rows))); err != nil {
		return err
	}
	return insertEvents(ctx, u, aggregate, rows)
}
