// Package tenants stores the tenants, and the revisions that count the changes of permissions in each.
package tenants

import (
	"context"
	"time"

	"gorm.io/gorm"

	"interlock/internal/core/uow"
)

// DefaultTenant is the tenant of installations that need only one.
const DefaultTenant = "default"

// Tenant is an organisation with a separate set of all records.
type Tenant struct {
	ID   int64 `gorm:"primaryKey"`
	Name string
	// Currency is the currency of all amounts (ISO 4217). It never changes: the amounts are in its
	// minor units.
	Currency    string
	CreatedTime time.Time
	// DisabledTime is the time at which the tenant was disabled; nil for an enabled tenant.
	DisabledTime *time.Time
}

// TableName implements gorm's Tabler.
func (Tenant) TableName() string { return "tenants" }

// Global implements storage.Global.
func (Tenant) Global() {}

// InTenant returns a context in which a command acts on the named tenant.
func (s *Service) InTenant(ctx context.Context, name string) (context.Context, error) {
	tenant, err := s.ByName(ctx, name)
	if err != nil {
		return nil, err
	}
	return AsOperator(ctx, tenant), nil
}

// Command runs a command's change of the named tenant in a unit. Errors: NotFound (tenant).
func (s *Service) Command(ctx context.Context, tenant string, fn func(ctx context.Context, u *uow.Unit, tx *gorm.DB) error) error {
	ctx, err := s.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		return fn(ctx, u, tx)
	})
}
