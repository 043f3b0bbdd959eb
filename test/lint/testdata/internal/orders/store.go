package orders

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type order struct{ ID int64 }

// Write bypasses guard in every possible way.
func Write(ctx context.Context, tx *gorm.DB, row any) {
	tx.Save(row)                                                 // forbidden: forbidigo
	tx.WithContext(ctx).Where("id = ?", 1).Save(row)             // forbidden: forbidigo
	tx.Clauses(clause.OnConflict{UpdateAll: true})               // forbidden: forbidigo
	tx.Clauses(clause.OnConflict{DoNothing: true})               // the row there stays as it is
	tx.Clauses(clause.Locking{Strength: "UPDATE"}).Take(row)     // forbidden: forbidigo
	tx.Model(row).Where("id = ?", 1).Updates(row)                // forbidden: forbidigo
	tx.Model(row).Update("status", 1)                            // forbidden: forbidigo
	tx.Model(row).UpdateColumn("status", 1)                      // forbidden: forbidigo
	tx.Model(row).UpdateColumns(row)                             // forbidden: forbidigo
	tx.Delete(row)                                               // forbidden: forbidigo
	_, _ = gorm.G[order](tx).Where("id = ?", 1).Count(ctx, "id") // forbidden: forbidigo
	write := tx.Model(row).Updates                               // forbidden: forbidigo
	write(row)
	tx.Callback().Update().Remove("name") // forbidden: errcheck
}

// Prune is allowed, because it states the reason.
func Prune(tx *gorm.DB) error {
	return tx.Delete(&order{}).Error //nolint:forbidigo // tickets have no version
}

// PruneAll does not state the reason.
func PruneAll(tx *gorm.DB) error {
	// forbidden: nolintlint
	return tx.Delete(&order{}).Error //nolint:forbidigo
}
