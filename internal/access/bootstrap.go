package access

import (
	"context"
	"errors"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
)

// Bootstrap creates the tenant "default" with the user "admin" on the first start.
// Without a password it makes one and returns it; nobody can get it again. On a
// later start, and in all but one of several replicas that start at once, it does
// nothing and returns "".
func (s *Service) Bootstrap(ctx context.Context, adminPassword string) (generated string, err error) {
	_, err = s.store.tenantByName(ctx, DefaultTenant)
	if err == nil || !apperr.Has(err, apperr.NotFound) {
		return "", err
	}
	if adminPassword == "" {
		generated = newSecret()
		adminPassword = generated
	}
	_, err = s.CreateTenant(ctx, DefaultTenant, adminPassword)
	switch {
	case apperr.Has(err, apperr.AlreadyExists):
		return "", nil
	case err != nil:
		return "", err
	}
	return generated, nil
}

// Sweep deletes expired sessions and attempts that no longer count, until none is left.
// Nothing depends on when it runs.
func (s *Service) Sweep(ctx context.Context, batch int) error {
	now := s.clock.Now()
	return errors.Join(
		s.store.db.Sweep(ctx, storage.Sweep{Table: "sessions", Column: "expires_time", Until: now}, batch),
		s.store.db.Sweep(ctx, storage.Sweep{Table: "sign_in_attempts", Column: "created_time", Until: now.Add(-attemptWindow)}, batch),
	)
}
