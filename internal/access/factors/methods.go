package factors

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
)

// Methods of presenting a second factor.
const (
	MethodPasskey  = "passkey"
	MethodTOTP     = "totp"
	MethodRecovery = "recovery"
)

const (
	// TOTPPeriod is the validity of a code in seconds (RFC 6238), and totpDrift the accepted
	// clock drift in periods.
	TOTPPeriod = 30
	totpDrift  = 1
	// RecoveryCodes is the number of codes that a user receives at a time.
	RecoveryCodes = 10
	// recoveryBytes is the entropy of a code: 80 bits are 16 letters in four groups.
	recoveryBytes = 10
	recoveryGroup = 4
)

// Shown is the second factor that a client presents.
type Shown struct {
	// Method is passkey, totp or recovery.
	Method string
	// Code is an app's code or a recovery code.
	Code string
	// Credential is the browser's response for a passkey, and Challenge the token of its
	// challenge; a step-up without a passkey has no challenge.
	Credential []byte
	Challenge  string
}

// factorMethod accepts a second factor in tx. A code is accepted once: the row count of a
// guarded statement decides. It reports whether the factor was right, and details for the audit
// log.
type factorMethod func(s *Service, tx *gorm.DB, user Owner, shown Shown, now time.Time) (right bool, detail map[string]any, err error)

var factorMethods = map[string]factorMethod{
	MethodPasskey:  (*Service).acceptPasskey,
	MethodTOTP:     (*Service).acceptTOTP,
	MethodRecovery: (*Service).acceptRecoveryCode,
}

// Accept accepts a user's second factor, in a transaction that locks the user. It returns
// details for the audit log. Errors: InvalidCredentials for a wrong or used code, or an invalid
// passkey response.
func (s *Service) Accept(tx *gorm.DB, user Owner, shown Shown, now time.Time) (map[string]any, error) {
	accept, known := factorMethods[shown.Method]
	if !known {
		return nil, input.Invalid("/method", "unknown", "must be one of "+strings.Join(slices.Sorted(maps.Keys(factorMethods)), ", "))
	}
	right, detail, err := accept(s, tx, user, shown, now)
	switch {
	case err != nil:
		return nil, err
	case !right && shown.Method == MethodPasskey:
		return nil, errPasskeyRefused()
	case !right:
		return nil, apperr.New(apperr.InvalidCredentials, "The code is wrong, or was used already.")
	}
	return detail, nil
}

// MethodsOf returns the methods by which a user can present a second factor, the one that is
// hardest to steal first: a passkey is bound to the site, and a code can be typed anywhere.
func MethodsOf(db *gorm.DB, userID int64) ([]string, error) {
	factors, err := Confirmed(db, userID)
	if err != nil {
		return nil, err
	}
	left, err := countRecoveryCodes(db, userID)
	if err != nil {
		return nil, err
	}
	methods := []string{}
	for _, kind := range []string{MethodPasskey, MethodTOTP} {
		if slices.ContainsFunc(factors, func(f Factor) bool { return f.Kind == kind }) {
			methods = append(methods, kind)
		}
	}
	if left > 0 {
		methods = append(methods, MethodRecovery)
	}
	return methods, nil
}

// acceptTOTP accepts a code of one of a user's apps:
//
//	UPDATE user_factors SET last_step = ?, … WHERE tenant_id = ? AND id = ? AND last_step < ?
//
// A code is accepted once, and never after a newer one. A secret under an old key is encrypted
// again with the current key.
func (s *Service) acceptTOTP(tx *gorm.DB, user Owner, shown Shown, now time.Time) (bool, map[string]any, error) {
	factors, err := Confirmed(tx, user.ID)
	if err != nil {
		return false, nil, err
	}
	var unreadable error
	for _, row := range factors {
		if row.Kind != MethodTOTP {
			continue
		}
		secret, err := s.secretOf(row)
		if err != nil {
			unreadable = err
			continue
		}
		step, right := stepOf(secret, shown.Code, row.LastStep, now)
		if !right {
			continue
		}
		if row.SecretKey != s.cipher.Current() {
			row.Secret, row.SecretKey = s.cipher.Encrypt([]byte(secret), associatedData(row.TenantID, row.UserID))
		}
		const statement = "UPDATE user_factors SET last_step = ?, last_used_time = ?, secret = ?, secret_key = ? WHERE tenant_id = ? AND id = ? AND last_step < ?"
		result := tx.Exec(statement, step, now, row.Secret, row.SecretKey, user.TenantID, row.ID, step)
		if result.Error != nil {
			return false, nil, fmt.Errorf("take a code: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			return true, nil, nil
		}
	}
	return false, nil, unreadable
}

// stepOf returns the time step of a code, among the steps around now that are newer than the
// last accepted one.
func stepOf(secret, code string, last int64, now time.Time) (step int64, right bool) {
	code = strings.ReplaceAll(code, " ", "")
	current := now.Unix() / TOTPPeriod
	for step := current - totpDrift; step <= current+totpDrift; step++ {
		want, err := hotp.GenerateCodeCustom(secret, uint64(step), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && step > last && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			return step, true
		}
	}
	return 0, false
}

// acceptRecoveryCode consumes a recovery code:
//
//	DELETE FROM recovery_codes WHERE tenant_id = ? AND user_id = ? AND code_hash = ?
func (s *Service) acceptRecoveryCode(tx *gorm.DB, user Owner, shown Shown, _ time.Time) (bool, map[string]any, error) {
	const statement = "DELETE FROM recovery_codes WHERE tenant_id = ? AND user_id = ? AND code_hash = ?"
	result := tx.Exec(statement, user.TenantID, user.ID, RecoveryDigest(shown.Code))
	if result.Error != nil {
		return false, nil, fmt.Errorf("take a recovery code: %w", result.Error)
	}
	return result.RowsAffected == 1, nil, nil
}

var recoveryLetters = base32.StdEncoding.WithPadding(base32.NoPadding)

// newRecoveryCode returns a random code such as "k3vd-6wzq-ax2m-t7uc".
func newRecoveryCode() string {
	raw := make([]byte, recoveryBytes)
	// crypto/rand crashes the program instead of returning an error.
	_, _ = rand.Read(raw)
	groups := slices.Collect(slices.Chunk([]byte(strings.ToLower(recoveryLetters.EncodeToString(raw))), recoveryGroup))
	texts := make([]string, len(groups))
	for i, group := range groups {
		texts[i] = string(group)
	}
	return strings.Join(texts, "-")
}

// RecoveryDigest returns the stored digest of a recovery code; case, blanks and hyphens do not
// matter.
func RecoveryDigest(code string) string {
	return secrets.DigestOf(strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))).String()
}
