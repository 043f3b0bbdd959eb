package factors

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"interlock/internal/access/secrets"
	"interlock/internal/base/passkey"
)

// Passkey contains the data that only factors of the kind passkey have. Its row is inserted at the
// confirmation of the factor and deleted with the factor.
type Passkey struct {
	ID       int64 `gorm:"primaryKey"`
	TenantID int64
	UserID   int64
	FactorID int64
	// Site is the host of the passkey. It is unusable while the service has another host.
	Site string
	// CredentialHash is unique over all users of all tenants, so that no user can register another
	// user's passkey.
	CredentialHash string
	CredentialID   []byte
	PublicKey      []byte
	UserHandle     []byte
	Counter        uint32
	Flags          passkey.Flags
	// Transports are separated by commas.
	Transports string
	Model      string
	// CloneWarningTime is the last time at which the counter of the passkey decreased.
	CloneWarningTime *time.Time
}

// TableName implements gorm's Tabler.
func (Passkey) TableName() string { return "user_passkeys" }

const credentialKey = "uq_user_passkeys_credential"

// passkeyOf returns the row of a passkey of a site.
func passkeyOf(site string, p passkey.Passkey) Passkey {
	return Passkey{
		Site: site, CredentialHash: credentialHash(site, p.ID), CredentialID: p.ID, PublicKey: p.PublicKey, UserHandle: p.Handle,
		Counter: p.Counter, Flags: p.Flags, Transports: strings.Join(p.Transports, ","), Model: p.Model.String(),
	}
}

// credentialHash returns the comparison key of a credential id: databases compare long binary
// values incompletely, or do not index them.
func credentialHash(site string, id []byte) string {
	return secrets.Digest(sha256.Sum256([]byte(site + "\x00" + string(id)))).String()
}

// TransportList returns the transports by which browsers reach the authenticator.
func (p Passkey) TransportList() []string {
	if p.Transports == "" {
		return []string{}
	}
	return strings.Split(p.Transports, ",")
}

// known converts rows to the type of package passkey.
func known(rows []Passkey) []passkey.Passkey {
	all := make([]passkey.Passkey, len(rows))
	for i, row := range rows {
		// An unreadable model is unknown; nothing depends on it.
		model, _ := uuid.Parse(row.Model)
		all[i] = passkey.Passkey{
			ID: row.CredentialID, PublicKey: row.PublicKey, Handle: row.UserHandle, Transports: row.TransportList(), Model: model,
			State: passkey.State{Counter: row.Counter, Flags: row.Flags},
		}
	}
	return all
}

// passkeysHere reads a user's passkeys for this site, oldest first.
func (s *Service) passkeysHere(db *gorm.DB, userID int64) ([]Passkey, error) {
	if s.site == nil {
		return nil, nil
	}
	var rows []Passkey
	if err := db.Where("user_id = ? AND site = ?", userID, s.site.ID()).Order("id").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the user's passkeys: %w", err)
	}
	return rows, nil
}

// attachPasskeys reads the Passkey of those factors that are passkeys.
func attachPasskeys(db *gorm.DB, userID int64, factors []Factor) error {
	var rows []Passkey
	if err := db.Where("user_id = ?", userID).Find(&rows).Error; err != nil {
		return fmt.Errorf("read the user's passkeys: %w", err)
	}
	for i := range factors {
		for _, row := range rows {
			if row.FactorID == factors[i].ID {
				factors[i].Passkey = &row
			}
		}
	}
	return nil
}
