package storage

import (
	"database/sql"
	"strconv"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
)

// sqliteDialect generates SQL for SQLite over an existing pool. gorm.io/driver/sqlite imports
// a driver in C, which every build with cgo would compile. Goose creates the schema, so the
// dialect has no Migrator.
type sqliteDialect struct{ pool *sql.DB }

func (sqliteDialect) Name() string { return "sqlite" }

func (d sqliteDialect) Initialize(db *gorm.DB) error {
	db.ConnPool = d.pool
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{
		CreateClauses:        []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		UpdateClauses:        []string{"UPDATE", "SET", "FROM", "WHERE", "RETURNING"},
		DeleteClauses:        []string{"DELETE", "FROM", "WHERE", "RETURNING"},
		LastInsertIDReversed: true,
	})
	db.ClauseBuilders["LIMIT"] = buildLimit
	// SQLite has one writer and no row locks.
	db.ClauseBuilders["FOR"] = func(clause.Clause, clause.Builder) {}
	return nil
}

// buildLimit writes the numbers into the statement: the query planner does not read parameters.
func buildLimit(c clause.Clause, builder clause.Builder) {
	limit := c.Expression.(clause.Limit)
	rows := -1
	if limit.Limit != nil {
		rows = *limit.Limit
	}
	if rows < 0 && limit.Offset <= 0 {
		return
	}
	_, _ = builder.WriteString("LIMIT " + strconv.Itoa(rows))
	if limit.Offset > 0 {
		_, _ = builder.WriteString(" OFFSET " + strconv.Itoa(limit.Offset))
	}
}

func (sqliteDialect) Migrator(*gorm.DB) gorm.Migrator { return nil }

func (sqliteDialect) DataTypeOf(field *schema.Field) string { return string(field.DataType) }

func (sqliteDialect) DefaultValueOf(*schema.Field) clause.Expression {
	return clause.Expr{SQL: "NULL"}
}

func (sqliteDialect) BindVarTo(writer clause.Writer, _ *gorm.Statement, _ any) {
	_ = writer.WriteByte('?')
}

// QuoteTo quotes each part of a name such as orders.id. A caller may pass a quoted name.
func (sqliteDialect) QuoteTo(writer clause.Writer, name string) {
	name = strings.ReplaceAll(name, "`", "")
	_, _ = writer.WriteString("`" + strings.ReplaceAll(name, ".", "`.`") + "`")
}

func (sqliteDialect) Explain(sql string, vars ...any) string {
	return logger.ExplainSQL(sql, nil, `"`, vars...)
}
