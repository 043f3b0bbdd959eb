package access

import (
	"context"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
)

// readyRoles are roles for common jobs besides admin, with their permissions. "*:read" means every
// read permission of the catalogue; permissions that the catalogue lacks are left out.
var readyRoles = []struct {
	name  string
	holds []string
}{
	{"viewer", []string{"*:read"}},
	{"support", []string{"actions:read", "coupons:read", "inventory:read", "items:read", "orders:*", "refunds:read", "refunds:write", "wallets:read", "work-orders:read", "work-orders:write"}},
	{"operator", []string{"actions:read", "coupons:*", "flash-sales:*", "inventory:*", "items:*", "orders:*", "queues:read", "refunds:read", "refunds:write", "wallets:read", "work-orders:*"}},
	{"config editor", []string{"approvals:read", "configs:overwrite", "configs:read", "configs:write"}},
	{"approver", []string{"approvals:decide", "approvals:read", "configs:read", "orders:read", "refunds:approve", "refunds:read", "wallets:read"}},
	{"auditor", []string{"access:read", "approvals:read", "audit:read", "configs:read", "idempotency-keys:read", "ledger:read", "orders:read", "refunds:read", "settings:read", "users:read", "wallets:read", "work-orders:read"}},
}

// rolesForJobs returns the ready-made roles with the permissions that the catalogue has.
func (s *Service) rolesForJobs() []Role {
	roles := make([]Role, len(readyRoles))
	for i, ready := range readyRoles {
		roles[i] = Role{Name: ready.name, Permissions: s.known(ready.holds)}
	}
	return roles
}

// MakeReadyRoles adds those ready-made roles whose names the tenant does not have yet. It does
// not change existing roles.
func (s *Service) MakeReadyRoles(ctx context.Context, tenant string) error {
	ctx, err := s.InTenant(ctx, tenant)
	if err != nil {
		return err
	}
	for _, ready := range s.rolesForJobs() {
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

// known returns the grants that are in the catalogue, with "*:read" expanded.
func (s *Service) known(grants []string) []string {
	var found []string
	for _, grant := range grants {
		if grant != "*:read" {
			if s.grantable(grant) {
				found = append(found, grant)
			}
			continue
		}
		for _, permission := range s.catalogue {
			if strings.HasSuffix(permission.Name, ":read") {
				found = append(found, permission.Name)
			}
		}
	}
	return found
}
