package storage

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/principal"
)

// ErrNoTenant is returned for a statement on a tenant-owned table if its context
// has no principal, or if it cannot be bound to the tenant. Nothing was sent.
var ErrNoTenant = errors.New("storage: statement without a tenant")

// Global is implemented by models of tables that belong to no tenant, such as
// tenants themselves. Every other model must have a TenantID field.
type Global interface{ Global() }

const tenantColumn = "tenant_id"

type crossTenantKey struct{}

// AcrossTenants returns a context for statements across all tenants. It is for
// the few jobs that serve all of them: finding a credential, the change
// feed, sweepers.
func AcrossTenants(ctx context.Context) context.Context {
	return context.WithValue(ctx, crossTenantKey{}, true)
}

// tenancy binds each statement to the tenant of its context. It rejects a model with neither a
// TenantID nor the Global mark, and raw SQL that does not name tenant_id.
type tenancy struct{}

func (tenancy) Name() string { return "tenancy" }

func (tenancy) Initialize(db *gorm.DB) error {
	return errors.Join(
		db.Callback().Create().Before("gorm:create").Register("tenancy:create", setTenant),
		db.Callback().Query().Before("gorm:query").Register("tenancy:query", bindTenant),
		db.Callback().Update().Before("gorm:update").Register("tenancy:update", bindTenant),
		db.Callback().Delete().Before("gorm:delete").Register("tenancy:delete", bindTenant),
		db.Callback().Row().Before("gorm:row").Register("tenancy:row", bindTenant),
		db.Callback().Raw().Before("gorm:raw").Register("tenancy:raw", bindTenant),
	)
}

func setTenant(db *gorm.DB) {
	if db.Error != nil || isGlobal(db) {
		return
	}
	if crossesTenants(db) {
		return
	}
	tenant, ok := tenantOf(db)
	if !ok {
		return
	}
	if db.Statement.Schema == nil || db.Statement.Schema.LookUpField(tenantColumn) == nil {
		reject(db, "the model has no TenantID and is not Global")
		return
	}
	db.Statement.SetColumn("TenantID", tenant, true)
}

func bindTenant(db *gorm.DB) {
	if db.Error != nil || isGlobal(db) || crossesTenants(db) {
		return
	}
	if raw := db.Statement.SQL.String(); raw != "" {
		if !strings.Contains(raw, tenantColumn) {
			reject(db, "raw SQL does not name "+tenantColumn)
		}
		return
	}
	tenant, ok := tenantOf(db)
	if !ok {
		return
	}
	if db.Statement.Schema == nil || db.Statement.Schema.LookUpField(tenantColumn) == nil {
		reject(db, "the model has no TenantID and is not Global")
		return
	}
	encloseAlternatives(db.Statement)
	column := clause.Column{Table: clause.CurrentTable, Name: tenantColumn}
	own := []clause.Expression{clause.Eq{Column: column, Value: tenant}}
	if _, ok := db.Get(tenantAsRange); ok {
		own = []clause.Expression{clause.Gte{Column: column, Value: tenant}, clause.Lte{Column: column, Value: tenant}}
	}
	db.Statement.AddClause(clause.Where{Exprs: own})
}

// tenantAsRange is the setting of a query that selects the tenant by a range with ends that are both
// the tenant; see order.between.
const tenantAsRange = "storage:tenant-as-range"

// encloseAlternatives puts the existing conditions into parentheses, so that an OR among
// them cannot bypass the tenant's condition.
func encloseAlternatives(statement *gorm.Statement) {
	c, ok := statement.Clauses["WHERE"]
	if !ok {
		return
	}
	where, ok := c.Expression.(clause.Where)
	if !ok || len(where.Exprs) < 2 {
		return
	}
	where.Exprs = []clause.Expression{clause.And(where.Exprs...)}
	c.Expression = where
	statement.Clauses["WHERE"] = c
}

func tenantOf(db *gorm.DB) (int64, bool) {
	p, ok := principal.From(db.Statement.Context)
	if !ok || p.TenantID == 0 {
		reject(db, "the context has no principal")
		return 0, false
	}
	return p.TenantID, true
}

func crossesTenants(db *gorm.DB) bool {
	across, _ := db.Statement.Context.Value(crossTenantKey{}).(bool)
	return across
}

var globalType = reflect.TypeFor[Global]()

func isGlobal(db *gorm.DB) bool {
	schema := db.Statement.Schema
	return schema != nil && (schema.ModelType.Implements(globalType) ||
		reflect.PointerTo(schema.ModelType).Implements(globalType))
}

func reject(db *gorm.DB, reason string) {
	_ = db.AddError(fmt.Errorf("%w: table %q: %s", ErrNoTenant, db.Statement.Table, reason))
}
