package access

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/secrets"
	"interlock/internal/base/storage"
)

// Link maps an identity at a provider of single sign-on to a user. Adding or removing a link
// changes the user's version.
type Link struct {
	ID       int64 `gorm:"primaryKey"`
	TenantID int64
	UserID   int64
	// IdentityHash is the lookup key: a digest of issuer and subject. It compares them byte for
	// byte, independently of a database's collation.
	IdentityHash string
	// Issuer and Subject are for display.
	Issuer, Subject string
	LastUsedTime    *time.Time
	CreatedTime     time.Time
}

// TableName implements gorm's Tabler.
func (Link) TableName() string { return "user_links" }

// identityKey is the unique key that maps an identity to at most one user of a tenant.
const identityKey = "uq_user_links_identity"

// identityHash returns the digest of an identity. An issuer is a URL and contains no NUL.
func identityHash(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\x00" + subject))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// linkTo finds the link of an identity, in the context's tenant. Errors: gorm.ErrRecordNotFound.
func linkTo(db *gorm.DB, issuer, subject string) (Link, error) {
	var row Link
	err := db.Where("identity_hash = ?", identityHash(issuer, subject)).Take(&row).Error
	return row, err
}

// linksOf reads a user's links, oldest first.
func linksOf(db *gorm.DB, userID int64) ([]Link, error) {
	rows := []Link{}
	if err := db.Where("user_id = ?", userID).Order("id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the user's links: %w", err)
	}
	return rows, nil
}

// use records a sign-in by a link, in a unit that locks the user. Errors: errNotLinked if the
// link no longer exists.
//
//	UPDATE user_links SET last_used_time = ? WHERE tenant_id = ? AND id = ? AND user_id = ?
func (l Link) use(tx *gorm.DB, now time.Time) error {
	const statement = "UPDATE user_links SET last_used_time = ? WHERE tenant_id = ? AND id = ? AND user_id = ?"
	result := tx.Exec(statement, now, l.TenantID, l.ID, l.UserID)
	switch {
	case result.Error != nil:
		return fmt.Errorf("note the use of a link: %w", result.Error)
	case result.RowsAffected != 1:
		return errNotLinked()
	}
	return nil
}

// flowRow is a started single sign-on that waits for the provider's response. It grants no access:
// the state and the browser's cookie are stored as digests.
type flowRow struct {
	ID        int64 `gorm:"primaryKey"`
	StateHash string
	// BrowserHash is the digest of the browser's cookie. A response in another browser may come
	// from an attacker who tries to sign the victim in to another account.
	BrowserHash string
	Provider    string
	Purpose     string
	// Tenant is a tenant's name as the user typed it.
	Tenant string
	// UserID is 0 for a sign-in, where the response identifies the user.
	UserID int64
	// ProofHash is the digest of the invitation, of the linking session, or of the session that a
	// sign-in replaces; "" for none.
	ProofHash       string
	Nonce, Verifier string
	ExpiresTime     time.Time
	CreatedTime     time.Time
}

// TableName implements gorm's Tabler.
func (flowRow) TableName() string { return "sign_in_flows" }

// Global implements storage.Global: the typed tenant may not exist.
func (flowRow) Global() {}

// redeemFlow deletes the flow of a state, for the browser that started it. Of concurrent calls,
// the row count lets one succeed:
//
//	DELETE FROM sign_in_flows WHERE id = ?
//
// Errors: errFlowOver.
func (s *Service) redeemFlow(ctx context.Context, provider, state, browser string, now time.Time) (flowRow, error) {
	var row flowRow
	err := s.db.Read(ctx).Where("state_hash = ? AND provider = ?", secrets.DigestOf(state).String(), provider).Take(&row).Error
	switch {
	case storage.IsNotFound(err):
		return row, errFlowOver()
	case err != nil:
		return row, fmt.Errorf("read a sign-in: %w", err)
	case !secrets.Same(secrets.DigestOf(browser).String(), row.BrowserHash), !now.Before(row.ExpiresTime):
		return row, errFlowOver()
	}
	result := s.db.Write(storage.AcrossTenants(ctx)).Exec("DELETE FROM sign_in_flows WHERE id = ?", row.ID)
	switch {
	case result.Error != nil:
		return row, fmt.Errorf("redeem a sign-in: %w", result.Error)
	case result.RowsAffected != 1:
		return row, errFlowOver()
	}
	return row, nil
}
