package change

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Model is the pointer to a model of a versioned row.
type Model[T any] interface {
	*T
	guard.Versioned
}

// Rows declares how the rows of a resource are read and represented.
type Rows[T any, M Model[T]] struct {
	DB *storage.DB
	// Label identifies a row in messages: `item "tea"`.
	Label func(row M) string
	// View returns the representation of a row.
	View func(ctx context.Context, row M) any
	// Find reads the row with an id; nil for a row that is stored entirely in its model's
	// table. Errors: gorm.ErrRecordNotFound.
	Find func(db *gorm.DB, id int64) (M, error)
}

// readCommitted reads the committed state of a row.
func (r Rows[T, M]) readCommitted(ctx context.Context, id int64) (M, error) {
	return r.find(r.DB.Read(ctx), id)
}

// DuplicateReference returns an error that rolls the unit back and becomes PayloadMismatch: the row
// that matches condition already has the external reference that the unit assigns to another row.
// If no row matches any more, the unit is run again.
func (r Rows[T, M]) DuplicateReference(reference, condition string, args ...any) error {
	return uow.Explain(func(ctx context.Context) error {
		var ids []int64
		if err := r.DB.Read(ctx).Model(new(T)).Where(condition, args...).Limit(1).Pluck("id", &ids).Error; err != nil {
			return fmt.Errorf("find the row with a reference: %w", err)
		}
		if len(ids) == 0 {
			return uow.Overtaken("reference")
		}
		first, err := r.readCommitted(ctx, ids[0])
		if err != nil {
			return err
		}
		return apperr.New(apperr.PayloadMismatch, "Reference %q belongs to %s already. Nothing was changed; check which of both it is for.", reference, r.Label(first)).
			With("first", r.View(ctx, first))
	})
}

// readForUpdate reads a row FOR UPDATE in the unit's transaction. On SQLite the transaction is
// the lock: there is one writer.
func (r Rows[T, M]) readForUpdate(ctx context.Context, u *uow.Unit, id int64) (M, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	return r.find(tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), id) //nolint:forbidigo // the version decides, in package guard
}

func (r Rows[T, M]) find(db *gorm.DB, id int64) (M, error) {
	if r.Find != nil {
		return r.Find(db, id)
	}
	row := M(new(T))
	if err := db.Where("id = ?", id).Take(row).Error; err != nil {
		return nil, err
	}
	return row, nil
}
