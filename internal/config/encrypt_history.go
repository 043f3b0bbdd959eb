package config

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"interlock/internal/core/uow"
)

const (
	// maxVersionsPerStatement bounds the versions that one statement encrypts.
	maxVersionsPerStatement = 100
	// maxBytesPerStatement bounds the values in one statement, because servers limit its length. A
	// larger single value still fits.
	maxBytesPerStatement = 1 << 20
)

// encryptHistory encrypts the plain values of all versions of a key when its config becomes secret,
// because the newest of them is probably the secret. It runs in the unit of that change, so the
// config becomes secret only if all versions are encrypted. Versions equal to the config's value
// get the same ciphertext: a merge based on one of them must not detect a change of the value.
func (s *Service) encryptHistory(ctx context.Context, u *uow.Unit, c *Config) error {
	tx, err := s.tx(ctx, u)
	if err != nil {
		return err
	}
	for {
		var versions []History
		err := tx.Where("`key` = ? AND value_key = ''", c.Key).Order("id").Limit(maxVersionsPerStatement).Find(&versions).Error
		if err != nil {
			return fmt.Errorf("read the versions of config %q to encrypt: %w", c.Key, err)
		}
		for remaining := versions; len(remaining) > 0; {
			fits := fitting(remaining)
			if err := s.encryptVersions(tx, c, remaining[:fits]); err != nil {
				return err
			}
			remaining = remaining[fits:]
		}
		if len(versions) < maxVersionsPerStatement {
			return nil
		}
	}
}

// fitting returns the number of versions that fit into one statement.
func fitting(versions []History) int {
	bytes := 0
	for i, h := range versions {
		if bytes += len(h.Value); i > 0 && bytes > maxBytesPerStatement {
			return i
		}
	}
	return len(versions)
}

// encryptVersions encrypts versions in one statement:
//
//	UPDATE config_histories SET value = '', value_key = ?, sealed_value = CASE id … END
//	 WHERE tenant_id = ? AND id IN (…) AND value_key = ''
func (s *Service) encryptVersions(tx *gorm.DB, c *Config, versions []History) error {
	var cases strings.Builder
	var ids []int64
	arguments := []any{c.KeyID}
	for _, h := range versions {
		sealed := c.Stored
		if c.hasNewValue || h.Value != c.Value {
			sealed = s.vault.encrypt(h.TenantID, h.Key, h.Value)
		}
		cases.WriteString(" WHEN ? THEN ?")
		arguments, ids = append(arguments, h.ID, sealed.Sealed), append(ids, h.ID)
	}
	err := tx.Exec("UPDATE config_histories SET value = '', value_key = ?, sealed_value = CASE id"+cases.String()+" END "+
		"WHERE tenant_id = ? AND id IN ? AND value_key = ''", append(arguments, c.TenantID, ids)...).Error
	if err != nil {
		return fmt.Errorf("encrypt %d versions of config %q: %w", len(versions), c.Key, err)
	}
	return nil
}
