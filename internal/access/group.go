package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/access/users"
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
func (s *Service) followGroups(ctx context.Context, a verifiedResponse, userID int64) error {
	_, given, taken, err := a.difference(ctx, s.db.Read(ctx), userID)
	if err != nil || len(given)+len(taken) == 0 {
		return err
	}
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, user, err := users.UserInUnit(ctx, u, userID)
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
		if err := guard.Update[users.User](ctx, u, user.Ref(), guard.Set{}); err != nil {
			return users.RetryIfStale(err)
		}
		after := *user
		if err := guard.Advance(ctx, u, &after); err != nil {
			return err
		}
		if tx, err = s.Tenants.BumpRevision(ctx, u); err != nil {
			return err
		}
		if err := users.GrantByLink(tx, link, given); err != nil {
			return err
		}
		kept, err := s.Users.RevokeByLink(ctx, tx, link, taken)
		if err != nil {
			return err
		}
		if len(given) == 0 && len(kept) == len(taken) {
			return errSameRoles
		}
		if err := users.WithRoleNames(tx, []*users.User{&after}); err != nil {
			return err
		}
		return s.Users.RecordUser(ctx, u, &after, "groups", map[string]any{
			"username": after.Username, "issuer": a.issuer,
			"given": users.RoleNames(given), "taken": users.RoleNames(rolesWithout(taken, kept)), "kept": users.RoleNames(kept),
		})
	})
	if errors.Is(err, errSameRoles) {
		return nil
	}
	return err
}

// difference returns the roles that the response's groups add to and remove from a user's link.
func (a verifiedResponse) difference(ctx context.Context, db *gorm.DB, userID int64) (link users.Link, given, taken []users.Role, err error) {
	link, err = users.LinkTo(db, a.issuer, a.named.Subject)
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
	had, err := users.RolesBy(db, link)
	return link, rolesWithout(wanted, had), rolesWithout(had, wanted), err
}

// roles returns the roles that the settings map to the response's groups. Roles that the tenant
// does not have are logged.
func (a verifiedResponse) roles(ctx context.Context, tx *gorm.DB) ([]users.Role, error) {
	var names []string
	for _, group := range a.named.Groups {
		if name, mapped := a.by.Provider.GroupRoles[group]; mapped {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	named, err := users.RolesNamed(tx, input.Distinct(names))
	if err != nil {
		return nil, err
	}
	var roles []users.Role
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

// rolesWithout returns the roles that are not in others.
func rolesWithout(roles, others []users.Role) []users.Role {
	return slices.DeleteFunc(slices.Clone(roles), func(role users.Role) bool {
		return slices.ContainsFunc(others, func(other users.Role) bool { return other.ID == role.ID })
	})
}
