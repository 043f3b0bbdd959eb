// Package storage opens the database.
package storage

import (
	"gorm.io/gorm"

	_ "interlock/internal/base/principal"
	_ "interlock/internal/settings" // forbidden: depguard depguard
)

// Touch writes a row without a version.
func Touch(tx *gorm.DB) error { return tx.Updates(map[string]any{"touched": 1}).Error }
