package users

import (
	"context"
	"slices"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
	"interlock/internal/module"
)

// ReadyRoles are roles for common jobs besides admin, in the order of their creation.
var ReadyRoles = []module.Role{module.Viewer, module.Support, module.Operator, module.ConfigEditor, module.Approver, module.Auditor}

// RolesForJobs returns the ready-made roles with the declared permissions. The viewer has every
// read permission of the catalogue.
func RolesForJobs(domains []*module.Declaration) []Role {
	roles := make([]Role, len(ReadyRoles))
	for i, name := range ReadyRoles {
		roles[i].Name = string(name)
		for _, d := range domains {
			roles[i].Permissions = append(roles[i].Permissions, d.Roles[name]...)
			for _, grant := range d.Permissions {
				if name == module.Viewer && strings.HasSuffix(grant.Name, ":read") {
					roles[i].Permissions = append(roles[i].Permissions, grant.Name)
				}
			}
		}
		slices.Sort(roles[i].Permissions)
	}
	return roles
}

// MakeReadyRoles adds those ready-made roles whose names the tenant does not have yet. It does
// not change existing roles.
func (s *Service) MakeReadyRoles(ctx context.Context, tenant string) error {
	ctx, err := s.tenants.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	for _, ready := range RolesForJobs(s.domains) {
		err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := s.AddRole(ctx, u, ready.Name, ready.Permissions)
			return err
		})
		if err != nil && !apperr.Has(err, apperr.AlreadyExists) {
			return err
		}
	}
	return nil
}
