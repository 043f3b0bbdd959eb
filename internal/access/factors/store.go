package factors

import (
	"fmt"
	"strconv"
	"time"

	"gorm.io/gorm"
)

// Factor is a second factor of a user. Confirming, removing and resetting a factor changes the
// user's version, because it changes the required credentials. Renaming does not.
type Factor struct {
	ID       int64 `gorm:"primaryKey"`
	TenantID int64
	UserID   int64
	// Kind is the method by which the factor is presented.
	Kind string
	Name string
	// Secret is encrypted with the key whose id is SecretKey; "" means in clear. For a passkey it
	// contains the set-up's challenge, and is empty after the confirmation: see passkeySetup.
	Secret    []byte
	SecretKey string
	// LastStep is the newest time step whose code was accepted.
	LastStep int64
	// ExpiresTime is the end of an unconfirmed factor; nil for a confirmed one.
	ExpiresTime  *time.Time
	LastUsedTime *time.Time
	CreatedTime  time.Time
	// Passkey is the row of the passkey; nil for other kinds, and if they were not read.
	Passkey *Passkey `gorm:"-"`
}

// TableName implements gorm's Tabler.
func (Factor) TableName() string { return "user_factors" }

// RecoveryCode is a code that replaces a second factor once.
type RecoveryCode struct {
	ID          int64 `gorm:"primaryKey"`
	TenantID    int64
	UserID      int64
	CodeHash    string
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (RecoveryCode) TableName() string { return "recovery_codes" }

// Confirmed reads the confirmed factors of a user, oldest first.
func Confirmed(db *gorm.DB, userID int64) ([]Factor, error) {
	rows := []Factor{}
	if err := db.Where("user_id = ? AND expires_time IS NULL", userID).Order("id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the user's factors: %w", err)
	}
	return rows, nil
}

func countRecoveryCodes(db *gorm.DB, userID int64) (int64, error) {
	var left int64
	if err := db.Model(&RecoveryCode{}).Where("user_id = ?", userID).Count(&left).Error; err != nil {
		return 0, fmt.Errorf("count the user's recovery codes: %w", err)
	}
	return left, nil
}

// deleteUnconfirmed deletes a user's unconfirmed factors.
func deleteUnconfirmed(tx *gorm.DB, user Owner) error {
	const statement = "DELETE FROM user_factors WHERE tenant_id = ? AND user_id = ? AND expires_time IS NOT NULL"
	if err := tx.Exec(statement, user.TenantID, user.ID).Error; err != nil {
		return fmt.Errorf("delete unconfirmed factors: %w", err)
	}
	return nil
}

// DeleteAll deletes all factors and recovery codes of a user, in a unit that has updated the
// user's row.
func DeleteAll(tx *gorm.DB, user Owner) error {
	for _, table := range []string{"user_factors", "user_passkeys"} {
		if err := tx.Exec("DELETE FROM "+table+" WHERE tenant_id = ? AND user_id = ?", user.TenantID, user.ID).Error; err != nil {
			return fmt.Errorf("delete the user's factors: %w", err)
		}
	}
	return deleteRecoveryCodes(tx, user)
}

// Delete deletes one factor, in a unit that has updated the user's row.
func Delete(tx *gorm.DB, user Owner, id int64) error {
	for _, statement := range []string{
		"DELETE FROM user_factors WHERE tenant_id = ? AND id = ?",
		"DELETE FROM user_passkeys WHERE tenant_id = ? AND factor_id = ?",
	} {
		if err := tx.Exec(statement, user.TenantID, id).Error; err != nil {
			return fmt.Errorf("delete the factor: %w", err)
		}
	}
	return nil
}

func deleteRecoveryCodes(tx *gorm.DB, user Owner) error {
	if err := tx.Exec("DELETE FROM recovery_codes WHERE tenant_id = ? AND user_id = ?", user.TenantID, user.ID).Error; err != nil {
		return fmt.Errorf("delete the user's recovery codes: %w", err)
	}
	return nil
}

// ReplaceRecoveryCodes replaces a user's recovery codes, in a unit that has updated the user's row.
func ReplaceRecoveryCodes(tx *gorm.DB, user Owner, now time.Time) ([]string, error) {
	if err := deleteRecoveryCodes(tx, user); err != nil {
		return nil, err
	}
	codes, rows := make([]string, RecoveryCodes), make([]RecoveryCode, RecoveryCodes)
	for i := range codes {
		codes[i] = newRecoveryCode()
		rows[i] = RecoveryCode{UserID: user.ID, CodeHash: RecoveryDigest(codes[i]), CreatedTime: now}
	}
	if err := tx.Create(&rows).Error; err != nil {
		return nil, fmt.Errorf("insert recovery codes: %w", err)
	}
	return codes, nil
}

// associatedData returns the associated data that binds an encrypted secret to its user.
func associatedData(tenantID, userID int64) string {
	return "user_factors\x00" + strconv.FormatInt(tenantID, 10) + "\x00" + strconv.FormatInt(userID, 10)
}

// secretOf decrypts a factor's secret. Errors: encryption.ErrUnreadable.
func (s *Service) secretOf(row Factor) (string, error) {
	plain, err := s.cipher.Decrypt(row.Secret, row.SecretKey, associatedData(row.TenantID, row.UserID))
	if err != nil {
		return "", fmt.Errorf("read the secret of factor %d: %w", row.ID, err)
	}
	return string(plain), nil
}
