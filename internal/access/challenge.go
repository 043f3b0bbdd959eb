package access

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/callers"
	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/secrets"
	"interlock/internal/access/tenants"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/ratelimit"
)

// challengeTime is the lifetime of a sign-in that waits for its second factor.
const challengeTime = 5 * time.Minute

// challengeMade is the audited action of a sign-in that waits for its second factor.
const challengeMade = "session.challenge"

// Challenge is a sign-in with a right password that waits for a second factor, or a session
// that waits for a step-up.
type Challenge struct {
	// Token identifies the challenge. It is valid once.
	Token string
	// Methods are the methods by which the user can present a factor.
	Methods []string
	// Passkey are the request options for the browser; nil if the user has no passkey for this
	// site.
	Passkey json.RawMessage
}

// challengeRow is a challenge that is neither used nor voided. Every change that ends a user's
// sessions deletes the user's challenges and increments the tenant's revision. A challenge of a
// sign-in is inserted under that revision too, so it is valid only for the user's current
// password and factors. A challenge of a session needs no revision: it is useless without its
// session.
type challengeRow struct {
	ID        int64 `gorm:"primaryKey"`
	TenantID  int64
	UserID    int64
	TokenHash string
	// SessionHash is "" for a sign-in, and the digest of the session for a step-up: a signature
	// for one session is invalid in another.
	SessionHash string
	ExpiresTime time.Time
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (challengeRow) TableName() string { return "sign_in_challenges" }

// errChallengeEnded returns the error for a challenge that is used, voided or expired.
func errChallengeEnded() error {
	return apperr.New(apperr.Unauthenticated, "This sign-in has ended. Enter your password again.")
}

// challenge makes the challenge of a user after the password check. Errors: InvalidCredentials if
// the user was changed concurrently.
func (s *Service) challenge(ctx context.Context, in SignIn, row users.User) (*Challenge, error) {
	return s.makeChallenge(ctx, row, func(ctx context.Context, u *uow.Unit) (*gorm.DB, error) {
		u.Audit(uow.Entry{Action: challengeMade, Resource: "session", Detail: map[string]any{"address": in.Address}})
		return s.Users.HoldUnchanged(ctx, u, row)
	})
}

// makeChallenge makes the challenge of a user who has presented everything except the second
// factor. In the unit, hold locks the user, checks that the presented credential is still valid,
// and writes the audit entry.
func (s *Service) makeChallenge(
	ctx context.Context, row users.User, hold func(ctx context.Context, u *uow.Unit) (*gorm.DB, error),
) (*Challenge, error) {
	made := &Challenge{Token: secrets.New()}
	user := callers.Identity{ID: row.ID, DisplayName: row.DisplayName}
	ctx = principal.With(ctx, user.Acting(principal.Admin, row.TenantID, "", nil))
	err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := hold(ctx, u)
		if err != nil {
			return err
		}
		return s.insertChallenge(tx, made, challengeRow{UserID: row.ID}, u.Now())
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// insertChallenge inserts a challenge and sets its methods and passkey options. The passkey's
// challenge is derived from the token (see factors.SignedFor), so that deleting one row ends both.
func (s *Service) insertChallenge(db *gorm.DB, made *Challenge, waiting challengeRow, now time.Time) (err error) {
	if made.Methods, err = factors.MethodsOf(db, waiting.UserID); err != nil {
		return err
	}
	if made.Passkey, err = s.Factors.PasskeyRequest(db, waiting.UserID, made.Token); err != nil {
		return err
	}
	waiting.TokenHash, waiting.ExpiresTime, waiting.CreatedTime = secrets.DigestOf(made.Token).String(), now.Add(challengeTime), now
	if err := db.Create(&waiting).Error; err != nil {
		return fmt.Errorf("insert the challenge: %w", err)
	}
	return nil
}

// FactorSignIn is the second step of a sign-in.
type FactorSignIn struct {
	// ShownFactor contains the token of the challenge.
	factors.Shown
	// Replaces, Address, UserAgent and Device are as in SignIn.
	Replaces, Address, UserAgent, Device string
}

// FinishSignIn starts the session of a user whose password was right and who now presents a
// second factor; see SignIn. One unit redeems the challenge, accepts the code and starts the
// session, so that a crash leaves all three or none. A wrong code or passkey counts like a wrong
// password, and also for the account over all networks; the challenge can be tried again.
// Errors: Unauthenticated if the challenge was used, voided or has expired; InvalidCredentials,
// TooManyAttempts, RateLimited.
func (s *Service) FinishSignIn(ctx context.Context, in FactorSignIn) (out SignedIn, err error) {
	network := ratelimit.Network(in.Address)
	if _, err := s.signIns.Admit(ctx, network); err != nil {
		return SignedIn{}, err
	}
	waiting, user, tenant, err := s.findChallenge(ctx, secrets.DigestOf(in.Challenge), s.clock.Now())
	if err != nil {
		return SignedIn{}, err
	}
	signIn := SignIn{Tenant: tenant, Username: user.Username, Replaces: in.Replaces, Address: in.Address, UserAgent: in.UserAgent}
	from := guesses.SignInAttempt{At: guesses.Guess{Account: guesses.AccountKey(tenant, user.Username), Network: network}}
	if shown, ok := s.devices.Read(ctx, from.At.Account, in.Device); ok && s.devices.Knows(ctx, shown, user.PasswordHash) {
		from.At.Network, from.Device = guesses.DevicePrefix+shown.ID, shown.ID
	}
	err = s.attempts.CountCode(ctx, from.At, func() (wrong bool, err error) {
		out, err = s.begin(ctx, signIn, from, user, func(ctx context.Context, u *uow.Unit, tx *gorm.DB) (map[string]any, error) {
			wrong = false
			if err := waiting.redeem(tx, errChallengeEnded()); err != nil {
				return nil, err
			}
			detail, err := s.Factors.Accept(tx, user.FactorOwner(), in.Shown, u.Now())
			wrong = apperr.Has(err, apperr.InvalidCredentials)
			return detail, err
		})
		return wrong, err
	})
	s.Factors.NoteClone(ctx, user.FactorOwner(), in.Address, err)
	if err == nil {
		s.signIns.Release(guesses.SignInAttempt{At: guesses.Guess{Network: network}})
	}
	s.countRefusal(tenant, in.Address, user.Username, err)
	return out, err
}

// findChallenge finds the challenge of a sign-in by its digest, and returns its user and the name of
// its tenant. Errors: Unauthenticated.
func (s *Service) findChallenge(ctx context.Context, token secrets.Digest, now time.Time) (row challengeRow, user users.User, tenant string, err error) {
	db := s.db.Read(storage.AcrossTenants(ctx))
	err = db.Where("token_hash = ? AND session_hash = '' AND expires_time > ?", token.String(), now).Take(&row).Error
	if err == nil {
		err = db.Where("id = ? AND tenant_id = ? AND "+tenants.OpenTenant, row.UserID, row.TenantID).Take(&user).Error
	}
	switch {
	case storage.IsNotFound(err):
		return row, user, "", errChallengeEnded()
	case err != nil:
		return row, user, "", fmt.Errorf("read the challenge: %w", err)
	}
	tenant, err = s.Tenants.NameOf(ctx, row.TenantID)
	return row, user, tenant, err
}

// redeem deletes a challenge. Of concurrent calls, the row count lets one succeed:
//
//	DELETE FROM sign_in_challenges WHERE tenant_id = ? AND id = ?
//
// The others return the error over.
func (c challengeRow) redeem(tx *gorm.DB, over error) error {
	result := tx.Exec("DELETE FROM sign_in_challenges WHERE tenant_id = ? AND id = ?", c.TenantID, c.ID)
	switch {
	case result.Error != nil:
		return fmt.Errorf("redeem the challenge: %w", result.Error)
	case result.RowsAffected != 1:
		return over
	}
	return nil
}
