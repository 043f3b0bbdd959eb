package access

import (
	"cmp"
	"context"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// User is a user with what its roles allow.
type User struct {
	ID          int64
	Username    string
	DisplayName string
	Roles       []string
	Permissions []string
}

// UserSpec says which user to create.
type UserSpec struct {
	Tenant   string
	Username string
	// DisplayName is what others read; "" means the username.
	DisplayName string
	Password    string
	// Roles are names of roles that the tenant has.
	Roles []string
}

// CreateUser creates a user. Errors: ValidationFailed, NotFound (tenant),
// AlreadyExists.
func (s *Service) CreateUser(ctx context.Context, spec UserSpec) (User, error) {
	name := cmp.Or(spec.DisplayName, spec.Username)
	if err := cmp.Or(checkUsername(spec.Username), checkName("/displayName", name)); err != nil {
		return User{}, err
	}
	ctx, err := s.InTenant(ctx, spec.Tenant)
	if err != nil {
		return User{}, err
	}
	hash, err := s.passwords.newHash(ctx, spec.Username, spec.Password)
	if err != nil {
		return User{}, err
	}
	roles := distinct(spec.Roles)
	var row userRow
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		given, err := rolesNamed(tx, roles)
		if err != nil {
			return err
		}
		if len(given) < len(roles) {
			return invalid("/roles", "unknown", "must name roles that the tenant has")
		}
		row = userRow{Username: spec.Username, DisplayName: name, PasswordHash: hash}
		if err := insertUser(ctx, u, &row, given); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "user.create", Resource: userPath(row), Detail: map[string]any{"username": spec.Username, "roles": roles}})
		return nil
	})
	if err != nil {
		return User{}, err
	}
	return s.store.withRoles(ctx, row)
}

// SetPassword gives a user a new password, ends the user's sessions and lifts a
// lock-out. API tokens stay. Errors: ValidationFailed, NotFound.
func (s *Service) SetPassword(ctx context.Context, tenant, username, password string) error {
	ctx, err := s.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	hash, err := s.passwords.newHash(ctx, username, password)
	if err != nil {
		return err
	}
	account := accountKey(tenant, username)
	return s.changeUser(ctx, username, guard.Set{"password_hash": hash}, "user.password", func(ctx context.Context, tx *gorm.DB) error {
		return s.attempts.clear(ctx, tx, account)
	})
}

// SetUserDisabled shuts a user out, tokens included, or lets it in again. Errors:
// NotFound.
func (s *Service) SetUserDisabled(ctx context.Context, tenant, username string, disabled bool) error {
	ctx, err := s.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	action := "user.enable"
	if disabled {
		action = "user.disable"
	}
	return s.changeUser(ctx, username, guard.Set{"disabled": disabled}, action, nil)
}

// changeUser changes what a user's sessions stand on, and so ends them.
func (s *Service) changeUser(ctx context.Context, username string, set guard.Set, action string, also func(context.Context, *gorm.DB) error) error {
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		row, err := userNamed(tx, username)
		if err != nil {
			return err
		}
		if err := guard.Update[userRow](ctx, u, row.Ref(), set); err != nil {
			return rerunIfStale(err)
		}
		if err := endSessions(tx, row); err != nil {
			return err
		}
		if also != nil {
			if err := also(ctx, tx); err != nil {
				return err
			}
		}
		u.Audit(uow.Entry{Action: action, Resource: userPath(row), Detail: map[string]any{"username": username}})
		u.AfterCommit(func(context.Context) { s.callers.invalidate() })
		return nil
	})
}

// acting returns the user as a principal.
func (u User) acting(kind principal.Kind, tenantID int64, credential string, permissions []string) principal.Principal {
	return principal.Principal{
		Kind: kind, TenantID: tenantID, UserID: u.ID, Name: u.DisplayName,
		CredentialID: credential, Permissions: permissions,
	}
}

func userPath(row userRow) string { return fmt.Sprintf("users/%d", row.ID) }
