package access

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
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

// rolesNamed returns the roles that have these names, by name.
func rolesNamed(tx *gorm.DB, names []string) (map[string]roleRow, error) {
	var roles []roleRow
	if err := tx.Where("name IN ?", names).Find(&roles).Error; err != nil {
		return nil, fmt.Errorf("read the roles: %w", err)
	}
	// MySQL finds "support" for "support " as well, which is looked up here and not found.
	named := make(map[string]roleRow, len(roles))
	for _, role := range roles {
		named[role.Name] = role
	}
	return named, nil
}

// permissionsOf returns the permissions of roles, by the roles' ids.
func permissionsOf(tx *gorm.DB, roles []roleRow) (map[int64][]string, error) {
	ids := make([]int64, len(roles))
	for i, role := range roles {
		ids[i] = role.ID
	}
	var rows []rolePermission
	if err := tx.Where("role_id IN ?", ids).Order("permission").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the permissions of roles: %w", err)
	}
	held := make(map[int64][]string, len(roles))
	for _, row := range rows {
		held[row.RoleID] = append(held[row.RoleID], row.Permission)
	}
	return held, nil
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
