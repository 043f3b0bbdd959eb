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

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

const (
	// mostFactors bounds how many factors a user has.
	mostFactors = 10
	// setupTime is how long a factor that was begun may wait to be confirmed.
	setupTime = time.Hour
	// issuer is what authenticator apps show beside the account.
	issuer = "Interlock"
)

// FactorSetup is a factor that was begun. It is asked for from its confirmation on.
type FactorSetup struct {
	Factor
	// Secret and URI are what an authenticator app is given: the secret to type, and the
	// otpauth URI of the QR code. They cannot be had again.
	Secret, URI string
	// Options are what a browser is told to make a passkey.
	Options json.RawMessage
}

// requireSession is Forbidden for an API token, which may not change what it takes to sign in
// as its user, nor learn of it.
func requireSession(ctx context.Context) error {
	if caller, _ := principal.From(ctx); caller.Kind == principal.Admin {
		return nil
	}
	return apperr.New(apperr.Forbidden, "Sign in to see or change your second factors and linked accounts; an API token cannot.")
}

// Factors returns the confirmed factors of the caller, oldest first, and how many recovery
// codes are left. Errors: Forbidden without a session.
func (s *Service) Factors(ctx context.Context) (factors []Factor, codesLeft int64, err error) {
	if err := requireSession(ctx); err != nil {
		return nil, 0, err
	}
	caller, _ := principal.From(ctx)
	db := s.store.db.Read(ctx)
	if factors, err = confirmedFactors(db, caller.UserID); err != nil {
		return nil, 0, err
	}
	if err := attachPasskeys(db, caller.UserID, factors); err != nil {
		return nil, 0, err
	}
	codesLeft, err = countRecoveryCodes(db, caller.UserID)
	return factors, codesLeft, err
}

// FactorBeginning is what a user begins a factor with.
type FactorBeginning struct {
	// Kind is totp or passkey.
	Kind string
	Name string
	// Password is asked of a user who has no factor yet; who has one has shown it lately.
	Password string
	// Session is the token of the session that it is begun in.
	Session string
	// Address is where the request came from, and Origin that of the page, as its browser says;
	// "" from elsewhere.
	Address, Origin string
}

// BeginFactor makes a factor of a user that counts for nothing until it is confirmed.
// One that was begun before and not confirmed is void. The first one takes the password: who
// finds a browser that is signed in must not lock its user out with an app of their own.
// Errors: ValidationFailed, at /password when that is wrong, which counts as a wrong
// password at sign-in does, and at /kind for a passkey where there can be none; TooManyAttempts.
func (s *Service) BeginFactor(ctx context.Context, u *uow.Unit, user *User, in FactorBeginning) (FactorSetup, error) {
	if err := checkName("/name", in.Name); err != nil {
		return FactorSetup{}, err
	}
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

// prepareTOTP makes the secret of an authenticator app.
func (s *Service) prepareTOTP(_ *gorm.DB, user *User, setup *FactorSetup) error {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: user.Username, Period: totpPeriod})
	if err != nil {
		return fmt.Errorf("make the secret of a factor: %w", err)
	}
	setup.Secret, setup.URI = key.Secret(), key.URL()
	setup.Factor.Secret, setup.SecretKey = s.cipher.Encrypt([]byte(setup.Secret), secretPlace(user.TenantID, user.ID))
	return nil
}

// insertFactor adds a factor that waits to be confirmed, of a user who has shown what it
// takes; prepare makes what its kind needs. Errors: ValidationFailed, also when what was shown
// was changed meanwhile.
func (s *Service) insertFactor(
	ctx context.Context, u *uow.Unit, user *User, in FactorBeginning, prepare func(tx *gorm.DB, user *User, setup *FactorSetup) error,
) (FactorSetup, error) {
	// Two that begin at once would each find a place, and leave each other's.
	tx, held, err := s.holdOpen(ctx, u, user.ID)
	switch {
	case err != nil:
		return FactorSetup{}, err
	case held.SecondFactor != user.SecondFactor || held.PasswordHash != user.PasswordHash:
		return FactorSetup{}, invalid("/password", "changed", "must be entered again: the account was changed meanwhile; try again")
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

// requirePlaceForFactor is ValidationFailed when a user has as many factors as one may have.
func requirePlaceForFactor(tx *gorm.DB, userID int64) error {
	factors, err := confirmedFactors(tx, userID)
	if err != nil {
		return err
	}
	if len(factors) >= mostFactors {
		return invalid("/kind", "max", "must be one of at most "+strconv.Itoa(mostFactors)+" factors; remove one first")
	}
	return nil
}

// FactorConfirmation is what shows that a factor was set up: the code of an app, or what a
// browser says of a passkey that it made.
type FactorConfirmation struct {
	FactorID   int64
	Code       string
	Credential []byte
	// Session is the token of the session that it is confirmed in, which stays.
	Session string
}

// ConfirmFactor activates a factor that was begun: from now on it takes a second factor to
// sign in as its user, and their other sessions end. With their first one the user is given
// recovery codes, which cannot be had again. It is a change of the user, in one unit: of two
// confirmations at once each sees the other's, so that one of them gives codes. Errors:
// NotFound for one that was not begun, has ended or was replaced; ValidationFailed at /code or
// /credential.
func (s *Service) ConfirmFactor(ctx context.Context, u *uow.Unit, user *User, in FactorConfirmation) (factor Factor, codes []string, err error) {
	_, row, err := userInUnit(ctx, u, user.ID)
	if err != nil {
		return Factor{}, nil, err
	}
	_, err = s.changeUser(ctx, u, row, nil, userChange{
		action: "add-factor", set: guard.Set{"second_factor": true}, apply: func(user *User) { user.SecondFactor = true },
		kept: digestOf(in.Session),
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

// activate confirms a factor that was set up, once:
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

// checkSetupCode takes the code of the app that was given the secret of a factor.
func (s *Service) checkSetupCode(_ *gorm.DB, _ *User, row *Factor, in FactorConfirmation, now time.Time) error {
	secret, err := s.secretOf(*row)
	if err != nil {
		return err
	}
	step, right := stepOf(secret, in.Code, row.LastStep, now)
	if !right {
		return invalid("/code", "wrong", "is not the code that the app shows now; see that the clock of its device is right")
	}
	row.LastStep = step
	return nil
}

// userInUnit reads a user in the transaction of a unit. Errors: NotFound.
func userInUnit(ctx context.Context, u *uow.Unit, id int64) (*gorm.DB, *User, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, nil, err
	}
	row, err := findUser(tx, id)
	return tx, row, storage.Found(err, "user", strconv.FormatInt(id, 10))
}

// RenameFactor gives a factor of a user another name:
//
//	UPDATE user_factors SET name = ? WHERE tenant_id = ? AND id = ? AND name = ?
//
// from is the name that is replaced, so that of two pages neither renames over the other. What it
// takes to sign in stays, and so do the user's version and sessions. Errors: NotFound;
// ValidationFailed at /name, and at /from when the factor is not called so any more.
func (s *Service) RenameFactor(ctx context.Context, u *uow.Unit, user *User, id int64, from, to string) (Factor, error) {
	if err := checkName("/name", to); err != nil {
		return Factor{}, err
	}
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
		return Factor{}, invalid("/from", "changed", fmt.Sprintf("is not its name any more: it is called %q now", all[at].Name))
	}
	all[at].Name = to
	u.Audit(uow.Entry{Action: "user.rename-factor", Resource: user.path(), Detail: map[string]any{"from": from, "to": to}})
	if err := attachPasskeys(tx, user.ID, all); err != nil {
		return Factor{}, err
	}
	return all[at], nil
}

// RemoveFactor takes a factor from a user who was just read, and with the last one the
// recovery codes. Their sessions end but the one whose token this is. Errors: NotFound.
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
	// The version of the user is guarded, so that no factor comes or goes before it changes.
	left := len(all) > 1
	_, err = s.changeUser(ctx, u, user, nil, userChange{
		action: "remove-factor", set: guard.Set{"second_factor": left}, apply: func(user *User) { user.SecondFactor = left },
		kept: digestOf(session),
		also: func(_ context.Context, tx *gorm.DB) error {
			if !left {
				return deleteFactors(tx, user)
			}
			return deleteFactor(tx, user, id)
		},
	})
	return err
}

// NewRecoveryCodes gives a user other recovery codes; the old ones are void. Their other
// sessions end. Errors: NotFound for a user without a second factor.
func (s *Service) NewRecoveryCodes(ctx context.Context, u *uow.Unit, user *User, session string) (codes []string, err error) {
	_, row, err := userInUnit(ctx, u, user.ID)
	switch {
	case err != nil:
		return nil, err
	case !row.SecondFactor:
		return nil, apperr.New(apperr.NotFound, "You have no second factor. Set one up first.")
	}
	_, err = s.changeUser(ctx, u, row, nil, userChange{
		action: "recovery-codes", set: guard.Set{"second_factor": true}, apply: func(*User) {}, kept: digestOf(session),
		also: func(_ context.Context, tx *gorm.DB) error {
			codes, err = replaceRecoveryCodes(tx, row, u.Now())
			return err
		},
	})
	return codes, err
}

// ResetFactors takes all factors and recovery codes from a user who has lost them, and ends
// the user's sessions. A user who has none is left as it is. Errors: Forbidden when the user
// may do what the caller may not, since whoever knows the password can do all of it then;
// VersionConflict.
func (s *Service) ResetFactors(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition) (*User, error) {
	if err := s.demandUser(user, ifMatch); err != nil || !user.SecondFactor {
		return user, err
	}
	return s.changeUser(ctx, u, user, ifMatch, userChange{
		action: "reset-factors", set: guard.Set{"second_factor": false}, apply: func(user *User) { user.SecondFactor = false },
		also: func(ctx context.Context, tx *gorm.DB) error {
			if err := requireRightsOf(ctx, tx, user); err != nil {
				return err
			}
			return deleteFactors(tx, user)
		},
	})
}

// ResetUserFactors is ResetFactors for a command, which may reset anybody's. Errors: NotFound.
func (s *Service) ResetUserFactors(ctx context.Context, tenant, username string) error {
	return s.commandUser(ctx, tenant, username, func(ctx context.Context, u *uow.Unit, user *User) error {
		_, err := s.ResetFactors(ctx, u, user, nil)
		return err
	})
}
