package factors

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
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

const (
	// maxFactors is the maximum number of factors per user.
	maxFactors = 10
	// SetupTime is the lifetime of an unconfirmed factor.
	SetupTime = time.Hour
	// issuer is the name that authenticator apps display next to the account.
	issuer = "Interlock"
)

// Owner is the user that a factor belongs to.
type Owner struct {
	TenantID, ID          int64
	Username, DisplayName string
}

func (o Owner) path() string { return fmt.Sprintf("users/%d", o.ID) }

// Setup is an unconfirmed factor. Sign-ins require it only after its confirmation.
type Setup struct {
	Factor
	// Secret and URI are for the authenticator app: the secret to type, and the otpauth URI of
	// the QR code. They are returned only once.
	Secret, URI string
	// Options are the browser's options for creating a passkey.
	Options json.RawMessage
}

// prepareTOTP generates the secret of an authenticator app.
func (s *Service) prepareTOTP(_ *gorm.DB, user Owner, setup *Setup) error {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: user.Username, Period: TOTPPeriod})
	if err != nil {
		return fmt.Errorf("make the secret of a factor: %w", err)
	}
	setup.Secret, setup.URI = key.Secret(), key.URL()
	setup.Factor.Secret, setup.SecretKey = s.cipher.Encrypt([]byte(setup.Secret), associatedData(user.TenantID, user.ID))
	return nil
}

// SetUp inserts an unconfirmed factor in a unit that locks its user, and voids the user's earlier
// unconfirmed one. Errors: ValidationFailed for too many factors.
func (s *Service) SetUp(u *uow.Unit, tx *gorm.DB, user Owner, kind, name string) (Setup, error) {
	prepare := s.prepareTOTP
	if kind == MethodPasskey {
		prepare = s.preparePasskey
	}
	if err := checkFactorLimit(tx, user.ID); err != nil {
		return Setup{}, err
	}
	if err := deleteUnconfirmed(tx, user); err != nil {
		return Setup{}, err
	}
	ends := u.Now().Add(SetupTime)
	setup := Setup{Factor: Factor{UserID: user.ID, Kind: kind, Name: name, ExpiresTime: &ends, CreatedTime: u.Now()}}
	if err := prepare(tx, user, &setup); err != nil {
		return Setup{}, err
	}
	if err := tx.Create(&setup.Factor).Error; err != nil {
		return Setup{}, fmt.Errorf("insert the factor: %w", err)
	}
	u.Audit(uow.Entry{Action: "user.begin-factor", Resource: user.path(), Detail: map[string]any{"kind": kind, "name": name}})
	return setup, nil
}

// checkFactorLimit returns ValidationFailed if a user has maxFactors factors.
func checkFactorLimit(tx *gorm.DB, userID int64) error {
	factors, err := Confirmed(tx, userID)
	if err != nil {
		return err
	}
	if len(factors) >= maxFactors {
		return input.Invalid("/kind", "max", "must be one of at most "+strconv.Itoa(maxFactors)+" factors; remove one first")
	}
	return nil
}

// Confirmation is the proof that a factor was set up: the code of an app, or the browser's
// response for a new passkey.
type Confirmation struct {
	FactorID   int64
	Code       string
	Credential []byte
	// Session is the token of the caller's session, which stays open.
	Session string
}

// Activate confirms an unconfirmed factor, once:
//
//	UPDATE user_factors SET expires_time = NULL, last_step = ?, secret = ? WHERE … AND id = ? AND expires_time > ?
func (s *Service) Activate(tx *gorm.DB, user Owner, in Confirmation, now time.Time) (Factor, error) {
	var row Factor
	err := tx.Where("id = ? AND user_id = ? AND expires_time > ?", in.FactorID, user.ID, now).Take(&row).Error
	if err != nil {
		return row, storage.Found(err, "factor that waits to be confirmed", strconv.FormatInt(in.FactorID, 10))
	}
	check := s.checkSetupCode
	if row.Kind == MethodPasskey {
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
func (s *Service) checkSetupCode(_ *gorm.DB, _ Owner, row *Factor, in Confirmation, now time.Time) error {
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

// Rename changes the name of a factor:
//
//	UPDATE user_factors SET name = ? WHERE tenant_id = ? AND id = ? AND name = ?
//
// from is the expected current name, so that of two concurrent renames one fails. The user's
// version and sessions do not change. Errors: NotFound; ValidationFailed at /from if the
// factor has another name now.
func (s *Service) Rename(ctx context.Context, u *uow.Unit, user Owner, id int64, from, to string) (Factor, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return Factor{}, err
	}
	all, err := Confirmed(tx, user.ID)
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

// RequireSession returns Forbidden for an API token, which must neither read nor change the
// sign-in credentials of its user.
func RequireSession(ctx context.Context) error {
	if caller, _ := principal.From(ctx); caller.Kind == principal.Admin {
		return nil
	}
	return apperr.New(apperr.Forbidden, "Sign in to see or change your second factors and linked accounts; an API token cannot.")
}

// List returns the caller's confirmed factors, oldest first, and the number of unused
// recovery codes. Errors: Forbidden without a session.
func (s *Service) List(ctx context.Context) (list []Factor, codesLeft int64, err error) {
	if err := RequireSession(ctx); err != nil {
		return nil, 0, err
	}
	caller, _ := principal.From(ctx)
	db := s.db.Read(ctx)
	if list, err = Confirmed(db, caller.UserID); err != nil {
		return nil, 0, err
	}
	if err := attachPasskeys(db, caller.UserID, list); err != nil {
		return nil, 0, err
	}
	codesLeft, err = countRecoveryCodes(db, caller.UserID)
	return list, codesLeft, err
}
