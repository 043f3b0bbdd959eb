package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// errSameRoles rolls back a unit that would not change the user's roles: a concurrent sign-in
// changed them first, or none of them can be revoked.
var errSameRoles = errors.New("access: user already has the roles of the groups")

// followGroups grants a user the roles of the groups in the provider's response. It revokes roles
// that the link granted earlier if the response no longer contains a group for them. Roles that
// were granted by hand or by another link remain. The settings map groups to roles, so the user's
// own permissions do not limit the grant. A change of roles also changes the user's version, in a
// separate unit. A role remains if without it no user would have access:*. Errors: errNotLinked if
// the link no longer exists.
func (s *Service) followGroups(ctx context.Context, a answered, userID int64) error {
	_, given, taken, err := a.difference(ctx, s.db.Read(ctx), userID)
	if err != nil || len(given)+len(taken) == 0 {
		return err
	}
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, user, err := userInUnit(ctx, u, userID)
		if err != nil {
			return err
		}
		// The user's version is guarded, so the link is not removed concurrently.
		link, given, taken, err := a.difference(ctx, tx, userID)
		if err != nil {
			return err
		}
		if len(given)+len(taken) == 0 {
			return errSameRoles
		}
		if err := guard.Update[User](ctx, u, user.Ref(), guard.Set{}); err != nil {
			return rerunIfStale(err)
		}
		after := *user
		if err := guard.Advance(ctx, u, &after); err != nil {
			return err
		}
		if tx, err = s.Tenants.Raise(ctx, u); err != nil {
			return err
		}
		if err := grantByLink(tx, link, given); err != nil {
			return err
		}
		kept, err := s.revokeByLink(ctx, tx, link, taken)
		if err != nil {
			return err
		}
		if len(given) == 0 && len(kept) == len(taken) {
			return errSameRoles
		}
		if err := withRoleNames(tx, []*User{&after}); err != nil {
			return err
		}
		return s.recordUser(ctx, u, &after, "groups", map[string]any{
			"username": after.Username, "issuer": a.issuer,
			"given": roleNames(given), "taken": roleNames(rolesWithout(taken, kept)), "kept": roleNames(kept),
		})
	})
	if errors.Is(err, errSameRoles) {
		return nil
	}
	return err
}

// difference returns the roles that the response's groups add to and remove from a user's link.
func (a answered) difference(ctx context.Context, db *gorm.DB, userID int64) (link Link, given, taken []Role, err error) {
	link, err = linkTo(db, a.issuer, a.named.Subject)
	switch {
	case storage.IsNotFound(err), err == nil && link.UserID != userID:
		return link, nil, nil, errNotLinked()
	case err != nil:
		return link, nil, nil, fmt.Errorf("read a link: %w", err)
	}
	wanted, err := a.roles(ctx, db)
	if err != nil {
		return link, nil, nil, err
	}
	had, err := rolesBy(db, link)
	return link, rolesWithout(wanted, had), rolesWithout(had, wanted), err
}

// roles returns the roles that the settings map to the response's groups. Roles that the tenant
// does not have are logged.
func (a answered) roles(ctx context.Context, tx *gorm.DB) ([]Role, error) {
	var names []string
	for _, group := range a.named.Groups {
		if name, mapped := a.by.Provider.GroupRoles[group]; mapped {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	named, err := rolesNamed(tx, input.Distinct(names))
	if err != nil {
		return nil, err
	}
	var roles []Role
	for _, name := range input.Distinct(names) {
		role, known := named[name]
		if !known {
			slog.WarnContext(ctx, "single sign-on: a group is mapped to a role that does not exist", "provider", a.by.Provider.Name, "role", name, "tenant", a.flow.Tenant)
			continue
		}
		roles = append(roles, role)
	}
	return roles, nil
}

// rolesBy returns the roles that a link granted.
func rolesBy(tx *gorm.DB, link Link) ([]Role, error) {
	var roles []Role
	const among = "id IN (SELECT role_id FROM user_roles WHERE tenant_id = ? AND user_id = ? AND link_id = ?)"
	if err := tx.Where(among, link.TenantID, link.UserID, link.ID).Order("name").Find(&roles).Error; err != nil {
		return nil, fmt.Errorf("read the roles of a link: %w", err)
	}
	return roles, nil
}

// grantByLink grants roles to the user of a link, and records the link as their origin.
func grantByLink(tx *gorm.DB, link Link, roles []Role) error {
	if len(roles) == 0 {
		return nil
	}
	rows := make([]userRole, len(roles))
	for i, role := range roles {
		rows[i] = userRole{UserID: link.UserID, RoleID: role.ID, LinkID: link.ID}
	}
	if err := tx.Create(&rows).Error; err != nil {
		return fmt.Errorf("grant the roles of groups: %w", err)
	}
	return nil
}

// revokeByLink revokes roles that a link granted. It does not revoke a role without which no user
// would have access:*; kept contains these roles.
func (s *Service) revokeByLink(ctx context.Context, tx *gorm.DB, link Link, roles []Role) (kept []Role, err error) {
	if len(roles) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(roles))
	for i, role := range roles {
		ids[i] = role.ID
	}
	const statement = "DELETE FROM user_roles WHERE tenant_id = ? AND user_id = ? AND link_id = ? AND role_id IN ?"
	if err := tx.Exec(statement, link.TenantID, link.UserID, link.ID, ids).Error; err != nil {
		return nil, fmt.Errorf("remove the roles of groups: %w", err)
	}
	lost, err := permissionsOf(tx, roles)
	if err != nil {
		return nil, err
	}
	for _, role := range roles {
		if principal.Covers(lost[role.ID], manageAll) {
			kept = append(kept, role)
		}
	}
	if len(kept) == 0 {
		return nil, nil
	}
	err = s.requireManager(ctx, tx, []string{manageAll})
	if !apperr.Has(err, apperr.InUse) {
		return nil, err
	}
	slog.WarnContext(ctx, "single sign-on: role of a lost group retained; no other user has "+manageAll, "user", link.UserID)
	return kept, grantByLink(tx, link, kept)
}

// rolesWithout returns the roles that are not in others.
func rolesWithout(roles, others []Role) []Role {
	return slices.DeleteFunc(slices.Clone(roles), func(role Role) bool {
		return slices.ContainsFunc(others, func(other Role) bool { return other.ID == role.ID })
	})
}

func roleNames(roles []Role) []string {
	names := make([]string, len(roles))
	for i, role := range roles {
		names[i] = role.Name
	}
	return names
}
