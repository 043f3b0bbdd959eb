package access

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/ratelimit"
)

// stepUpFor is how long a second factor counts as fresh after it was shown.
const stepUpFor = 5 * time.Minute

// StepUp is a second factor that is shown afresh in a session.
type StepUp struct {
	// Session is the session's token.
	Session string
	ShownFactor
	// Address is where the request came from.
	Address string
}

// StepUp takes a second factor afresh and renews the session: it goes on under another token
// with another CSRF token, and the old ones open nothing any more. It ends when it would have
// ended. The code is taken and the session renewed in one unit. A wrong code counts as a
// wrong password does. Errors: Unauthenticated, Forbidden without a session,
// ValidationFailed for a user without a second factor, InvalidCredentials, TooManyAttempts.
func (s *Service) StepUp(ctx context.Context, in StepUp) (token string, session Session, err error) {
	if caller, _ := principal.From(ctx); caller.Kind != principal.Admin {
		return "", Session{}, apperr.New(apperr.Forbidden, "A second factor is shown in a session; an API token is not asked for one.")
	}
	session, err = s.Current(ctx, in.Session)
	switch {
	case err != nil:
		return "", Session{}, err
	case !session.User.SecondFactor:
		return "", Session{}, invalid("/method", "none", "must be of a second factor that you have, and you have none")
	}
	session.CSRFToken = newSecret()
	at := guessed{account: accountKey(session.Tenant, session.User.Username), network: ratelimit.Network(in.Address)}
	err = s.attempts.countCode(ctx, at, func() (wrong bool, err error) {
		err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			wrong = false
			tx, err := u.Tx(ctx)
			if err != nil {
				return err
			}
			user, err := lockUser(tx, session.User.ID)
			if err != nil {
				return err
			}
			err = s.acceptFactor(tx, user, in.ShownFactor, u.Now())
			if wrong = apperr.Has(err, apperr.InvalidCredentials); err != nil {
				return err
			}
			if token, err = s.renew(ctx, u, in.Session, session.CSRFToken); err != nil {
				return err
			}
			u.Audit(uow.Entry{Action: "session.step-up", Resource: "session", Detail: map[string]any{"address": in.Address, "method": in.Method}})
			return s.attempts.forget(ctx, tx, at)
		})
		return wrong, err
	})
	if err != nil {
		return "", Session{}, err
	}
	return token, session, nil
}

// renew gives a session, whose user's row this unit has locked, another token and another
// CSRF token, and notes that a factor was shown. Errors: Unauthenticated when it has ended.
func (s *Service) renew(ctx context.Context, u *uow.Unit, old, csrf string) (token string, err error) {
	tx, err := s.raise(ctx, u)
	if err != nil {
		return "", err
	}
	row, err := s.sessionStore.byHash(tx, digestOf(old).String())
	if storage.IsNotFound(err) {
		return "", errNoSession()
	}
	if err != nil {
		return "", fmt.Errorf("read the session that is renewed: %w", err)
	}
	ctx = context.WithValue(inUnit(ctx, u), originKey{}, origin{row.Address, row.UserAgent, row.CreatedTime})
	if ctx, err = s.sessions.Load(ctx, old); err != nil {
		return "", fmt.Errorf("load the session that is renewed: %w", err)
	}
	ends := s.sessions.Deadline(ctx)
	if err := s.sessions.RenewToken(ctx); err != nil {
		return "", fmt.Errorf("renew the session: %w", err)
	}
	s.sessions.SetDeadline(ctx, ends)
	s.sessions.Put(ctx, sessionCSRF, csrf)
	s.sessions.Put(ctx, sessionFactorTime, u.Now().UnixMicro())
	if token, _, err = s.sessions.Commit(ctx); err != nil {
		return "", fmt.Errorf("save the session: %w", err)
	}
	return token, nil
}

// isFresh reports whether a caller may do what takes a second factor that was shown lately.
// Who has none is not asked for it, nor is an API token.
func (c *caller) isFresh(now time.Time) bool {
	return c.csrf == "" || !c.user.SecondFactor || now.Before(c.factorTime.Add(stepUpFor))
}
