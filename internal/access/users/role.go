package users

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Role is a named set of permissions.
type Role struct {
	guard.Row
	Name string
	// Permissions are grants of the catalogue, sorted. They are stored in separate rows and
	// change only with the role's version.
	Permissions []string `gorm:"-"`
}

// TableName implements gorm's Tabler.
func (Role) TableName() string { return "roles" }

func (r *Role) label() string { return fmt.Sprintf("role %q", r.Name) }

// content returns the audit log's description of a role.
func (r *Role) content() map[string]any {
	return map[string]any{"name": r.Name, "permissions": r.Permissions}
}

// RoleVersion is one version of a role.
type RoleVersion struct {
	ID       int64
	TenantID int64
	RoleID   int64
	// Its Action is create, update or delete.
	change.Revision
	Name        string
	Permissions []string `gorm:"serializer:json"`
}

// TableName implements gorm's Tabler.
func (RoleVersion) TableName() string { return "role_histories" }

func roleVersionOf(role *Role, action string) *RoleVersion {
	return &RoleVersion{
		RoleID: role.ID, Revision: change.RevisionOf(role.Row, action), Name: role.Name, Permissions: input.Distinct(role.Permissions),
	}
}

// restore returns the role at this version, for comparing.
func (v RoleVersion) restore(role *Role) *Role {
	then := *role
	then.Name, then.Permissions = v.Name, input.Distinct(v.Permissions)
	v.Restore(&then.Row)
	return &then
}

// rolePatch is the part of a role that an edit may change.
type rolePatch struct {
	Name        string        `json:"name" schema:"RoleName"`
	Permissions input.SetEdit `json:"permissions" schema:"SetEdit"`
}

// roleDocument is the document of a role for comparing and merging.
type roleDocument struct {
	Name        string          `json:"name"`
	Permissions map[string]bool `json:"permissions"`
}

// roles declares roles to package change.
func (s *Service) roles() change.Editable[Role, *Role] {
	return change.Editable[Role, *Role]{
		Rows: change.Rows[Role, *Role]{
			DB: s.db, Label: (*Role).label, View: func(_ context.Context, role *Role) any { return roleViewOf(*role) }, Find: findRole,
		},
		Document: func(role *Role) (any, error) {
			return merge.Tree(roleDocument{role.Name, input.Members(role.Permissions)})
		},
		ApplyPatch: input.PatchedSet("permissions"),
		Represent:  input.RepresentedSet("permissions"),
		Revise:     s.reviseRole,
		AtVersion:  s.roleAt,
		Record:     s.recordRoleEdit,
	}
}

// reviseRole returns the role that an edited document describes. It does not check grants that the
// role already has: the catalogue may have changed since they were granted.
func (s *Service) reviseRole(role *Role, document any) (*Role, guard.Set, error) {
	var edited roleDocument
	if err := merge.Decode(document, &edited); err != nil {
		return nil, nil, fmt.Errorf("read an edited role: %w", err)
	}
	after := *role
	after.Name, after.Permissions = edited.Name, input.Names(edited.Permissions)
	err := cmp.Or(input.CheckName("/name", after.Name), s.checkGrants("/permissions", without(after.Permissions, role.Permissions)))
	return &after, guard.Set{"name": after.Name}, err
}

// roleAt reads a role at an earlier version. Errors: gorm.ErrRecordNotFound.
func (s *Service) roleAt(ctx context.Context, role *Role, version int64) (*Role, error) {
	var then RoleVersion
	if err := s.db.Read(ctx).Where("role_id = ? AND version = ?", role.ID, version).Take(&then).Error; err != nil {
		return nil, err
	}
	return then.restore(role), nil
}

// recordRoleEdit updates the role's permissions after its row, and records the edit.
func (s *Service) recordRoleEdit(ctx context.Context, u *uow.Unit, before, after *Role, _ *change.Overwrite) error {
	given, taken := without(after.Permissions, before.Permissions), without(before.Permissions, after.Permissions)
	lost := taken
	if after.Name != before.Name {
		// Groups are mapped to roles by name, so a rename can grant or remove all permissions.
		lost = before.Permissions
	}
	if err := cmp.Or(requireHeld(ctx, given, "The edit grants"), requireToChange(ctx, lost, fmt.Sprintf("Role %q", before.Name))); err != nil {
		return err
	}
	tx, err := s.tenants.BumpRevision(ctx, u)
	if err != nil {
		return err
	}
	if err := revoke(tx, after, taken); err != nil {
		return err
	}
	if err := grant(tx, after.ID, given); err != nil {
		return err
	}
	if err := s.requireManager(ctx, tx, taken); err != nil {
		return err
	}
	s.recordRole(u, after, "update", map[string]any{
		"fromVersion": before.Version, "version": after.Version, "before": before.content(), "after": after.content(),
	})
	return insertRoleVersion(ctx, u, after, "update")
}

// recordRole writes the audit entry of a change and announces the change.
func (s *Service) recordRole(u *uow.Unit, role *Role, action string, detail any) {
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "role", Topic: RoleTopic, Key: strconv.FormatInt(role.ID, 10), Detail: detail,
		Change: events.Change{Version: role.Version, ETag: role.Ref().ETag(), Action: action, Label: role.Name},
	})
}

// without returns the values that are not in others.
func without(values, others []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(value string) bool { return slices.Contains(others, value) })
}

// Role returns the role with an id. Errors: NotFound.
func (s *Service) Role(ctx context.Context, id int64) (*Role, error) {
	role, err := findRole(s.db.Read(ctx), id)
	return role, storage.Found(err, "role", strconv.FormatInt(id, 10))
}

// Roles returns one page of the roles whose name contains a text, ignoring case.
func (s *Service) Roles(ctx context.Context, text string, page storage.Page) (storage.Listing[Role], error) {
	listing, err := storage.List[Role](s.db.Read(ctx), page, roleSorts, storage.Containing(text, "name"))
	if err != nil {
		return listing, fmt.Errorf("list roles: %w", err)
	}
	return listing, withPermissions(s.db.Read(ctx), listing.Pointers())
}

// RoleHistory returns one page of a role's versions, newest first.
func (s *Service) RoleHistory(ctx context.Context, role *Role, page storage.Page) (storage.Listing[RoleVersion], error) {
	return storage.List[RoleVersion](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("role_id", role.ID))
}

// AddRole creates a role with the permissions. Errors: ValidationFailed, AlreadyExists; Forbidden
// for a permission that the caller lacks.
func (s *Service) AddRole(ctx context.Context, u *uow.Unit, name string, permissions []string) (*Role, error) {
	if err := cmp.Or(input.CheckName("/name", name), s.checkGrants("/permissions", permissions), requireHeld(ctx, permissions, "The role would have")); err != nil {
		return nil, err
	}
	role := &Role{Name: name, Permissions: input.Distinct(permissions)}
	if err := InsertRole(ctx, u, role); err != nil {
		return nil, err
	}
	s.recordRole(u, role, "create", role.content())
	return role, nil
}

// EditRole changes a role that was just read; see change.Editable.Apply for conflicts. Permissions
// are a set: edits that add and remove different ones can be merged. Errors: ValidationFailed,
// AlreadyExists (name), InUse if the last user with access:* would lose it, and Forbidden for a
// permission that the caller lacks: one that the edit adds or removes or, for a new name, any of
// the role.
func (s *Service) EditRole(ctx context.Context, u *uow.Unit, role *Role, edit change.Edit) (change.Edited[*Role], error) {
	edited, err := s.roles().Apply(ctx, u, role, edit)
	if storage.IsDuplicate(err, roleNameKey) {
		return edited, apperr.New(apperr.AlreadyExists, "Another role with this name already exists.")
	}
	return edited, err
}

// DeleteRole deletes a role that no user has. Its history remains. Errors: Forbidden for a
// permission that the caller lacks; InUse, VersionConflict.
func (s *Service) DeleteRole(ctx context.Context, u *uow.Unit, role *Role, ifMatch guard.Precondition) error {
	return s.roles().Delete(ctx, u, role, ifMatch, func() error {
		if err := guard.Delete[Role](ctx, u, role.Ref()); err != nil {
			return err
		}
		tx, err := s.tenants.BumpRevision(ctx, u)
		if err != nil {
			return err
		}
		var holders int64
		if err := tx.Model(&userRole{}).Where("role_id = ?", role.ID).Distinct("user_id").Count(&holders).Error; err != nil {
			return fmt.Errorf("count the role's holders: %w", err)
		}
		if holders > 0 {
			return apperr.New(apperr.InUse, "%s cannot be deleted while users have it (%d). Remove it from them first.", role.label(), holders)
		}
		if err := requireToChange(ctx, role.Permissions, fmt.Sprintf("Role %q", role.Name)); err != nil {
			return err
		}
		if err := revoke(tx, role, role.Permissions); err != nil {
			return err
		}
		s.recordRole(u, role, "delete", role.content())
		gone := *role
		if err := guard.Advance(ctx, u, &gone); err != nil {
			return err
		}
		return insertRoleVersion(ctx, u, &gone, "delete")
	})
}

// CreateRole is AddRole for the command line. Errors: those of AddRole, and NotFound (tenant).
func (s *Service) CreateRole(ctx context.Context, tenant, name string, permissions []string) error {
	ctx, err := s.tenants.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		_, err := s.AddRole(ctx, u, name, permissions)
		return err
	})
}

// SetRolePermissions replaces a role's permissions, for the command line. Errors: ValidationFailed,
// NotFound.
func (s *Service) SetRolePermissions(ctx context.Context, tenant, name string, permissions []string) error {
	return s.commandRole(ctx, tenant, name, func(ctx context.Context, u *uow.Unit, role *Role) error {
		_, err := s.EditRole(ctx, u, role, change.Edit{
			IfMatch: guard.Precondition{Ref: role.Ref()}, Patch: map[string]any{"permissions": input.Tree(input.Distinct(permissions))},
		})
		return err
	})
}

// RemoveRole is DeleteRole for the command line. Errors: those of DeleteRole, and NotFound.
func (s *Service) RemoveRole(ctx context.Context, tenant, name string) error {
	return s.commandRole(ctx, tenant, name, func(ctx context.Context, u *uow.Unit, role *Role) error {
		return s.DeleteRole(ctx, u, role, guard.Precondition{Ref: role.Ref()})
	})
}

// commandRole runs a change of the named role, which is read in the unit.
func (s *Service) commandRole(ctx context.Context, tenant, name string, fn func(context.Context, *uow.Unit, *Role) error) error {
	return s.tenants.Command(ctx, tenant, func(ctx context.Context, u *uow.Unit, tx *gorm.DB) error {
		named, err := RolesNamed(tx, []string{name})
		if err != nil {
			return err
		}
		role, known := named[name]
		if !known {
			return apperr.MissingRow("role", name)
		}
		if err := withPermissions(tx, []*Role{&role}); err != nil {
			return err
		}
		return fn(ctx, u, &role)
	})
}
