package storage

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"interlock/internal/base/principal"
)

// Insert inserts a row, a pointer to a model, and sets its generated key. It replaces tx.Create in
// business writes, as Exec replaces tx.Exec: it reads columns and values by GORM's schema of the
// model and binds the row to the tenant of the context, without GORM's callbacks. Models must have
// neither hooks nor associations.
func Insert(tx *gorm.DB, row any) error {
	value := reflect.ValueOf(row).Elem()
	insert, err := insertOf(tx, value)
	if err != nil {
		return err
	}
	result, err := send(tx.Statement.Context, tx, insert.text, insert.args)
	if err != nil || insert.key == nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return fmt.Errorf("read the key of an inserted row: %w", err)
	}
	return insert.key.Set(tx.Statement.Context, value, id)
}

// rowsPerInsert bounds the rows of one deferred statement.
const rowsPerInsert = 200

// InsertDeferred is like Insert, in deferred statements for many rows each. It sets no keys; see Deferred.
func InsertDeferred[T any](tx *gorm.DB, rows ...T) error {
	for part := range slices.Chunk(rows, rowsPerInsert) {
		values := make([]reflect.Value, len(part))
		for i := range part {
			values[i] = reflect.ValueOf(&part[i]).Elem()
		}
		insert, err := insertOf(tx, values...)
		if err != nil {
			return err
		}
		if _, err := send(waiting(tx, wait{}), tx, insert.text, insert.args); err != nil {
			return err
		}
	}
	return nil
}

// insert is an INSERT of rows of one model.
type insert struct {
	text string
	args []any
	// key is the column that the engine generates; nil for none.
	key *schema.Field
}

func insertOf(tx *gorm.DB, rows ...reflect.Value) (insert, error) {
	ctx := tx.Statement.Context
	parsed := &gorm.Statement{DB: tx, Context: ctx}
	if err := parsed.Parse(rows[0].Addr().Interface()); err != nil {
		return insert{}, fmt.Errorf("read the columns of %s: %w", rows[0].Type(), err)
	}
	model := parsed.Schema
	if err := bindRows(ctx, tx, model, rows); err != nil {
		return insert{}, err
	}
	made := insert{}
	if key := model.PrioritizedPrimaryField; key != nil && key.AutoIncrement {
		if _, zero := key.ValueOf(ctx, rows[0]); zero {
			made.key = key
		}
	}
	names := make([]string, 0, len(model.DBNames))
	for _, name := range model.DBNames {
		if field := model.FieldsByDBName[name]; field != made.key && field.Creatable {
			names = append(names, name)
		}
	}
	places := "(?" + strings.Repeat(",?", len(names)-1) + ")"
	made.text = "INSERT INTO `" + model.Table + "` (`" + strings.Join(names, "`,`") + "`) VALUES " + places + strings.Repeat(","+places, len(rows)-1)
	made.args = make([]any, 0, len(rows)*len(names))
	for _, row := range rows {
		for _, name := range names {
			value, _ := model.FieldsByDBName[name].ValueOf(ctx, row)
			made.args = append(made.args, value)
		}
	}
	return made, nil
}

// bindRows sets the tenant of rows, as the tenancy plugin does.
func bindRows(ctx context.Context, tx *gorm.DB, model *schema.Schema, rows []reflect.Value) error {
	if reflect.PointerTo(model.ModelType).Implements(globalType) || crossesTenants(tx) {
		return nil
	}
	who, ok := principal.From(ctx)
	column := model.LookUpField(tenantColumn)
	switch {
	case !ok || who.TenantID == 0:
		return fmt.Errorf("%w: table %q: the context has no principal", ErrNoTenant, model.Table)
	case column == nil:
		return fmt.Errorf("%w: table %q: the model has no TenantID and is not Global", ErrNoTenant, model.Table)
	}
	for _, row := range rows {
		if err := column.Set(ctx, row, who.TenantID); err != nil {
			return err
		}
	}
	return nil
}
