package tenants

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

// A disabled tenant rejects all callers. The sessions and tokens of its users, the tokens of its
// customers and all their streams end within one second in every process, as for a disabled user. A
// sign-in gets the response for an unknown account. The rows of the tenant remain, and workers
// finish the started work. After the tenant is enabled again, credentials that have not expired are
// valid.

// OpenTenant is the condition of rows of tenants that are not disabled.
const OpenTenant = "EXISTS (SELECT 1 FROM tenants t WHERE t.id = users.tenant_id AND t.disabled_time IS NULL)"

// Tenants returns all tenants, in the order of their names.
func (s *Service) Tenants(ctx context.Context) ([]Tenant, error) {
	var tenants []Tenant
	if err := s.db.Read(ctx).Order("name").Find(&tenants).Error; err != nil {
		return nil, fmt.Errorf("list the tenants: %w", err)
	}
	return tenants, nil
}

// SetTenantDisabled disables or enables a tenant, and reports whether that changed it. It is for
// the command line. Errors: NotFound.
//
//	UPDATE tenants SET disabled_time = ? WHERE id = ? AND disabled_time IS NULL
//	UPDATE access_revisions SET version = version + 1 WHERE tenant_id = ?
func (s *Service) SetTenantDisabled(ctx context.Context, name string, disabled bool) (changed bool, err error) {
	err = s.Command(ctx, name, func(ctx context.Context, u *uow.Unit, tx *gorm.DB) error {
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
			return fmt.Errorf("disable or enable the tenant: %w", result.Error)
		}
		if result.RowsAffected != 1 {
			return uow.Retry(apperr.New(apperr.StatusChanged, "Another user disabled or enabled tenant %s at the same time.", name))
		}
		if _, err := s.BumpRevision(ctx, u); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: action, Resource: "tenants/" + name, Detail: map[string]any{}})
		return nil
	})
	return changed, err
}

// Enabled returns the ids of the tenants that are enabled; without ids it runs no query.
func (s *Service) Enabled(ctx context.Context, ids []int64) (open []int64, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.db.Read(ctx).Model(&Tenant{}).Where("id IN ? AND disabled_time IS NULL", ids).Pluck("id", &open).Error
	if err != nil {
		return nil, fmt.Errorf("read the disabled tenants: %w", err)
	}
	return open, nil
}

// RequireEnabled returns NotFound for a disabled tenant.
func (s *Service) RequireEnabled(ctx context.Context, id int64) error {
	open, err := s.Enabled(ctx, []int64{id})
	if err == nil && len(open) == 0 {
		return apperr.MissingRow("tenant", strconv.FormatInt(id, 10))
	}
	return err
}
