package change

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Rows reads and writes the rows of a resource by their id, as an Editable does. T is the
// model.
type Rows[T any] struct{ DB *storage.DB }

// Fetch implements Editable.
func (r Rows[T]) Fetch(ctx context.Context, id int64) (*T, error) {
	return byID[T](r.DB.Read(ctx), id)
}

// FetchLocked implements Editable. On SQLite the transaction is the lock: there is one
// writer.
func (r Rows[T]) FetchLocked(ctx context.Context, u *uow.Unit, id int64) (*T, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	return byID[T](tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), id)
}

// Write implements Editable.
func (r Rows[T]) Write(ctx context.Context, u *uow.Unit, ref guard.Ref, set guard.Set) error {
	return guard.Update[T](ctx, u, ref, set)
}

func byID[T any](db *gorm.DB, id int64) (*T, error) {
	row := new(T)
	if err := db.Where("id = ?", id).Take(row).Error; err != nil {
		return nil, err
	}
	return row, nil
}
