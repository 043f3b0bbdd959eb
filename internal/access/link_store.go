package access

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/storage"
)

// Link says whom a provider of single sign-on names when it names a user of ours. It is made
// and removed with the version of the user.
type Link struct {
	ID       int64 `gorm:"primaryKey"`
	TenantID int64
	UserID   int64
	// IdentityHash is what a link is found by: a digest of issuer and subject, which are
	// compared byte for byte, whatever an engine's collation thinks of case and blanks.
	IdentityHash string
	// Issuer and Subject are for people.
	Issuer, Subject string
	LastUsedTime    *time.Time
	CreatedTime     time.Time
}

// TableName implements gorm's Tabler.
func (Link) TableName() string { return "user_links" }

// identityKey is the unique key that keeps whom a provider names one user of a tenant.
const identityKey = "uq_user_links_identity"

// identityHash is the digest of whom an issuer names. An issuer is a URL and has no NUL.
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

// use notes that a link lets its user in, in a unit that holds the user, and refuses when it
// is there no more:
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

// flowRow is a question that somebody was sent to a provider with and that waits for the
// answer. It opens nothing by itself: of the state and of the browser's cookie it has digests.
type flowRow struct {
	ID        int64 `gorm:"primaryKey"`
	StateHash string
	// BrowserHash is the digest of the cookie of the browser that asked. An answer from any
	// other browser is somebody's who would sign its owner in as somebody else.
	BrowserHash string
	Provider    string
	Purpose     string
	// Tenant is a tenant's name as it was typed.
	Tenant string
	// UserID is 0 for a sign-in, whose answer says who comes.
	UserID int64
	// ProofHash is the digest of what the flow was begun with: the invitation, the session that
	// links, or the session that the browser had and that a sign-in ends; "" for none.
	ProofHash       string
	Nonce, Verifier string
	ExpiresTime     time.Time
	CreatedTime     time.Time
}

// TableName implements gorm's Tabler.
func (flowRow) TableName() string { return "sign_in_flows" }

// Global implements storage.Global: what somebody typed may be no tenant.
func (flowRow) Global() {}

// redeemFlow ends the flow of a state, for the browser that began it; of many at once the number
// of rows decides which one goes on:
//
//	DELETE FROM sign_in_flows WHERE id = ?
//
// Errors: errFlowOver.
func (s store) redeemFlow(ctx context.Context, provider, state, browser string, now time.Time) (flowRow, error) {
	var row flowRow
	err := s.db.Read(ctx).Where("state_hash = ? AND provider = ?", digestOf(state).String(), provider).Take(&row).Error
	switch {
	case storage.IsNotFound(err):
		return row, errFlowOver()
	case err != nil:
		return row, fmt.Errorf("read a sign-in: %w", err)
	case !sameSecret(digestOf(browser).String(), row.BrowserHash), !now.Before(row.ExpiresTime):
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
