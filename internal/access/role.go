package access

import (
	"cmp"
	"context"
	"fmt"

	"interlock/internal/base/apperr"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// CreateRole creates a role that holds the permissions. Errors: ValidationFailed,
// NotFound (tenant), AlreadyExists.
func (s *Service) CreateRole(ctx context.Context, tenant, name string, permissions []string) error {
	if err := cmp.Or(checkName("/name", name), s.checkGrants("/permissions", permissions)); err != nil {
		return err
	}
	ctx, err := s.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	permissions = distinct(permissions)
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		if _, err := insertRole(ctx, u, name, permissions); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "role.create", Resource: "roles/" + name, Detail: map[string]any{"permissions": permissions}})
		return nil
	})
}

// SetRolePermissions replaces what a role's holders may do. Errors:
// ValidationFailed, NotFound.
func (s *Service) SetRolePermissions(ctx context.Context, tenant, name string, permissions []string) error {
	if err := s.checkGrants("/permissions", permissions); err != nil {
		return err
	}
	ctx, err := s.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	permissions = distinct(permissions)
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		roles, err := rolesNamed(tx, []string{name})
		if err != nil {
			return err
		}
		role, known := roles[name]
		if !known {
			return apperr.MissingRow("role", name)
		}
		if err := guard.Update[roleRow](ctx, u, role.Ref(), guard.Set{}); err != nil {
			return rerunIfStale(err)
		}
		if tx, err = s.raise(ctx, u); err != nil {
			return err
		}
		const statement = "DELETE FROM role_permissions WHERE tenant_id = ? AND role_id = ?"
		if err := tx.Exec(statement, role.TenantID, role.ID).Error; err != nil {
			return fmt.Errorf("take the role's permissions: %w", err)
		}
		if err := grant(ctx, u, role.ID, permissions); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "role.update", Resource: "roles/" + name, Detail: map[string]any{"permissions": permissions}})
		return nil
	})
}
