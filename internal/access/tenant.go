package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// DefaultTenant is the tenant of installations that need only one.
const DefaultTenant = "default"

// The first user of each tenant and its role.
const (
	adminUsername = "admin"
	adminRole     = "admin"
)

// operator is who acts when a command of the program does.
const operator = "command line"

// Tenant is an organisation whose rows no other one sees.
type Tenant struct {
	ID          int64 `gorm:"primaryKey"`
	Name        string
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (Tenant) TableName() string { return "tenants" }

// Global implements storage.Global.
func (Tenant) Global() {}

var errTenantIDTaken = errors.New("another tenant was created with this id")

// CreateTenant creates a tenant with the role admin, which holds every
// permission, and the user admin. Errors: ValidationFailed, AlreadyExists.
func (s *Service) CreateTenant(ctx context.Context, name, adminPassword string) (Tenant, error) {
	if err := checkTenantName(name); err != nil {
		return Tenant{}, err
	}
	hash, err := s.passwords.newHash(ctx, adminUsername, adminPassword)
	if err != nil {
		return Tenant{}, err
	}
	for {
		tenant, err := s.addTenant(ctx, name, hash)
		if !errors.Is(err, errTenantIDTaken) {
			return tenant, err
		}
	}
}

// addTenant chooses the tenant's id before the unit begins, because the unit acts
// in that tenant and its audit row is the tenant's first.
func (s *Service) addTenant(ctx context.Context, name, passwordHash string) (Tenant, error) {
	id, err := s.store.nextTenantID(ctx)
	if err != nil {
		return Tenant{}, err
	}
	tenant := Tenant{ID: id, Name: name}
	err = s.runner.Do(principal.With(ctx, principal.System(id, operator)), func(ctx context.Context, u *uow.Unit) error {
		tenant.CreatedTime = u.Now()
		if err := insertTenant(ctx, u, &tenant); err != nil {
			return err
		}
		role, err := insertRole(ctx, u, adminRole, []string{"*"})
		if err != nil {
			return err
		}
		admin := userRow{Username: adminUsername, DisplayName: adminUsername, PasswordHash: passwordHash}
		if err := insertUser(ctx, u, &admin, []roleRow{role}); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "tenant.create", Resource: "tenants/" + name, Detail: map[string]any{"adminId": admin.ID}})
		return nil
	})
	return tenant, err
}

func insertTenant(ctx context.Context, u *uow.Unit, tenant *Tenant) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	err = tx.Create(tenant).Error
	switch {
	case storage.IsDuplicate(err, "uq_tenants_name"):
		return apperr.New(apperr.AlreadyExists, "There is a tenant %q already.", tenant.Name)
	case storage.Is(err, storage.DuplicateKey):
		return errTenantIDTaken
	case err != nil:
		return fmt.Errorf("insert the tenant: %w", err)
	}
	return nil
}

// InTenant returns a context in which a command acts on the named tenant.
func (s *Service) InTenant(ctx context.Context, name string) (context.Context, error) {
	tenant, err := s.store.tenantByName(ctx, name)
	if err != nil {
		return nil, err
	}
	return principal.With(ctx, principal.System(tenant.ID, operator)), nil
}
