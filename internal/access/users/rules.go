package users

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
)

// manageAll is the permission that at least one enabled user of a tenant has.
const manageAll = "access:*"

// requireManager returns InUse if a change revoked the tenant's last access:* of an enabled user
// who can sign in: by a password, or by a link of a configured provider. An invited user does not
// count, because the invitation may expire. The unit must have incremented the tenant's revision.
// Commands are exempt, so that an operator can restore access.
func (s *Service) requireManager(ctx context.Context, tx *gorm.DB, taken []string) error {
	caller, _ := principal.From(ctx)
	if caller.Kind == principal.Internal || !principal.Covers(taken, manageAll) {
		return nil
	}
	issuers, err := s.IssuersFor(ctx)
	if err != nil {
		return err
	}
	const query = `SELECT COUNT(*) FROM users u
		JOIN user_roles h ON h.user_id = u.id AND h.tenant_id = u.tenant_id
		JOIN role_permissions p ON p.role_id = h.role_id AND p.tenant_id = u.tenant_id
		WHERE u.tenant_id = ? AND u.disabled = ? AND p.permission IN ('*', ?) AND (u.password_hash <> ''
			OR EXISTS (SELECT 1 FROM user_links l WHERE l.tenant_id = u.tenant_id AND l.user_id = u.id AND l.issuer IN ?))`
	var managers int64
	if err := tx.Raw(query, caller.TenantID, false, manageAll, issuers).Scan(&managers).Error; err != nil {
		return fmt.Errorf("count users with %s: %w", manageAll, err)
	}
	if managers == 0 {
		return apperr.New(apperr.InUse, "No enabled user who can sign in would have %s. Grant it to another user first; nothing was changed.", manageAll)
	}
	return nil
}

// requireGrantable returns Forbidden unless the caller has all permissions of the roles.
func requireGrantable(ctx context.Context, tx *gorm.DB, roles []Role) error {
	held, err := permissionsOf(tx, roles)
	if err != nil {
		return err
	}
	for _, role := range roles {
		if err := requireHeld(ctx, held[role.ID], fmt.Sprintf("Role %q has", role.Name)); err != nil {
			return err
		}
	}
	return nil
}

// requireRightsOf returns Forbidden unless the caller has all permissions of a user. Every change
// of a user needs it: a caller who sets a user's credentials gains the user's permissions, and no
// caller may rename, demote or disable a user with more permissions. A user who signs in or who
// changes their own account in a session has them.
func requireRightsOf(ctx context.Context, tx *gorm.DB, user *User) error {
	if caller, _ := principal.From(ctx); caller.Kind == principal.Admin && caller.UserID == user.ID {
		return nil
	}
	grants, err := grantsOf(tx, user.held())
	if err != nil {
		return err
	}
	return requireToChange(ctx, grants, fmt.Sprintf("User %q", user.Username))
}

// requireToChange returns Forbidden unless the caller has the permissions of a user or a role.
func requireToChange(ctx context.Context, grants []string, label string) error {
	if grant := lackedOf(ctx, grants); grant != "" {
		return apperr.New(apperr.Forbidden, "%s has the permission %s, which you do not have, so you cannot change it. Ask a user who has it. Nothing was changed.", label, grant)
	}
	return nil
}

// grantsOf returns the union of the permissions of the named roles.
func grantsOf(tx *gorm.DB, names []string) ([]string, error) {
	roles, err := RolesNamed(tx, names)
	if err != nil {
		return nil, err
	}
	held, err := permissionsOf(tx, slices.Collect(maps.Values(roles)))
	if err != nil {
		return nil, err
	}
	return input.Distinct(slices.Concat(slices.Collect(maps.Values(held))...)), nil
}

// requireHeld returns Forbidden if the caller lacks one of the grants.
func requireHeld(ctx context.Context, grants []string, what string) error {
	if grant := lackedOf(ctx, grants); grant != "" {
		return apperr.New(apperr.Forbidden, "%s the permission %s, which you do not have, so you cannot give it. Nothing was changed.", what, grant)
	}
	return nil
}

// lackedOf returns the first grant that the caller lacks, or "".
func lackedOf(ctx context.Context, grants []string) string {
	caller, _ := principal.From(ctx)
	for _, grant := range grants {
		if !caller.May(grant) {
			return grant
		}
	}
	return ""
}
