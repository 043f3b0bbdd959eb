package access

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/access/secrets"
	"interlock/internal/base/storage"
)

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
// Errors: errFlowEnded.
func (s *Service) redeemFlow(ctx context.Context, provider, state, browser string, now time.Time) (flowRow, error) {
	var row flowRow
	err := s.db.Read(ctx).Where("state_hash = ? AND provider = ?", secrets.DigestOf(state).String(), provider).Take(&row).Error
	switch {
	case storage.IsNotFound(err):
		return row, errFlowEnded()
	case err != nil:
		return row, fmt.Errorf("read a sign-in: %w", err)
	case !secrets.Same(secrets.DigestOf(browser).String(), row.BrowserHash), !now.Before(row.ExpiresTime):
		return row, errFlowEnded()
	}
	result := s.db.Write(storage.AcrossTenants(ctx)).Exec("DELETE FROM sign_in_flows WHERE id = ?", row.ID)
	switch {
	case result.Error != nil:
		return row, fmt.Errorf("redeem a sign-in: %w", result.Error)
	case result.RowsAffected != 1:
		return row, errFlowEnded()
	}
	return row, nil
}
