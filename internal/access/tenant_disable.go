package access

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// A disabled tenant lets nobody in: its users' sessions and tokens, its customers' tokens and all
// their streams end within a second on every process, as those of a disabled user do, and whoever
// signs in is answered as if there were no such account. Its rows stay, and what was begun in it is
// finished by the workers. Enabled again, it has what had not ended by itself.

// openTenant is the condition of rows of tenants that are not disabled.
const openTenant = "EXISTS (SELECT 1 FROM tenants t WHERE t.id = users.tenant_id AND t.disabled_time IS NULL)"

// Tenants returns all tenants, in the order of their names.
func (s *Service) Tenants(ctx context.Context) ([]Tenant, error) {
	var tenants []Tenant
	if err := s.store.db.Read(ctx).Order("name").Find(&tenants).Error; err != nil {
		return nil, fmt.Errorf("list the tenants: %w", err)
	}
	return tenants, nil
}

// SetTenantDisabled shuts a tenant, or opens it again, and reports whether that changed anything. It
// is for the command line. Errors: NotFound.
//
//	UPDATE tenants SET disabled_time = ? WHERE id = ? AND disabled_time IS NULL
//	UPDATE access_revisions SET version = version + 1 WHERE tenant_id = ?
func (s *Service) SetTenantDisabled(ctx context.Context, name string, disabled bool) (changed bool, err error) {
	err = s.command(ctx, name, func(ctx context.Context, u *uow.Unit, tx *gorm.DB) error {
		caller, _ := principal.From(ctx)
		action, at, condition := "tenant.enable", (*time.Time)(nil), "disabled_time IS NOT NULL"
		if disabled {
			now := u.Now()
			action, at, condition = "tenant.disable", &now, "disabled_time IS NULL"
		}
		var tenant Tenant
		if err := tx.Where("id = ?", caller.TenantID).Take(&tenant).Error; err != nil {
			return storage.Found(err, "tenant", name)
		}
		if changed = (tenant.DisabledTime != nil) != disabled; !changed {
			return nil
		}
		result := tx.WithContext(storage.AcrossTenants(tx.Statement.Context)).Exec("UPDATE tenants SET disabled_time = ? WHERE id = ? AND "+condition, at, caller.TenantID)
		if result.Error != nil {
			return fmt.Errorf("change whether the tenant is disabled: %w", result.Error)
		}
		if result.RowsAffected != 1 {
			return uow.Retry(apperr.New(apperr.StatusChanged, "Somebody else changed whether tenant %s is disabled at the same time.", name))
		}
		if _, err := s.raise(ctx, u); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: action, Resource: "tenants/" + name, Detail: map[string]any{}})
		return nil
	})
	return changed, err
}

// openTenants returns those of some tenants that are not disabled; none asks for nothing.
func (s store) openTenants(ctx context.Context, ids []int64) (open []int64, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.db.Read(ctx).Model(&Tenant{}).Where("id IN ? AND disabled_time IS NULL", ids).Pluck("id", &open).Error
	if err != nil {
		return nil, fmt.Errorf("read whether tenants are disabled: %w", err)
	}
	return open, nil
}

// requireOpen is InvalidCredentials for a disabled tenant. It is for those who have no row here, and
// asks the database no more often than it is asked who a user is.
func (s *Service) requireOpen(ctx context.Context, id int64) error {
	_, err := s.recognise(ctx, credentialOfTenant(id))
	return err
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// requireOpenTenant is NotFound for a tenant that is disabled.
func (s *Service) requireOpenTenant(ctx context.Context, id int64) error {
	open, err := s.store.openTenants(ctx, []int64{id})
	if err == nil && len(open) == 0 {
		return apperr.MissingRow("tenant", strconv.FormatInt(id, 10))
	}
	return err
}
