package access

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

func (s store) tenantByName(ctx context.Context, name string) (Tenant, error) {
	var tenant Tenant
	err := s.db.Read(ctx).Where("name = ?", name).Take(&tenant).Error
	return tenant, storage.Found(err, "tenant", name)
}

func (s store) tenantName(ctx context.Context, id int64) (string, error) {
	var tenant Tenant
	if err := s.db.Read(ctx).Where("id = ?", id).Take(&tenant).Error; err != nil {
		return "", fmt.Errorf("read the caller's tenant: %w", err)
	}
	return tenant.Name, nil
}

// nextTenantID returns an id that no tenant has yet. Tenants are never deleted,
// so none is used again.
func (s store) nextTenantID(ctx context.Context) (int64, error) {
	var last int64
	err := s.db.Read(ctx).Model(&Tenant{}).Select("COALESCE(MAX(id), 0)").Scan(&last).Error
	if err != nil {
		return 0, fmt.Errorf("read the last tenant: %w", err)
	}
	return last + 1, nil
}

var errTenantIDTaken = errors.New("another tenant was created with this id")

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
	if err := tx.Create(&revisionRow{TenantID: tenant.ID, Version: 1}).Error; err != nil {
		return fmt.Errorf("insert the tenant's revision: %w", err)
	}
	return nil
}

// tenantIDs remembers the ids of tenants by name. Tenants are neither renamed nor
// deleted, so what was found stays true.
type tenantIDs struct{ byName sync.Map }

// id returns a tenant's id. Errors: NotFound.
func (t *tenantIDs) id(ctx context.Context, st store, name string) (int64, error) {
	if name == "" {
		name = DefaultTenant
	}
	if id, ok := t.byName.Load(name); ok {
		return id.(int64), nil
	}
	if !tenantNames.MatchString(name) {
		return 0, apperr.MissingRow("tenant", name)
	}
	tenant, err := st.tenantByName(ctx, name)
	if err != nil {
		return 0, err
	}
	t.byName.Store(name, tenant.ID)
	return tenant.ID, nil
}
