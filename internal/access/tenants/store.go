package tenants

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// ByName reads a tenant by its name. Errors: NotFound.
func (s *Service) ByName(ctx context.Context, name string) (Tenant, error) {
	var tenant Tenant
	err := s.db.Read(ctx).Where("name = ?", name).Take(&tenant).Error
	return tenant, storage.Found(err, "tenant", name)
}

// NameOf returns the name of a tenant.
func (s *Service) NameOf(ctx context.Context, id int64) (string, error) {
	var tenant Tenant
	if err := s.db.Read(ctx).Where("id = ?", id).Take(&tenant).Error; err != nil {
		return "", fmt.Errorf("read the caller's tenant: %w", err)
	}
	return tenant.Name, nil
}

// NextID returns an unused id. Tenants are never deleted, so no id is reused.
func (s *Service) NextID(ctx context.Context) (int64, error) {
	var last int64
	err := s.db.Read(ctx).Model(&Tenant{}).Select("COALESCE(MAX(id), 0)").Scan(&last).Error
	if err != nil {
		return 0, fmt.Errorf("read the last tenant: %w", err)
	}
	return last + 1, nil
}

// ErrIDExists reports that another process used the id.
var ErrIDExists = errors.New("another tenant was created with this id")

// Insert inserts a tenant and its revision. Errors: AlreadyExists, ErrIDExists.
func Insert(ctx context.Context, u *uow.Unit, tenant *Tenant) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	err = tx.Create(tenant).Error
	switch {
	case storage.IsDuplicate(err, "uq_tenants_name"):
		return apperr.New(apperr.AlreadyExists, "Tenant %q already exists.", tenant.Name)
	case storage.Is(err, storage.DuplicateKey):
		return ErrIDExists
	case err != nil:
		return fmt.Errorf("insert the tenant: %w", err)
	}
	if err := tx.Create(&revisionRow{TenantID: tenant.ID, Version: 1}).Error; err != nil {
		return fmt.Errorf("insert the tenant's revision: %w", err)
	}
	return nil
}

// Cached returns the id, name and currency of a tenant by its name; "" is DefaultTenant. None of
// them changes, and tenants are never deleted, so no cached tenant expires. Errors: NotFound.
func (s *Service) Cached(ctx context.Context, name string) (Tenant, error) {
	if name == "" {
		name = DefaultTenant
	}
	if cached, ok := s.byName.Load(name); ok {
		return cached.(Tenant), nil
	}
	if !input.TenantNames.MatchString(name) {
		return Tenant{}, apperr.MissingRow("tenant", name)
	}
	tenant, err := s.ByName(ctx, name)
	if err != nil {
		return Tenant{}, err
	}
	tenant = Tenant{ID: tenant.ID, Name: tenant.Name, Currency: tenant.Currency}
	s.byName.Store(name, tenant)
	return tenant, nil
}

// ID returns the id of a tenant by its name. Errors: NotFound.
func (s *Service) ID(ctx context.Context, name string) (int64, error) {
	tenant, err := s.Cached(ctx, name)
	return tenant.ID, err
}
