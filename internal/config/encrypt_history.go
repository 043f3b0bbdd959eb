package config

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"interlock/internal/core/uow"
)

const (
	// maxVersionsPerStatement is how many versions are encrypted by one statement.
	maxVersionsPerStatement = 100
	// maxBytesPerStatement bounds the values in one statement, whose length the servers limit. One
	// value is always taken.
	maxBytesPerStatement = 1 << 20
)

// encryptHistory encrypts the values of all versions of a key that are in clear, when its config
// becomes secret: the newest of them is likely what it is to keep. It is part of that unit, so all
// are encrypted or the config is not secret. Versions with the value that the config keeps are
// encrypted as that is: a merge with one of them as its base does not take the value for changed.
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
		for left := versions; len(left) > 0; {
			fits := fitting(left)
			if err := s.encryptVersions(tx, c, left[:fits]); err != nil {
				return err
			}
			left = left[fits:]
		}
		if len(versions) < maxVersionsPerStatement {
			return nil
		}
	}
}

// fitting is how many of the versions one statement takes.
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
		if c.given || h.Value != c.Value {
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
