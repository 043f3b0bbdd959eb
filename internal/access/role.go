package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// roleRow is a named set of permissions.
type roleRow struct {
	guard.Row
	Name string
}

// TableName implements gorm's Tabler.
func (roleRow) TableName() string { return "roles" }

// rolePermission is one grant of a role. It has no version of its own: whoever
// changes a role's grants first brings the role itself to its next version, which
// is what two of them collide on.
type rolePermission struct {
	TenantID   int64
	RoleID     int64  `gorm:"primaryKey;autoIncrement:false"`
	Permission string `gorm:"primaryKey"`
}

// TableName implements gorm's Tabler.
func (rolePermission) TableName() string { return "role_permissions" }

// userRole gives a user a role.
type userRole struct {
	TenantID int64
	UserID   int64 `gorm:"primaryKey;autoIncrement:false"`
	RoleID   int64 `gorm:"primaryKey;autoIncrement:false"`
}

// TableName implements gorm's Tabler.
func (userRole) TableName() string { return "user_roles" }

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
		if len(roles) == 0 {
			return apperr.MissingRow("role", name)
		}
		if err := guard.Update[roleRow](ctx, u, roles[0].Ref(), guard.Set{}); err != nil {
			return orAgain(err)
		}
		const statement = "DELETE FROM role_permissions WHERE tenant_id = ? AND role_id = ?"
		if err := tx.Exec(statement, roles[0].TenantID, roles[0].ID).Error; err != nil {
			return fmt.Errorf("take the role's permissions: %w", err)
		}
		if err := grant(ctx, u, roles[0].ID, permissions); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "role.update", Resource: "roles/" + name, Detail: map[string]any{"permissions": permissions}})
		u.AfterCommit(func(context.Context) { s.callers.forget() })
		return nil
	})
}

func insertRole(ctx context.Context, u *uow.Unit, name string, permissions []string) (roleRow, error) {
	role := roleRow{Name: name}
	err := guard.Insert(ctx, u, &role)
	switch {
	case storage.IsDuplicate(err, "uq_roles_name"):
		return role, apperr.New(apperr.AlreadyExists, "There is a role %q already.", name)
	case err != nil:
		return role, fmt.Errorf("insert the role: %w", err)
	}
	return role, grant(ctx, u, role.ID, permissions)
}

func grant(ctx context.Context, u *uow.Unit, roleID int64, permissions []string) error {
	if len(permissions) == 0 {
		return nil
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	rows := make([]rolePermission, len(permissions))
	for i, permission := range permissions {
		rows[i] = rolePermission{RoleID: roleID, Permission: permission}
	}
	if err := tx.Create(&rows).Error; err != nil {
		return fmt.Errorf("grant permissions: %w", err)
	}
	return nil
}

// intersect returns what both sets of grants allow. Scopes that are not given
// limit nothing.
func intersect(grants, scopes []string) []string {
	if len(scopes) == 0 {
		return grants
	}
	both := []string{}
	for _, scope := range scopes {
		if principal.Covers(grants, scope) {
			both = append(both, scope)
		}
	}
	for _, grant := range grants {
		if principal.Covers(scopes, grant) {
			both = append(both, grant)
		}
	}
	return distinct(both)
}

// distinct returns the values sorted, each once.
func distinct(values []string) []string {
	sorted := append([]string{}, values...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

func resourceOf(permission string) string {
	resource, _, _ := strings.Cut(permission, ":")
	return resource
}

// orAgain has a command's unit run again when somebody changed its row meanwhile:
// a command says what shall be, not what it saw.
func orAgain(err error) error {
	if errors.Is(err, guard.ErrStale) {
		return uow.Again(err)
	}
	return err
}
