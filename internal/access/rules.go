package access

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// manageAll is what at least one enabled user of a tenant holds.
const manageAll = "access:*"

// revisionRow counts the changes of who may do what in a tenant. Rules that look at
// several rows, such as that somebody holds access:*, would each hold for two units side by
// side that break them together; so every such change raises this row, and of two the
// second waits, or is run again.
type revisionRow struct {
	TenantID int64 `gorm:"primaryKey;autoIncrement:false"`
	Version  int64
}

// TableName implements gorm's Tabler.
func (revisionRow) TableName() string { return "access_revisions" }

// raise raises the tenant's revision:
//
//	UPDATE access_revisions SET version = version + 1 WHERE tenant_id = ?
//
// What the transaction reads from here on no other change of who may do what can alter
// before it has ended: that one waits here, and does what stands on it, such as the end of
// sessions, after it. It comes after the guarded UPDATE of the row that is changed, so
// that all units take these rows in one order, and comes first in a unit that changes none.
// After the commit this process asks the database anew who its callers are; other processes
// see the revision within a second.
func (s *Service) raise(ctx context.Context, u *uow.Unit) (*gorm.DB, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	result := tx.Exec("UPDATE access_revisions SET version = version + 1 WHERE tenant_id = ?", caller.TenantID)
	if err := result.Error; err != nil {
		return nil, fmt.Errorf("raise the tenant's revision: %w", err)
	}
	if result.RowsAffected != 1 {
		return nil, errNoRevision
	}
	u.AfterCommit(func(context.Context) { s.callers.invalidate() })
	return tx, nil
}

// revisions returns the sum of all tenants' revisions, which grows with each change.
func (s store) revisions(ctx context.Context) (int64, error) {
	var sum int64
	err := s.db.Read(storage.AcrossTenants(ctx)).Model(&revisionRow{}).Select("COALESCE(SUM(version), 0)").Scan(&sum).Error
	return sum, err
}

var errNoRevision = errors.New("access: the tenant has no revision")

// requireManager is InUse when what a change took away was the tenant's last access:* of an
// enabled user who can sign in: by a password, or by a link of a provider that the settings
// have. One who was only invited may never come. It is asked in a unit that has raised the
// tenant's revision. Commands are let through: they are the way back in.
func (s *Service) requireManager(ctx context.Context, tx *gorm.DB, taken []string) error {
	caller, _ := principal.From(ctx)
	if caller.Kind == principal.Internal || !principal.Covers(taken, manageAll) {
		return nil
	}
	issuers, err := s.issuersFor(ctx)
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
		return fmt.Errorf("count who holds %s: %w", manageAll, err)
	}
	if managers == 0 {
		return apperr.New(apperr.InUse, "No enabled user who can sign in would hold %s any more. Give it to somebody else first; nothing was changed.", manageAll)
	}
	return nil
}

// requireGrantable is Forbidden unless the caller has all that the roles hold: nobody
// grants what they do not have.
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

// requireRightsOf is Forbidden unless the caller may do all that a user may. Every change of a user
// needs it: whoever lets a user in, or knows its password, can do all of that, and nobody renames,
// strips or disables a user who may do more.
func requireRightsOf(ctx context.Context, tx *gorm.DB, user *User) error {
	grants, err := grantsOf(tx, user.held())
	if err != nil {
		return err
	}
	if grant := lackedOf(ctx, grants); grant != "" {
		return apperr.New(apperr.Forbidden, "User %q has the permission %s, which you do not have, so you cannot change this user. Ask a user who has it. Nothing was changed.", user.Username, grant)
	}
	return nil
}

// grantsOf returns what the named roles hold together.
func grantsOf(tx *gorm.DB, names []string) ([]string, error) {
	roles, err := rolesNamed(tx, names)
	if err != nil {
		return nil, err
	}
	held, err := permissionsOf(tx, slices.Collect(maps.Values(roles)))
	if err != nil {
		return nil, err
	}
	return distinct(slices.Concat(slices.Collect(maps.Values(held))...)), nil
}

// requireHeld is Forbidden when a grant is among these that the caller does not have.
func requireHeld(ctx context.Context, grants []string, what string) error {
	if grant := lackedOf(ctx, grants); grant != "" {
		return apperr.New(apperr.Forbidden, "%s the permission %s, which you do not have, so you cannot give it. Nothing was changed.", what, grant)
	}
	return nil
}

// lackedOf returns the first of some grants that the caller does not have, "" for none.
func lackedOf(ctx context.Context, grants []string) string {
	caller, _ := principal.From(ctx)
	for _, grant := range grants {
		if !caller.May(grant) {
			return grant
		}
	}
	return ""
}
