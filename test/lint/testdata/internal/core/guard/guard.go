// Package guard writes guarded rows.
package guard

import (
	"gorm.io/gorm"

	_ "interlock/internal/base/storage"
	_ "interlock/internal/catalog" // forbidden: depguard
)

// Update is the guarded write.
func Update(tx *gorm.DB, row any) error {
	if err := tx.Where("id = ? AND version = ?", 1, 1).Updates(row).Error; err != nil {
		return err
	}
	return tx.Save(row).Error // forbidden: forbidigo
}
