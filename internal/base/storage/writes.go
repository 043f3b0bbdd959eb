package storage

import (
	"errors"
	"strings"
	"sync/atomic"

	"gorm.io/gorm"
)

const writeMark = "interlock:write-mark"

// MarkWrites makes the first statement that changes rows in a transaction set mark to true. tx is
// the transaction as Begin returned it. A unit uses the mark to require an audit row.
func MarkWrites(tx *gorm.DB, mark *atomic.Bool) { tx.Statement.Settings.Store(writeMark, mark) }

type writeMarks struct{}

func (writeMarks) Name() string { return "write-marks" }

func (writeMarks) Initialize(g *gorm.DB) error {
	mark := func(db *gorm.DB) {
		if db.RowsAffected <= 0 {
			return
		}
		if value, ok := db.Get(writeMark); ok {
			value.(*atomic.Bool).Store(true)
		}
	}
	markExec := func(db *gorm.DB) {
		if !strings.HasPrefix(strings.TrimSpace(db.Statement.SQL.String()), "SELECT") {
			mark(db)
		}
	}
	const name = "write-marks:mark"
	return errors.Join(
		g.Callback().Create().After("gorm:create").Register(name, mark),
		g.Callback().Update().After("gorm:update").Register(name, mark),
		g.Callback().Delete().After("gorm:delete").Register(name, mark),
		g.Callback().Raw().After("gorm:raw").Register(name, markExec),
	)
}
