package users

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/access/callers"
	"interlock/internal/access/input"
	"interlock/internal/access/tenants"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Account finds a user by the tenant and username that were typed at sign-in. It executes the same
// statement for an unknown tenant and for an unknown username. Errors: gorm.ErrRecordNotFound.
//
// It looks up only valid names: attempts are counted by the typed name, and MySQL also finds
// "admin" for "admin ", which would allow five more attempts at one account.
func (s *Service) Account(ctx context.Context, tenant, username string) (User, error) {
	if !input.TenantNames.MatchString(tenant) || !input.Usernames.MatchString(username) {
		return User{}, gorm.ErrRecordNotFound
	}
	var row User
	err := s.db.Read(storage.AcrossTenants(ctx)).
		Joins("JOIN tenants ON tenants.id = users.tenant_id").
		Where("tenants.name = ? AND tenants.disabled_time IS NULL AND users.username = ?", tenant, username).
		Take(&row).Error
	if err != nil {
		return User{}, fmt.Errorf("read the account: %w", err)
	}
	return row, nil
}

// WithRoles returns a user with its roles and permissions.
func (s *Service) WithRoles(ctx context.Context, row User) (callers.Identity, error) {
	return s.callers.WithRights(ctx, row.TenantID, callers.Identity{
		ID: row.ID, Version: row.Version, Username: row.Username, DisplayName: row.DisplayName, SecondFactor: row.SecondFactor,
	})
}

// userNamed reads a user with the names of its roles. Errors: NotFound.
func userNamed(db *gorm.DB, username string) (*User, error) {
	// MySQL also finds "li" for "li ", which is not a username.
	if !input.Usernames.MatchString(username) {
		return nil, apperr.MissingRow("user", username)
	}
	user, err := readUser(db.Where("username = ?", username), db)
	return user, storage.Found(err, "user", username)
}

// FindUser reads a user with the names of its roles by id. Errors: gorm.ErrRecordNotFound.
func FindUser(db *gorm.DB, id int64) (*User, error) { return readUser(db.Where("id = ?", id), db) }

func readUser(query, db *gorm.DB) (*User, error) {
	var row User
	if err := query.Take(&row).Error; err != nil {
		return nil, err
	}
	return &row, WithRoleNames(db, []*User{&row})
}

// WithRoleNames reads the names of all users' roles in one query.
func WithRoleNames(db *gorm.DB, users []*User) error {
	if len(users) == 0 {
		return nil
	}
	byID := make(map[int64]*User, len(users))
	ids := make([]int64, len(users))
	for i, user := range users {
		user.Roles, user.GroupRoles = []string{}, []string{}
		byID[user.ID], ids[i] = user, user.ID
	}
	const query = `SELECT u.user_id, u.link_id, r.name FROM user_roles u
		JOIN roles r ON r.id = u.role_id AND r.tenant_id = u.tenant_id
		WHERE u.tenant_id = ? AND u.user_id IN ?`
	var held []struct {
		UserID, LinkID int64
		Name           string
	}
	// db may contain conditions of the query that found the users.
	db = db.Session(&gorm.Session{NewDB: true})
	if err := db.Raw(query, users[0].TenantID, ids).Scan(&held).Error; err != nil {
		return fmt.Errorf("read the names of users' roles: %w", err)
	}
	for _, h := range held {
		names := &byID[h.UserID].Roles
		if h.LinkID != 0 {
			names = &byID[h.UserID].GroupRoles
		}
		*names = append(*names, h.Name)
	}
	for _, user := range users {
		user.Roles, user.GroupRoles = input.Distinct(user.Roles), input.Distinct(user.GroupRoles)
	}
	return nil
}

// HoldOpen locks an enabled user until the unit ends, and returns the user. It increments the
// tenant's revision before it reads the user: on a cluster a row lock does not exclude other
// servers, and every change of a user increments the revision too. Errors: Unauthenticated if the
// user does not exist, or the user or its tenant is disabled.
func (s *Service) HoldOpen(ctx context.Context, u *uow.Unit, id int64) (*gorm.DB, User, error) {
	tx, err := s.tenants.BumpRevision(ctx, u)
	if err != nil {
		return nil, User{}, err
	}
	var row User
	err = tx.Where("id = ? AND "+tenants.OpenTenant, id).Take(&row).Error
	switch {
	case storage.IsNotFound(err), err == nil && row.Disabled:
		return nil, row, callers.ErrNoSession()
	case err != nil:
		return nil, row, fmt.Errorf("read the user that is held: %w", err)
	}
	return tx, row, nil
}

// HoldUnchanged is like HoldOpen, for a sign-in. It also returns InvalidCredentials if, since the
// user was read, the password was changed, or the user received the first factor or lost the last
// one.
func (s *Service) HoldUnchanged(ctx context.Context, u *uow.Unit, seen User) (*gorm.DB, error) {
	tx, row, err := s.HoldOpen(ctx, u, seen.ID)
	switch {
	case apperr.Has(err, apperr.Unauthenticated):
		return nil, callers.ErrWrongCredentials()
	case err != nil:
		return nil, err
	case row.PasswordHash != seen.PasswordHash || row.SecondFactor != seen.SecondFactor:
		return nil, callers.ErrWrongCredentials()
	}
	return tx, nil
}

// UserFilter narrows a list of users; zero members do not filter.
type UserFilter struct {
	// Text must occur in the username or the display name, ignoring case.
	Text string
	// Role is the name of a role that the users have.
	Role     string
	Disabled *bool
}

func (f UserFilter) filters(tenantID int64) (filters []storage.Filter) {
	if f.Role != "" {
		const holders = `SELECT h.user_id FROM user_roles h JOIN roles r ON r.id = h.role_id AND r.tenant_id = h.tenant_id
			WHERE h.tenant_id = ? AND r.name = ?`
		filters = append(filters, storage.InSubquery(holders, tenantID, f.Role))
	}
	if f.Disabled != nil {
		filters = append(filters, storage.Equal("disabled", *f.Disabled))
	}
	return append(filters, storage.Containing(f.Text, "username", "display_name"))
}

var userSorts = storage.Sorts{
	Columns: map[string]string{"username": "username", "displayName": "display_name", "updatedTime": "updated_time"},
	Unique:  []string{"username"},
	Default: "username",
}

// InsertUser adds a user without roles. Errors: AlreadyExists.
func InsertUser(ctx context.Context, u *uow.Unit, row *User) error {
	err := guard.Insert(ctx, u, row)
	switch {
	case storage.IsDuplicate(err, usernameKey):
		return errUsernameExists(row.Username)
	case err != nil:
		return fmt.Errorf("insert the user: %w", err)
	}
	return nil
}

// usernameKey is the unique key on tenant and username.
const usernameKey = "uq_users_username"

func errUsernameExists(username string) error {
	return apperr.New(apperr.AlreadyExists, "User %q already exists.", username)
}

// GrantRoles grants roles to a user, in a unit that has inserted or updated the user's row.
func GrantRoles(tx *gorm.DB, userID int64, roles []Role) error {
	if len(roles) == 0 {
		return nil
	}
	rows := make([]userRole, len(roles))
	for i, role := range roles {
		rows[i] = userRole{UserID: userID, RoleID: role.ID}
	}
	if err := tx.Create(&rows).Error; err != nil {
		return fmt.Errorf("give the user its roles: %w", err)
	}
	return nil
}

// revokeRoles revokes roles that were granted by hand, in a unit that has updated the user's row.
func revokeRoles(tx *gorm.DB, user *User, roles []Role) error {
	if len(roles) == 0 {
		return nil
	}
	ids := make([]int64, len(roles))
	for i, role := range roles {
		ids[i] = role.ID
	}
	const statement = "DELETE FROM user_roles WHERE tenant_id = ? AND user_id = ? AND role_id IN ? AND link_id = 0"
	if err := tx.Exec(statement, user.TenantID, user.ID, ids).Error; err != nil {
		return fmt.Errorf("take the user's roles: %w", err)
	}
	return nil
}

// InsertUserVersion inserts the history row of the user's current version.
func InsertUserVersion(ctx context.Context, u *uow.Unit, user *User, action string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	version := userVersionOf(user, action)
	caller, _ := principal.From(ctx)
	version.CreatorID = caller.Via.CreatorID
	if err := tx.Create(version).Error; err != nil {
		return fmt.Errorf("insert the version of a user: %w", err)
	}
	return nil
}

// RetryIfStale retries the unit of a command if its row was changed concurrently: a command
// states the new value and depends on no earlier one.
func RetryIfStale(err error) error {
	if errors.Is(err, guard.ErrStale) {
		return uow.Retry(err)
	}
	return err
}
