package access

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"interlock/internal/access/input"
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

// nextTenantID returns an unused id. Tenants are never deleted, so no id is reused.
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
		return apperr.New(apperr.AlreadyExists, "Tenant %q already exists.", tenant.Name)
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

// tenantCache caches the ids and currencies of tenants by name. Neither changes, and tenants are
// neither renamed nor deleted, so no entry expires.
type tenantCache struct{ byName sync.Map }

// tenantKey is the part of a tenant that never changes.
type tenantKey struct {
	id       int64
	currency string
}

// find returns the tenant with a name; "" is DefaultTenant. Errors: NotFound.
func (t *tenantCache) find(ctx context.Context, st store, name string) (tenantKey, error) {
	if name == "" {
		name = DefaultTenant
	}
	if key, ok := t.byName.Load(name); ok {
		return key.(tenantKey), nil
	}
	if !input.TenantNames.MatchString(name) {
		return tenantKey{}, apperr.MissingRow("tenant", name)
	}
	tenant, err := st.tenantByName(ctx, name)
	if err != nil {
		return tenantKey{}, err
	}
	key := tenantKey{tenant.ID, tenant.Currency}
	t.byName.Store(name, key)
	return key, nil
}
