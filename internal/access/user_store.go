package access

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// userRow is a person who can sign in.
type userRow struct {
	guard.Row
	Username     string
	DisplayName  string
	PasswordHash string
	Disabled     bool
}

// TableName implements gorm's Tabler.
func (userRow) TableName() string { return "users" }

// account finds a user by the names that are typed at sign-in, in one statement
// whether the tenant exists or not. Errors: gorm.ErrRecordNotFound.
//
// Attempts are counted by the name as it is typed, and MySQL finds "admin" for "admin "
// too: that would be another five attempts at one account. So only names that a user can
// have are looked up.
func (s store) account(ctx context.Context, tenant, username string) (userRow, error) {
	if !tenantNames.MatchString(tenant) || !usernames.MatchString(username) {
		return userRow{}, gorm.ErrRecordNotFound
	}
	var row userRow
	err := s.db.Read(storage.AcrossTenants(ctx)).
		Joins("JOIN tenants ON tenants.id = users.tenant_id").
		Where("tenants.name = ? AND users.username = ?", tenant, username).
		Take(&row).Error
	if err != nil {
		return userRow{}, fmt.Errorf("read the account: %w", err)
	}
	return row, nil
}

// activeUser reads a user who may come in, with roles and permissions. Errors:
// gorm.ErrRecordNotFound.
func (s store) activeUser(ctx context.Context, tenantID, id int64) (User, error) {
	ctx = principal.With(ctx, principal.System(tenantID, "authentication"))
	var row userRow
	if err := s.db.Read(ctx).Where("id = ? AND disabled = ?", id, false).Take(&row).Error; err != nil {
		return User{}, fmt.Errorf("read the user: %w", err)
	}
	return s.withRoles(ctx, row)
}

// withRoles adds a user's roles and permissions, in the context's tenant:
//
//	SELECT r.name, p.permission FROM user_roles u JOIN roles r … LEFT JOIN role_permissions p …
func (s store) withRoles(ctx context.Context, row userRow) (User, error) {
	const query = `SELECT r.name AS role, COALESCE(p.permission, '') AS permission
		FROM user_roles u
		JOIN roles r ON r.id = u.role_id AND r.tenant_id = u.tenant_id
		LEFT JOIN role_permissions p ON p.role_id = r.id AND p.tenant_id = r.tenant_id
		WHERE u.tenant_id = ? AND u.user_id = ?`
	var grants []struct{ Role, Permission string }
	if err := s.db.Read(ctx).Raw(query, row.TenantID, row.ID).Scan(&grants).Error; err != nil {
		return User{}, fmt.Errorf("read the user's roles: %w", err)
	}
	roles, permissions := []string{}, []string{}
	for _, g := range grants {
		roles = append(roles, g.Role)
		if g.Permission != "" {
			permissions = append(permissions, g.Permission)
		}
	}
	return User{
		ID: row.ID, Username: row.Username, DisplayName: row.DisplayName,
		Roles: distinct(roles), Permissions: distinct(permissions),
	}, nil
}

func userNamed(tx *gorm.DB, username string) (userRow, error) {
	var row userRow
	err := tx.Where("username = ?", username).Take(&row).Error
	return row, storage.Found(err, "user", username)
}

// lockUnchanged locks a user's row and refuses when its password was changed or it
// was disabled since it was read:
//
//	SELECT … FROM users WHERE tenant_id = ? AND id = ? FOR UPDATE
func lockUnchanged(tx *gorm.DB, seen userRow) error {
	var row userRow
	err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", seen.ID).Take(&row).Error
	switch {
	case storage.IsNotFound(err):
		return errWrongCredentials()
	case err != nil:
		return fmt.Errorf("lock the user: %w", err)
	case row.PasswordHash != seen.PasswordHash || row.Disabled:
		return errWrongCredentials()
	}
	return nil
}

func insertUser(ctx context.Context, u *uow.Unit, row *userRow, roles []roleRow) error {
	err := guard.Insert(ctx, u, row)
	switch {
	case storage.IsDuplicate(err, "uq_users_username"):
		return apperr.New(apperr.AlreadyExists, "There is a user %q already.", row.Username)
	case err != nil:
		return fmt.Errorf("insert the user: %w", err)
	case len(roles) == 0:
		return nil
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	rows := make([]userRole, len(roles))
	for i, role := range roles {
		rows[i] = userRole{UserID: row.ID, RoleID: role.ID}
	}
	if err := tx.Create(&rows).Error; err != nil {
		return fmt.Errorf("give the user its roles: %w", err)
	}
	return nil
}
