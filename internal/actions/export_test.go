package actions

import (
	"context"

	"interlock/internal/core/uow"
)

// ReadBefore reads what the actor did last on a thing, as Apply does, and returns the rest
// of Apply for one that is paused after that.
func (s *Service) ReadBefore(ctx context.Context, u *uow.Unit, r Request, entity int64) (rest func(ctx context.Context, u *uow.Unit) error, err error) {
	row, err := s.lockLatest(ctx, u, r, entity)
	return func(ctx context.Context, u *uow.Unit) error {
		read := *row
		u.Audit(uow.Entry{Action: "action.test", Resource: "actions/test"})
		return advance(ctx, u, &read, r)
	}, err
}
