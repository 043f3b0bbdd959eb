package access

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"interlock/internal/base/passkey"
)

// Passkey is what is kept of a passkey beside its factor, with which it comes and goes. There is
// none for a factor that is not confirmed.
type Passkey struct {
	ID       int64 `gorm:"primaryKey"`
	TenantID int64
	UserID   int64
	FactorID int64
	// Site is the host that it is good for. When the service moves to another, it is good for
	// nothing until the service is back.
	Site string
	// CredentialHash is of one user, of all tenants: who shows the passkey of another registers
	// nothing.
	CredentialHash string
	CredentialID   []byte
	PublicKey      []byte
	UserHandle     []byte
	Counter        uint32
	Flags          passkey.Flags
	// Transports are divided by commas.
	Transports string
	Model      string
	// CloneWarningTime is when its counter was last seen to go back.
	CloneWarningTime *time.Time
}

// TableName implements gorm's Tabler.
func (Passkey) TableName() string { return "user_passkeys" }

const credentialKey = "uq_user_passkeys_credential"

// passkeyOf is the row of a passkey that was made for a site.
func passkeyOf(site string, p passkey.Passkey) Passkey {
	return Passkey{
		Site: site, CredentialHash: credentialHash(site, p.ID), CredentialID: p.ID, PublicKey: p.PublicKey, UserHandle: p.Handle,
		Counter: p.Counter, Flags: p.Flags, Transports: strings.Join(p.Transports, ","), Model: p.Model.String(),
	}
}

// credentialHash is by what a credential id is compared: engines hold long ones for equal, or
// take none for a key.
func credentialHash(site string, id []byte) string {
	return digest(sha256.Sum256([]byte(site + "\x00" + string(id)))).String()
}

// transports are the ways by which browsers reach the authenticator.
func (p Passkey) transports() []string {
	if p.Transports == "" {
		return []string{}
	}
	return strings.Split(p.Transports, ",")
}

// known are rows as package passkey knows them.
func known(rows []Passkey) []passkey.Passkey {
	all := make([]passkey.Passkey, len(rows))
	for i, row := range rows {
		// One that cannot be read is of no known model; nothing is decided by it.
		model, _ := uuid.Parse(row.Model)
		all[i] = passkey.Passkey{
			ID: row.CredentialID, PublicKey: row.PublicKey, Handle: row.UserHandle, Transports: row.transports(), Model: model,
			State: passkey.State{Counter: row.Counter, Flags: row.Flags},
		}
	}
	return all
}

// passkeysHere reads a user's passkeys that are good at this site, oldest first.
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

// attachPasskeys reads the rest of those of a user's factors that are passkeys.
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
