package access

import (
	"context"
	"fmt"
	"maps"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/callers"
	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/ratelimit"
)

const (
	// maxStepUps bounds the open challenges of a session, one per tab; the oldest are deleted.
	maxStepUps = 10
)

// inSession returns the session for a step-up. Errors: Unauthenticated; Forbidden for an API token;
// ValidationFailed at /method for a user without a second factor.
func (s *Service) inSession(ctx context.Context, token string) (session Session, err error) {
	if caller, _ := principal.From(ctx); caller.Kind != principal.Admin {
		return Session{}, apperr.New(apperr.Forbidden, "Only a session can confirm a second factor; an API token has none.")
	}
	session, err = s.Current(ctx, token)
	if err == nil && !session.User.SecondFactor {
		err = input.Invalid("/method", "none", "must be the method of a second factor that you have; you have none")
	}
	return session, err
}

// BeginStepUp makes a challenge for a step-up in a session: the user's methods and the passkey
// options. It writes only the challenge's row, which grants no access, so it needs no
// unit; after a crash the row expires. Errors: those of inSession.
func (s *Service) BeginStepUp(ctx context.Context, token string) (*Challenge, error) {
	session, err := s.inSession(ctx, token)
	if err != nil {
		return nil, err
	}
	made, db := &Challenge{Token: secrets.New()}, s.db.Write(ctx)
	waiting := challengeRow{UserID: session.User.ID, SessionHash: secrets.DigestOf(token).String()}
	if err := s.insertChallenge(db, made, waiting, s.clock.Now()); err != nil {
		return nil, err
	}
	var old []int64
	err = db.Model(&challengeRow{}).Where("user_id = ? AND session_hash = ?", waiting.UserID, waiting.SessionHash).
		Order("id DESC").Offset(maxStepUps).Limit(maxStepUps).Pluck("id", &old).Error
	if err == nil && len(old) > 0 {
		caller, _ := principal.From(ctx)
		err = db.Exec("DELETE FROM sign_in_challenges WHERE tenant_id = ? AND id IN ?", caller.TenantID, old).Error
	}
	if err != nil {
		return nil, fmt.Errorf("end old challenges: %w", err)
	}
	return made, nil
}

func errStepUpEnded() error {
	return input.Invalid("/challenge", "over", "has expired, was already used, or belongs to another session; request another one")
}

// stepUpChallenge finds a challenge of a session. Errors: errStepUpEnded.
func stepUpChallenge(tx *gorm.DB, userID int64, session, token string, now time.Time) (row challengeRow, err error) {
	err = tx.Where("token_hash = ? AND session_hash = ? AND user_id = ? AND expires_time > ?",
		secrets.DigestOf(token).String(), secrets.DigestOf(session).String(), userID, now).Take(&row).Error
	switch {
	case storage.IsNotFound(err):
		return row, errStepUpEnded()
	case err != nil:
		return row, fmt.Errorf("read the challenge: %w", err)
	}
	return row, nil
}

// StepUp is a second factor that is presented again in a session.
type StepUp struct {
	// Session is the session's token.
	Session string
	factors.Shown
	// Address is the client address.
	Address string
}

// StepUp accepts a second factor and renews the session: it continues with a new token and a new
// CSRF token, the old ones are invalid, and its end is unchanged. One unit accepts the code, or
// redeems the passkey's challenge, and renews the session. A wrong factor counts like a wrong
// password. Errors: Unauthenticated; Forbidden without a session; ValidationFailed for a user
// without a second factor and for an expired challenge; InvalidCredentials, TooManyAttempts.
func (s *Service) StepUp(ctx context.Context, in StepUp) (token string, session Session, err error) {
	if session, err = s.inSession(ctx, in.Session); err != nil {
		return "", Session{}, err
	}
	var user users.User
	session.CSRFToken = secrets.New()
	at := guesses.Guess{Account: guesses.AccountKey(session.Tenant, session.User.Username), Network: ratelimit.Network(in.Address)}
	err = s.attempts.CountCode(ctx, at, func() (wrong bool, err error) {
		err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			wrong = false
			var tx *gorm.DB
			if tx, user, err = s.Users.HoldOpen(ctx, u, session.User.ID); err != nil {
				return err
			}
			detail := map[string]any{"address": in.Address, "method": in.Method}
			if in.Method == factors.MethodPasskey {
				waiting, err := stepUpChallenge(tx, user.ID, in.Session, in.Challenge, u.Now())
				if err != nil {
					return err
				}
				if err := waiting.redeem(tx, errStepUpEnded()); err != nil {
					return err
				}
			}
			shown, err := s.Factors.Accept(tx, user.FactorOwner(), in.Shown, u.Now())
			if wrong = apperr.Has(err, apperr.InvalidCredentials); err != nil {
				return err
			}
			if token, err = s.renew(ctx, u, in.Session, session.CSRFToken); err != nil {
				return err
			}
			maps.Copy(detail, shown)
			u.Audit(uow.Entry{Action: "session.step-up", Resource: "session", Detail: detail})
			return s.attempts.Forget(ctx, tx, at)
		})
		return wrong, err
	})
	if err != nil {
		s.Factors.NoteClone(ctx, user.FactorOwner(), in.Address, err)
		return "", Session{}, err
	}
	return token, session, nil
}

// renew replaces a session's token and CSRF token and records the second factor, in a unit that
// locks the user. Errors: Unauthenticated if the session has ended.
func (s *Service) renew(ctx context.Context, u *uow.Unit, old, csrf string) (token string, err error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return "", err
	}
	row, err := s.sessionStore.ByHash(tx, secrets.DigestOf(old).String())
	if storage.IsNotFound(err) {
		return "", callers.ErrNoSession()
	}
	if err != nil {
		return "", fmt.Errorf("read the session that is renewed: %w", err)
	}
	ctx = sessions.Starting(ctx, u, sessions.Origin{Address: row.Address, UserAgent: row.UserAgent, Began: row.CreatedTime})
	if ctx, err = s.sessions.Load(ctx, old); err != nil {
		return "", fmt.Errorf("load the session that is renewed: %w", err)
	}
	ends := s.sessions.Deadline(ctx)
	if err := s.sessions.RenewToken(ctx); err != nil {
		return "", fmt.Errorf("renew the session: %w", err)
	}
	s.sessions.SetDeadline(ctx, ends)
	s.sessions.Put(ctx, sessions.KeyCSRF, csrf)
	s.sessions.Put(ctx, sessions.KeyFactorTime, u.Now().UnixMicro())
	if token, _, err = s.sessions.Commit(ctx); err != nil {
		return "", fmt.Errorf("save the session: %w", err)
	}
	return token, nil
}
