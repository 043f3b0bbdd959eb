package access

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pquerna/otp/totp"
	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

const (
	// mostFactors is the maximum number of factors per user.
	mostFactors = 10
	// setupTime is the lifetime of an unconfirmed factor.
	setupTime = time.Hour
	// issuer is the name that authenticator apps display next to the account.
	issuer = "Interlock"
)

// FactorSetup is an unconfirmed factor. Sign-ins require it only after its confirmation.
type FactorSetup struct {
	Factor
	// Secret and URI are for the authenticator app: the secret to type, and the otpauth URI of
	// the QR code. They are returned only once.
	Secret, URI string
	// Options are the browser's options for creating a passkey.
	Options json.RawMessage
}

// requireSession returns Forbidden for an API token, which must neither read nor change the
// sign-in credentials of its user.
func requireSession(ctx context.Context) error {
	if caller, _ := principal.From(ctx); caller.Kind == principal.Admin {
		return nil
	}
	return apperr.New(apperr.Forbidden, "Sign in to see or change your second factors and linked accounts; an API token cannot.")
}

// Factors returns the caller's confirmed factors, oldest first, and the number of unused
// recovery codes. Errors: Forbidden without a session.
func (s *Service) Factors(ctx context.Context) (factors []Factor, codesLeft int64, err error) {
	if err := requireSession(ctx); err != nil {
		return nil, 0, err
	}
	caller, _ := principal.From(ctx)
	db := s.db.Read(ctx)
	if factors, err = confirmedFactors(db, caller.UserID); err != nil {
		return nil, 0, err
	}
	if err := attachPasskeys(db, caller.UserID, factors); err != nil {
		return nil, 0, err
	}
	codesLeft, err = countRecoveryCodes(db, caller.UserID)
	return factors, codesLeft, err
}

// FactorBeginning is the request for a new factor.
type FactorBeginning struct {
	// Kind is totp or passkey.
	Kind string
	Name string
	// Password is required of a user without a factor; any other user has passed a step-up.
	Password string
	// Session is the token of the caller's session.
	Session string
	// Address is the client address, and Origin the page's origin as its browser reports it;
	// "" without a browser.
	Address, Origin string
}

// BeginFactor adds an unconfirmed factor, which has no effect until it is confirmed, and voids
// the user's earlier unconfirmed one. The first factor requires the password, so that a stranger
// at a signed-in browser cannot lock out its user with another app. Errors: ValidationFailed, at
// /password if it is wrong, which counts like a wrong password at sign-in, and at /kind for a
// passkey where passkeys are unavailable; TooManyAttempts.
func (s *Service) BeginFactor(ctx context.Context, u *uow.Unit, user *User, in FactorBeginning) (FactorSetup, error) {
	prepare := s.prepareTOTP
	if in.Kind == methodPasskey {
		if err := s.requirePasskeysAt(in.Origin); err != nil {
			return FactorSetup{}, err
		}
		prepare = s.preparePasskey
	}
	if !user.SecondFactor {
		if err := s.requirePassword(ctx, user, shownPassword{"/password", in.Password, in.Address, in.Session}); err != nil {
			return FactorSetup{}, err
		}
	}
	return s.insertFactor(ctx, u, user, in, prepare)
}

// prepareTOTP generates the secret of an authenticator app.
func (s *Service) prepareTOTP(_ *gorm.DB, user *User, setup *FactorSetup) error {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: user.Username, Period: totpPeriod})
	if err != nil {
		return fmt.Errorf("make the secret of a factor: %w", err)
	}
	setup.Secret, setup.URI = key.Secret(), key.URL()
	setup.Factor.Secret, setup.SecretKey = s.cipher.Encrypt([]byte(setup.Secret), secretPlace(user.TenantID, user.ID))
	return nil
}

// insertFactor inserts an unconfirmed factor of a user who has passed the checks; prepare
// generates the secrets of its kind. Errors: ValidationFailed, also if the user's credentials
// were changed concurrently.
func (s *Service) insertFactor(
	ctx context.Context, u *uow.Unit, user *User, in FactorBeginning, prepare func(tx *gorm.DB, user *User, setup *FactorSetup) error,
) (FactorSetup, error) {
	// Without the lock, two concurrent set-ups would pass the limit together, and neither would
	// void the other.
	tx, held, err := s.holdOpen(ctx, u, user.ID)
	switch {
	case err != nil:
		return FactorSetup{}, err
	case held.SecondFactor != user.SecondFactor || held.PasswordHash != user.PasswordHash:
		return FactorSetup{}, input.Invalid("/password", "changed", "must be entered again: the account was changed concurrently; try again")
	}
	if err := requirePlaceForFactor(tx, user.ID); err != nil {
		return FactorSetup{}, err
	}
	if err := deleteUnconfirmed(tx, user); err != nil {
		return FactorSetup{}, err
	}
	ends := u.Now().Add(setupTime)
	setup := FactorSetup{Factor: Factor{UserID: user.ID, Kind: in.Kind, Name: in.Name, ExpiresTime: &ends, CreatedTime: u.Now()}}
	if err := prepare(tx, user, &setup); err != nil {
		return FactorSetup{}, err
	}
	if err := tx.Create(&setup.Factor).Error; err != nil {
		return FactorSetup{}, fmt.Errorf("insert the factor: %w", err)
	}
	u.Audit(uow.Entry{Action: "user.begin-factor", Resource: user.path(), Detail: map[string]any{"kind": in.Kind, "name": in.Name}})
	return setup, nil
}

// requirePlaceForFactor returns ValidationFailed if a user has mostFactors factors.
func requirePlaceForFactor(tx *gorm.DB, userID int64) error {
	factors, err := confirmedFactors(tx, userID)
	if err != nil {
		return err
	}
	if len(factors) >= mostFactors {
		return input.Invalid("/kind", "max", "must be one of at most "+strconv.Itoa(mostFactors)+" factors; remove one first")
	}
	return nil
}

// FactorConfirmation is the proof that a factor was set up: the code of an app, or the browser's
// response for a new passkey.
type FactorConfirmation struct {
	FactorID   int64
	Code       string
	Credential []byte
	// Session is the token of the caller's session, which stays open.
	Session string
}

// ConfirmFactor activates an unconfirmed factor: from now on sign-ins require a second factor, and
// the user's other sessions end. If it is the user's first factor, ConfirmFactor returns recovery
// codes, which are returned only once. It changes the user's version in one unit, so that of two
// concurrent confirmations only one returns codes. Errors: NotFound for a factor that does not
// exist, has expired or was replaced; ValidationFailed at /code or /credential.
func (s *Service) ConfirmFactor(ctx context.Context, u *uow.Unit, user *User, in FactorConfirmation) (factor Factor, codes []string, err error) {
	_, row, err := userInUnit(ctx, u, user.ID)
	if err != nil {
		return Factor{}, nil, err
	}
	_, err = s.changeUser(ctx, u, row, nil, userChange{
		action: "add-factor", set: guard.Set{"second_factor": true}, apply: func(user *User) { user.SecondFactor = true },
		kept: secrets.DigestOf(in.Session),
		also: func(_ context.Context, tx *gorm.DB) (err error) {
			if factor, err = s.activate(tx, row, in, u.Now()); err != nil || row.SecondFactor {
				return err
			}
			codes, err = replaceRecoveryCodes(tx, row, u.Now())
			return err
		},
	})
	return factor, codes, err
}

// activate confirms an unconfirmed factor, once:
//
//	UPDATE user_factors SET expires_time = NULL, last_step = ?, secret = ? WHERE … AND id = ? AND expires_time > ?
func (s *Service) activate(tx *gorm.DB, user *User, in FactorConfirmation, now time.Time) (Factor, error) {
	var row Factor
	err := tx.Where("id = ? AND user_id = ? AND expires_time > ?", in.FactorID, user.ID, now).Take(&row).Error
	if err != nil {
		return row, storage.Found(err, "factor that waits to be confirmed", strconv.FormatInt(in.FactorID, 10))
	}
	check := s.checkSetupCode
	if row.Kind == methodPasskey {
		check = s.registerPasskey
	}
	if err := check(tx, user, &row, in, now); err != nil {
		return row, err
	}
	const statement = "UPDATE user_factors SET expires_time = NULL, last_step = ?, secret = ? WHERE tenant_id = ? AND id = ? AND expires_time > ?"
	result := tx.Exec(statement, row.LastStep, row.Secret, user.TenantID, row.ID, now)
	switch {
	case result.Error != nil:
		return row, fmt.Errorf("confirm the factor: %w", result.Error)
	case result.RowsAffected != 1:
		return row, apperr.MissingRow("factor that waits to be confirmed", strconv.FormatInt(in.FactorID, 10))
	}
	row.ExpiresTime = nil
	return row, nil
}

// checkSetupCode checks a code of the app that is being set up.
func (s *Service) checkSetupCode(_ *gorm.DB, _ *User, row *Factor, in FactorConfirmation, now time.Time) error {
	secret, err := s.secretOf(*row)
	if err != nil {
		return err
	}
	step, right := stepOf(secret, in.Code, row.LastStep, now)
	if !right {
		return input.Invalid("/code", "wrong", "is not the code that the app shows now; check the clock of its device")
	}
	row.LastStep = step
	return nil
}

// userInUnit reads a user in the unit's transaction. Errors: NotFound.
func userInUnit(ctx context.Context, u *uow.Unit, id int64) (*gorm.DB, *User, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, nil, err
	}
	row, err := findUser(tx, id)
	return tx, row, storage.Found(err, "user", strconv.FormatInt(id, 10))
}

// RenameFactor changes the name of a factor:
//
//	UPDATE user_factors SET name = ? WHERE tenant_id = ? AND id = ? AND name = ?
//
// from is the expected current name, so that of two concurrent renames one fails. The user's
// version and sessions do not change. Errors: NotFound; ValidationFailed at /from if the
// factor has another name now.
func (s *Service) RenameFactor(ctx context.Context, u *uow.Unit, user *User, id int64, from, to string) (Factor, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return Factor{}, err
	}
	all, err := confirmedFactors(tx, user.ID)
	if err != nil {
		return Factor{}, err
	}
	at := slices.IndexFunc(all, func(f Factor) bool { return f.ID == id })
	if at < 0 {
		return Factor{}, apperr.MissingRow("factor", strconv.FormatInt(id, 10))
	}
	result := tx.Exec("UPDATE user_factors SET name = ? WHERE tenant_id = ? AND id = ? AND name = ?", to, user.TenantID, id, from)
	switch {
	case result.Error != nil:
		return Factor{}, fmt.Errorf("rename the factor: %w", result.Error)
	case result.RowsAffected != 1:
		return Factor{}, input.Invalid("/from", "changed", fmt.Sprintf("is not its current name: it is called %q now", all[at].Name))
	}
	all[at].Name = to
	u.Audit(uow.Entry{Action: "user.rename-factor", Resource: user.path(), Detail: map[string]any{"from": from, "to": to}})
	if err := attachPasskeys(tx, user.ID, all); err != nil {
		return Factor{}, err
	}
	return all[at], nil
}

// RemoveFactor deletes a factor of a user who was just read, and with the last factor the
// recovery codes. The user's sessions end, except the one with this token. Errors: NotFound.
func (s *Service) RemoveFactor(ctx context.Context, u *uow.Unit, user *User, id int64, session string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	all, err := confirmedFactors(tx, user.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(f Factor) bool { return f.ID == id }) {
		return apperr.MissingRow("factor", strconv.FormatInt(id, 10))
	}
	// The user's version is guarded, so no factor is added or removed concurrently.
	left := len(all) > 1
	_, err = s.changeUser(ctx, u, user, nil, userChange{
		action: "remove-factor", set: guard.Set{"second_factor": left}, apply: func(user *User) { user.SecondFactor = left },
		kept: secrets.DigestOf(session),
		also: func(_ context.Context, tx *gorm.DB) error {
			if !left {
				return deleteFactors(tx, user)
			}
			return deleteFactor(tx, user, id)
		},
	})
	return err
}

// NewRecoveryCodes replaces a user's recovery codes and ends the user's other sessions. Errors:
// NotFound for a user without a second factor.
func (s *Service) NewRecoveryCodes(ctx context.Context, u *uow.Unit, user *User, session string) (codes []string, err error) {
	_, row, err := userInUnit(ctx, u, user.ID)
	switch {
	case err != nil:
		return nil, err
	case !row.SecondFactor:
		return nil, apperr.New(apperr.NotFound, "You have no second factor. Set one up first.")
	}
	_, err = s.changeUser(ctx, u, row, nil, userChange{
		action: "recovery-codes", set: guard.Set{"second_factor": true}, apply: func(*User) {}, kept: secrets.DigestOf(session),
		also: func(_ context.Context, tx *gorm.DB) error {
			codes, err = replaceRecoveryCodes(tx, row, u.Now())
			return err
		},
	})
	return codes, err
}

// ResetFactors deletes all factors and recovery codes of a user who has lost them, and ends the
// user's sessions. A user without factors is unchanged. Errors: Forbidden if the user has a
// permission that the caller lacks, because the password alone then grants all of them;
// VersionConflict.
func (s *Service) ResetFactors(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition) (*User, error) {
	if err := s.demandUser(user, ifMatch); err != nil || !user.SecondFactor {
		return user, err
	}
	return s.changeUser(ctx, u, user, ifMatch, userChange{
		action: "reset-factors", set: guard.Set{"second_factor": false}, apply: func(user *User) { user.SecondFactor = false },
		also: func(_ context.Context, tx *gorm.DB) error { return deleteFactors(tx, user) },
	})
}

// ResetUserFactors is ResetFactors for the command line, which may reset any user. Errors:
// NotFound.
func (s *Service) ResetUserFactors(ctx context.Context, tenant, username string) error {
	return s.commandUser(ctx, tenant, username, func(ctx context.Context, u *uow.Unit, user *User) error {
		_, err := s.ResetFactors(ctx, u, user, nil)
		return err
	})
}
