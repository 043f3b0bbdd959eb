package access

import (
	"context"
	"fmt"
	"maps"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/ratelimit"
)

const (
	// stepUpFor is how long a second factor counts as fresh after it was shown.
	stepUpFor = 5 * time.Minute
	// mostStepUps bounds how many challenges a session has at a time: its browser may ask in
	// several tabs, and older ones end.
	mostStepUps = 10
)

// inSession returns the session that a second factor is to be shown in. Errors: Unauthenticated;
// Forbidden for an API token; ValidationFailed at /method for a user who has no second factor.
func (s *Service) inSession(ctx context.Context, token string) (session Session, err error) {
	if caller, _ := principal.From(ctx); caller.Kind != principal.Admin {
		return Session{}, apperr.New(apperr.Forbidden, "Only a session can confirm a second factor; an API token is not asked for one.")
	}
	session, err = s.Current(ctx, token)
	if err == nil && !session.User.SecondFactor {
		err = invalid("/method", "none", "must be of a second factor that you have, and you have none")
	}
	return session, err
}

// BeginStepUp makes the challenge of a session that is to show a second factor afresh: which ones
// its user has, and what a passkey has to sign. It holds and changes nothing but its own row, which
// opens nothing by itself, so that it takes no unit; a crash leaves it to its end. Errors: those of
// StepUp for a session that has nothing to show.
func (s *Service) BeginStepUp(ctx context.Context, token string) (*Challenge, error) {
	session, err := s.inSession(ctx, token)
	if err != nil {
		return nil, err
	}
	made, db := &Challenge{Token: newSecret()}, s.store.db.Write(ctx)
	waiting := challengeRow{UserID: session.User.ID, SessionHash: digestOf(token).String()}
	if err := s.insertChallenge(db, made, waiting, s.clock.Now()); err != nil {
		return nil, err
	}
	var old []int64
	err = db.Model(&challengeRow{}).Where("user_id = ? AND session_hash = ?", waiting.UserID, waiting.SessionHash).
		Order("id DESC").Offset(mostStepUps).Limit(mostStepUps).Pluck("id", &old).Error
	if err == nil && len(old) > 0 {
		caller, _ := principal.From(ctx)
		err = db.Exec("DELETE FROM sign_in_challenges WHERE tenant_id = ? AND id IN ?", caller.TenantID, old).Error
	}
	if err != nil {
		return nil, fmt.Errorf("end old challenges: %w", err)
	}
	return made, nil
}

func errStepUpOver() error {
	return invalid("/challenge", "over", "has ended, was used already, or is of another session; ask for another one")
}

// stepUpChallenge finds the challenge of a session. Errors: errStepUpOver.
func stepUpChallenge(tx *gorm.DB, userID int64, session, token string, now time.Time) (row challengeRow, err error) {
	err = tx.Where("token_hash = ? AND session_hash = ? AND user_id = ? AND expires_time > ?",
		digestOf(token).String(), digestOf(session).String(), userID, now).Take(&row).Error
	switch {
	case storage.IsNotFound(err):
		return row, errStepUpOver()
	case err != nil:
		return row, fmt.Errorf("read the challenge: %w", err)
	}
	return row, nil
}

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
// ended. The code is taken, or the challenge that a passkey answers, and the session renewed in
// one unit. A wrong one counts as a wrong password does. Errors: Unauthenticated, Forbidden without
// a session, ValidationFailed for a user without a second factor and for a challenge that has
// ended, InvalidCredentials, TooManyAttempts.
func (s *Service) StepUp(ctx context.Context, in StepUp) (token string, session Session, err error) {
	if session, err = s.inSession(ctx, in.Session); err != nil {
		return "", Session{}, err
	}
	var user User
	session.CSRFToken = newSecret()
	at := guessed{account: accountKey(session.Tenant, session.User.Username), network: ratelimit.Network(in.Address)}
	err = s.attempts.countCode(ctx, at, func() (wrong bool, err error) {
		err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			wrong = false
			var tx *gorm.DB
			if tx, user, err = s.holdOpen(ctx, u, session.User.ID); err != nil {
				return err
			}
			detail := map[string]any{"address": in.Address, "method": in.Method}
			if in.Method == methodPasskey {
				waiting, err := stepUpChallenge(tx, user.ID, in.Session, in.Challenge, u.Now())
				if err != nil {
					return err
				}
				if err := waiting.redeem(tx, errStepUpOver()); err != nil {
					return err
				}
			}
			shown, err := s.acceptFactor(tx, user, in.ShownFactor, u.Now())
			if wrong = apperr.Has(err, apperr.InvalidCredentials); err != nil {
				return err
			}
			if token, err = s.renew(ctx, u, in.Session, session.CSRFToken); err != nil {
				return err
			}
			maps.Copy(detail, shown)
			u.Audit(uow.Entry{Action: "session.step-up", Resource: "session", Detail: detail})
			return s.attempts.forget(ctx, tx, at)
		})
		return wrong, err
	})
	if err != nil {
		s.noteClone(ctx, user, in.Address, err)
		return "", Session{}, err
	}
	return token, session, nil
}

// renew gives a session, whose user this unit holds, another token and another CSRF token, and
// notes that a factor was shown. Errors: Unauthenticated when it has ended.
func (s *Service) renew(ctx context.Context, u *uow.Unit, old, csrf string) (token string, err error) {
	tx, err := u.Tx(ctx)
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
