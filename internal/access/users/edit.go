package users

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"interlock/internal/access/input"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// userPatch is the part of a user that an edit may change.
type userPatch struct {
	Username    string        `json:"username" schema:"Username"`
	DisplayName string        `json:"displayName" schema:"DisplayName"`
	Roles       input.SetEdit `json:"roles" schema:"SetEdit"`
}

// userDocument is the document of a user for comparing and merging.
type userDocument struct {
	Username    string          `json:"username"`
	DisplayName string          `json:"displayName"`
	Roles       map[string]bool `json:"roles"`
}

// users declares users to package change.
func (s *Service) users() change.Editable[User, *User] {
	return change.Editable[User, *User]{
		Rows: change.Rows[User, *User]{
			DB: s.db, Label: (*User).label, View: func(_ context.Context, user *User) any { return UserViewOf(*user) }, Find: FindUser,
		},
		Document: func(user *User) (any, error) {
			return merge.Tree(userDocument{user.Username, user.DisplayName, input.Members(user.Roles)})
		},
		ApplyPatch: input.PatchedSet("roles"),
		Represent:  input.RepresentedSet("roles"),
		Revise:     reviseUser,
		AtVersion:  s.userAt,
		Record:     s.recordUserEdit,
	}
}

// reviseUser returns the user that an edited document describes. setRoles checks whether the roles
// exist and whether the caller may grant them.
func reviseUser(user *User, document any) (*User, guard.Set, error) {
	var edited userDocument
	if err := merge.Decode(document, &edited); err != nil {
		return nil, nil, fmt.Errorf("read an edited user: %w", err)
	}
	after := *user
	after.Username, after.DisplayName, after.Roles = edited.Username, edited.DisplayName, input.Names(edited.Roles)
	return &after, guard.Set{"username": after.Username, "display_name": after.DisplayName}, after.check()
}

// userAt reads a user at an earlier version. Errors: gorm.ErrRecordNotFound.
func (s *Service) userAt(ctx context.Context, user *User, version int64) (*User, error) {
	var then UserVersion
	if err := s.db.Read(ctx).Where("user_id = ? AND version = ?", user.ID, version).Take(&then).Error; err != nil {
		return nil, err
	}
	return then.restore(user), nil
}

// recordUserEdit updates the user's roles after its row, and records the edit.
func (s *Service) recordUserEdit(ctx context.Context, u *uow.Unit, before, after *User, _ *change.Overwrite) error {
	wanted := after.Roles
	after.Roles = before.Roles
	if err := s.setRoles(ctx, u, after, wanted); err != nil {
		return err
	}
	return s.RecordUser(ctx, u, after, "update", map[string]any{
		"fromVersion": before.Version, "version": after.Version,
		"before": before.content(), "after": after.content(),
	})
}

// setRoles replaces a user's roles, in a unit that has inserted or updated the user's row. Errors:
// ValidationFailed, Forbidden, InUse.
func (s *Service) setRoles(ctx context.Context, u *uow.Unit, user *User, names []string) error {
	tx, err := s.tenants.BumpRevision(ctx, u)
	if err != nil {
		return err
	}
	if err := requireRightsOf(ctx, tx, user); err != nil {
		return err
	}
	rows, err := RolesNamed(tx, input.Distinct(append(slices.Clone(names), user.Roles...)))
	if err != nil {
		return err
	}
	var given, taken []Role
	for _, name := range names {
		role, known := rows[name]
		switch {
		case !known:
			return input.Invalid("/roles", "unknown", fmt.Sprintf("must name existing roles; %.100q does not exist", name))
		case !slices.Contains(user.Roles, name):
			given = append(given, role)
		}
	}
	for _, name := range user.Roles {
		if role, known := rows[name]; known && !slices.Contains(names, name) {
			taken = append(taken, role)
		}
	}
	if err := requireGrantable(ctx, tx, given); err != nil {
		return err
	}
	if err := revokeRoles(tx, user, taken); err != nil {
		return err
	}
	if err := GrantRoles(tx, user.ID, given); err != nil {
		return err
	}
	user.Roles = names
	lost, err := permissionsOf(tx, taken)
	if err != nil {
		return err
	}
	return s.requireManager(ctx, tx, slices.Concat(slices.Collect(maps.Values(lost))...))
}
