package users

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// rolePermission is one grant of a role. It has no version: a unit increments the role's version
// before it changes the role's grants, so that concurrent changes conflict there.
type rolePermission struct {
	TenantID   int64
	RoleID     int64  `gorm:"primaryKey;autoIncrement:false"`
	Permission string `gorm:"primaryKey"`
}

// TableName implements gorm's Tabler.
func (rolePermission) TableName() string { return "role_permissions" }

// userRole grants a role to a user. A user can have one role from several grants, by hand and by
// groups, and loses the role when the last of these grants is deleted.
type userRole struct {
	TenantID int64
	UserID   int64 `gorm:"primaryKey;autoIncrement:false"`
	RoleID   int64 `gorm:"primaryKey;autoIncrement:false"`
	// LinkID is the link whose provider's group grants the role; 0 for a grant by hand.
	LinkID int64 `gorm:"primaryKey;autoIncrement:false"`
}

// TableName implements gorm's Tabler.
func (userRole) TableName() string { return "user_roles" }

// RolesNamed returns the roles with these names, by name.
func RolesNamed(tx *gorm.DB, names []string) (map[string]Role, error) {
	var roles []Role
	if err := tx.Where("name IN ?", names).Find(&roles).Error; err != nil {
		return nil, fmt.Errorf("read the roles: %w", err)
	}
	// MySQL returns "support" for "support " as well; the lookup in the map does not.
	named := make(map[string]Role, len(roles))
	for _, role := range roles {
		named[role.Name] = role
	}
	return named, nil
}

// permissionsOf returns the permissions of roles, by role id.
func permissionsOf(tx *gorm.DB, roles []Role) (map[int64][]string, error) {
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

const roleNameKey = "uq_roles_name"

func errRoleNameExists(name string) error {
	return apperr.New(apperr.AlreadyExists, "Role %q already exists.", name)
}

// InsertRole inserts a role with its permissions and its first version. Errors: AlreadyExists.
func InsertRole(ctx context.Context, u *uow.Unit, role *Role) error {
	err := guard.Insert(ctx, u, role)
	switch {
	case storage.IsDuplicate(err, roleNameKey):
		return errRoleNameExists(role.Name)
	case err != nil:
		return fmt.Errorf("insert the role: %w", err)
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if err := grant(tx, role.ID, role.Permissions); err != nil {
		return err
	}
	return insertRoleVersion(ctx, u, role, "create")
}

// insertRoleVersion inserts the history row of the role's current version.
func insertRoleVersion(ctx context.Context, u *uow.Unit, role *Role, action string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if err := tx.Create(roleVersionOf(role, action)).Error; err != nil {
		return fmt.Errorf("insert the version of a role: %w", err)
	}
	return nil
}

// grant adds permissions to a role, in a unit that has inserted or updated the role's row.
func grant(tx *gorm.DB, roleID int64, permissions []string) error {
	if len(permissions) == 0 {
		return nil
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

// revoke deletes permissions of a role, in a unit that has updated the role's row.
func revoke(tx *gorm.DB, role *Role, permissions []string) error {
	if len(permissions) == 0 {
		return nil
	}
	const statement = "DELETE FROM role_permissions WHERE tenant_id = ? AND role_id = ? AND permission IN ?"
	if err := tx.Exec(statement, role.TenantID, role.ID, permissions).Error; err != nil {
		return fmt.Errorf("take the role's permissions: %w", err)
	}
	return nil
}

// findRole reads a role and its permissions by id. Errors: gorm.ErrRecordNotFound.
func findRole(db *gorm.DB, id int64) (*Role, error) {
	var role Role
	if err := db.Where("id = ?", id).Take(&role).Error; err != nil {
		return nil, err
	}
	return &role, withPermissions(db, []*Role{&role})
}

// withPermissions reads the permissions of all roles in one query.
func withPermissions(db *gorm.DB, roles []*Role) error {
	rows := make([]Role, len(roles))
	for i, role := range roles {
		rows[i] = *role
	}
	// The caller's query may lock the roles; their permissions change only with them and need no lock.
	held, err := permissionsOf(db.Session(&gorm.Session{NewDB: true}), rows)
	if err != nil {
		return err
	}
	for _, role := range roles {
		role.Permissions = input.Distinct(held[role.ID])
	}
	return nil
}

var roleSorts = storage.Sorts{Columns: map[string]string{"name": "name", "updatedTime": "updated_time"}, Unique: []string{"name"}, Default: "name"}
