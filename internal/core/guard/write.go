package guard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
)

// Errors of guarded writes. With each of them nothing was changed.
var (
	// ErrDeleted: the row does not exist.
	ErrDeleted = errors.New("guard: the row does not exist")
	// ErrStale: the row exists and has another version than its author read.
	ErrStale = errors.New("guard: the row has changed")
	// ErrRefused: the row exists and does not satisfy the condition.
	ErrRefused = errors.New("guard: the condition does not hold")
)

// Unit is the part of a uow.Unit that guarded writes need.
type Unit interface {
	Tx(ctx context.Context) (*gorm.DB, error)
	Now() time.Time
	// Approval is the id of the approval that the unit applies; 0 for none.
	Approval() int64
}

// Deferred returns u for writes that may be sent together with the following statements, up
// to COMMIT. A caller may use it if no later step of the unit outside its transaction
// depends on the row lock or on the guard; statements in the transaction see the write. If
// the guard fails, the unit is rolled back and run again statement by statement, and the
// write returns the error.
func Deferred(u Unit) Unit { return deferredUnit{u} }

type deferredUnit struct{ Unit }

func isDeferred(u Unit) bool {
	_, is := u.(deferredUnit)
	return is
}

// Set maps columns to new values. It is a map because gorm omits the zero values of a
// struct.
type Set map[string]any

// Add returns a value for a Set that adds delta to the column.
func Add(column string, delta int64) any { return gorm.Expr(column+" + ?", delta) }

// rowEmbedder is implemented by every model that embeds Row.
type rowEmbedder interface{ guarded() *Row }

func (r *Row) guarded() *Row { return r }

// Insert adds a row at version 1, stamped with the unit's time and author:
//
//	INSERT INTO t (tenant_id, version, …) VALUES (?, 1, …)
//
// Insert sets the row's ID and stamps.
func Insert(ctx context.Context, u Unit, model rowEmbedder) error {
	return InsertAt(ctx, u, model, 1)
}

// InsertAt is Insert for a row that starts at a later version, such as one that combines
// several changes.
func InsertAt(ctx context.Context, u Unit, model rowEmbedder, version int64) error {
	who, err := actor(ctx)
	if err != nil {
		return err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	row := model.guarded()
	row.Version, row.CreatedTime, row.UpdatedTime = version, u.Now(), u.Now()
	row.UpdatedBy, row.UpdatedByName = who.UserID, who.Name
	return storage.Insert(tx, model)
}

// InsertMany is Insert for many rows, perStatement rows per statement. It does not set the
// rows' IDs: on engines with an id increment other than 1 they would be wrong.
func InsertMany[T any, P interface {
	*T
	rowEmbedder
}](ctx context.Context, u Unit, rows []T, perStatement int) error {
	who, err := actor(ctx)
	if err != nil {
		return err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	for i := range rows {
		row := P(&rows[i]).guarded()
		row.Version, row.CreatedTime, row.UpdatedTime = 1, u.Now(), u.Now()
		row.UpdatedBy, row.UpdatedByName = who.UserID, who.Name
	}
	return tx.CreateInBatches(slices.Clone(rows), perStatement).Error
}

// Update changes the row that ref names, if it still has that version:
//
//	UPDATE t SET …, version = version + 1 WHERE tenant_id = ? AND id = ? AND version = ?
//
// Errors: ErrDeleted, ErrStale. T is the model.
func Update[T any](ctx context.Context, u Unit, ref Ref, set Set) error {
	return UpdateBy[T](ctx, u, ref, 1, set)
}

// UpdateBy is Update for steps changes in one statement; steps is at least 1:
//
//	UPDATE t SET …, version = version + ? WHERE tenant_id = ? AND id = ? AND version = ?
func UpdateBy[T any](ctx context.Context, u Unit, ref Ref, steps int64, set Set) error {
	if steps < 1 {
		return fmt.Errorf("guard: a change of %d steps", steps)
	}
	return write[T](ctx, u, protectionFor[T](u), ref.ID, steps, set, ErrStale, "version = ?", ref.Version)
}

// Advance updates the caller's copy of a row as Update or Transition updated the stored
// row: the next version, the unit's time and author.
func Advance(ctx context.Context, u Unit, model rowEmbedder) error {
	return AdvanceBy(ctx, u, model, 1)
}

// AdvanceBy is Advance after UpdateBy.
func AdvanceBy(ctx context.Context, u Unit, model rowEmbedder, steps int64) error {
	who, err := actor(ctx)
	if err != nil {
		return err
	}
	row := model.guarded()
	row.Version += steps
	row.UpdatedTime, row.UpdatedBy, row.UpdatedByName = u.Now(), who.UserID, who.Name
	return nil
}

// Transition moves the row that ref names from one state to another, if it still
// has that state and version:
//
//	UPDATE t SET …, status = ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND status = ? AND version = ?
//
// Errors: ErrDeleted, ErrStale. The caller must have checked that the machine allows the step.
func Transition[T any](ctx context.Context, u Unit, ref Ref, from, to status.State, set Set) error {
	return transition[T](ctx, u, protectionFor[T](u), ref, from, to, set)
}

func transition[T any](ctx context.Context, u Unit, p protection, ref Ref, from, to status.State, set Set) error {
	columns := maps.Clone(set)
	if columns == nil {
		columns = Set{}
	}
	columns["status"] = to.Code
	return write[T](ctx, u, p, ref.ID, 1, columns, ErrStale, "status = ? AND version = ?", from.Code, ref.Version)
}

// Adjust changes a row by arithmetic under a condition instead of a version, for counters
// where only the bound matters and not the order of writers:
//
//	UPDATE t SET n = n + ?, version = version + 1 WHERE tenant_id = ? AND id = ? AND (n + ? <= total)
//
// Errors: ErrDeleted, ErrRefused.
func Adjust[T any](ctx context.Context, u Unit, id int64, set Set, condition string, args ...any) error {
	return write[T](ctx, u, protectionFor[T](u), id, 1, set, ErrRefused, "("+condition+")", args...)
}

// Delete removes the row that ref names, if it still has that version:
//
//	DELETE FROM t WHERE tenant_id = ? AND id = ? AND version = ?
//
// Errors: ErrDeleted, ErrStale.
func Delete[T any](ctx context.Context, u Unit, ref Ref) error {
	return remove[T](ctx, u, protectionFor[T](u), ref)
}

func remove[T any](ctx context.Context, u Unit, p protection, ref Ref) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if isDeferred(u) {
		tx = storage.DeferredOneRow(tx)
	}
	query := tx.Where("id = ? AND version = ?", ref.ID, ref.Version)
	if condition, args := p.predicate(); condition != "" {
		query = query.Where(condition, args...)
	}
	result := query.Delete(new(T))
	return requireOneRow[T](tx, result.RowsAffected, result.Error, p, ref.ID, ErrStale, atVersion, ref.Version)
}

// write executes the guarded UPDATE. It builds the statement as text, because GORM would need three
// times as many allocations on every mutation.
func write[T any](ctx context.Context, u Unit, p protection, id, steps int64, set Set, missed error, condition string, args ...any) error {
	who, tx, table, err := target[T](ctx, u)
	if err != nil {
		return err
	}
	var query strings.Builder
	values := make([]any, 0, len(set)+len(args)+6)
	query.WriteString("UPDATE " + table + " SET ")
	for _, column := range slices.Sorted(maps.Keys(set)) {
		query.WriteString("`" + column + "` = ")
		if sum, computed := set[column].(clause.Expr); computed {
			query.WriteString(sum.SQL)
			values = append(values, sum.Vars...)
		} else {
			query.WriteByte('?')
			values = append(values, set[column])
		}
		query.WriteString(", ")
	}
	if p.clears {
		query.WriteString("proposed = 0, ")
	}
	query.WriteString("version = version + ?, updated_time = ?, updated_by = ?, updated_by_name = ? WHERE tenant_id = ? AND id = ? AND " + condition)
	values = append(values, steps, u.Now(), who.UserID, who.Name, who.TenantID, id)
	values = append(values, args...)
	if protected, given := p.predicate(); protected != "" {
		query.WriteString(" AND " + protected)
		values = append(values, given...)
	}
	exec := storage.Exec
	if isDeferred(u) {
		exec = storage.ExecDeferredOneRow
	}
	changed, err := exec(tx, query.String(), values...)
	return requireOneRow[T](tx, changed, err, p, id, missed, condition, args...)
}

// target returns the author with the tenant, the transaction, and the table for an UPDATE of one
// row. Errors: storage.ErrNoTenant.
func target[T any](ctx context.Context, u Unit) (who principal.Principal, tx *gorm.DB, table string, err error) {
	if who, err = actor(ctx); err != nil {
		return who, nil, "", err
	}
	if who.TenantID == 0 {
		return who, nil, "", storage.ErrNoTenant
	}
	if tx, err = u.Tx(ctx); err != nil {
		return who, nil, "", err
	}
	table, err = byKey[T](tx)
	return who, tx, table, err
}

// byKey returns the table of a model, on MySQL with a hint to find the row of an UPDATE by the
// primary key. Without the hint, MySQL sometimes uses an index that starts with the tenant for a
// small table, and locks the index entry before the row. A concurrent UPDATE that moves the row in
// that index locks in the opposite order, and the engine aborts one of the two as a deadlock.
func byKey[T any](tx *gorm.DB) (string, error) {
	table, err := tableOf[T](tx)
	if err == nil && tx.Name() == "mysql" {
		table += " FORCE INDEX (PRIMARY)"
	}
	return table, err
}

var tables sync.Map

// tableOf returns the table name of a model, as GORM derives it.
func tableOf[T any](tx *gorm.DB) (string, error) {
	model := reflect.TypeFor[T]()
	if table, ok := tables.Load(model); ok {
		return table.(string), nil
	}
	statement := &gorm.Statement{DB: tx}
	if err := statement.Parse(new(T)); err != nil {
		return "", fmt.Errorf("guard: read the model: %w", err)
	}
	tables.Store(model, statement.Table)
	return statement.Table, nil
}

// requireOneRow checks that exactly one row changed. If none did, it queries the row again
// to distinguish a deleted, a stale and a protected row.
func requireOneRow[T any](tx *gorm.DB, changed int64, err error, p protection, id int64, missed error, condition string, args ...any) error {
	switch {
	case err != nil:
		return err
	case changed == 1:
		return nil
	case changed > 1:
		return fmt.Errorf("guard: %d rows changed, want one", changed)
	}
	var count int64
	if err := tx.Model(new(T)).Where("id = ?", id).Count(&count).Error; err != nil {
		return err
	}
	if count == 0 {
		return ErrDeleted
	}
	return p.refusal(tx.Model(new(T)).Where("id = ?", id).Where("("+condition+")", args...), missed)
}
