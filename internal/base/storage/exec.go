package storage

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"

	"gorm.io/gorm"
)

// Exec runs a statement that changes rows, in a transaction, and returns the number of changed
// rows. It replaces tx.Exec for the statements of every business write: it passes the text and its
// arguments to the driver unchanged. GORM would clone its state, rebuild the text and call its
// plugins, which costs as much as sending the statement. The rules of the plugins apply here too:
// the text must name tenant_id, a change marks its unit, and errors have their class. Exec supports
// nothing else of GORM: an argument is one value, not a slice or an expression.
func Exec(tx *gorm.DB, text string, args ...any) (changed int64, err error) {
	return changedBy(exec(tx.Statement.Context, tx, text, args))
}

// ExecDeferred is like Exec, for a statement without a needed result; see Deferred.
func ExecDeferred(tx *gorm.DB, text string, args ...any) error {
	_, err := exec(waiting(tx, wait{}), tx, text, args)
	return err
}

// ExecDeferredOneRow is like Exec, for a statement that changes exactly one row; see
// DeferredOneRow.
func ExecDeferredOneRow(tx *gorm.DB, text string, args ...any) (changed int64, err error) {
	return changedBy(exec(waiting(tx, wait{oneRow: true}), tx, text, args))
}

func changedBy(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func exec(ctx context.Context, tx *gorm.DB, text string, args []any) (sql.Result, error) {
	if !strings.Contains(text, tenantColumn) && !crossesTenants(tx) {
		return nil, fmt.Errorf("%w: the statement does not name %s", ErrNoTenant, tenantColumn)
	}
	return send(ctx, tx, text, args)
}

// send is exec for a statement with rows that are bound to their tenant.
func send(ctx context.Context, tx *gorm.DB, text string, args []any) (sql.Result, error) {
	result, err := tx.Statement.ConnPool.ExecContext(ctx, text, args...)
	if err != nil {
		return nil, classesOf(tx).classify(err)
	}
	changed, err := result.RowsAffected()
	if err != nil {
		return nil, classesOf(tx).classify(err)
	}
	if changed > 0 {
		if mark, ok := tx.Statement.Settings.Load(writeMark); ok {
			mark.(*atomic.Bool).Store(true)
		}
	}
	return result, nil
}

// classesOf returns the database to which a transaction belongs.
func classesOf(tx *gorm.DB) *DB { return tx.Plugins[errorClasses{}.Name()].(errorClasses).db }
