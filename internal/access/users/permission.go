package users

import (
	"fmt"
	"strings"

	"interlock/internal/access/input"
	"interlock/internal/base/principal"
)

const (
	// ReadPermission is required to read roles, also on the dashboard and in the live feed.
	ReadPermission  = "access:read"
	writePermission = "access:write"
	// ReadUsersPermission is required to read users, also on the dashboard and in the live feed.
	ReadUsersPermission = "users:read"
	// WriteUsersPermission is required to change users, and the tokens and sessions of other users.
	WriteUsersPermission = "users:write"
	// ReadTokensPermission is required to read tokens.
	ReadTokensPermission = "tokens:read"
	makeTokensPermission = "tokens:write"
)

// Catalogue returns all permissions, sorted by name.
func (s *Service) Catalogue() []principal.Grant { return s.catalogue }

// checkGrants rejects grants that no route requires. A grant is a permission of the catalogue,
// "<resource>:*" of a resource in it, or "*".
func (s *Service) checkGrants(pointer string, grants []string) error {
	if len(grants) > input.MaxNames {
		return input.Invalid(pointer, "max", fmt.Sprintf("must have at most %d permissions", input.MaxNames))
	}
	for _, grant := range grants {
		if !s.grantable(grant) {
			return input.Invalid(pointer, "unknown", fmt.Sprintf("must name permissions of the catalogue; %.100q is none of them", grant))
		}
	}
	return nil
}

func (s *Service) grantable(grant string) bool {
	for _, known := range s.catalogue {
		if grant == "*" || grant == known.Name || grant == resourceOf(known.Name)+":*" {
			return true
		}
	}
	return false
}

func resourceOf(permission string) string {
	resource, _, _ := strings.Cut(permission, ":")
	return resource
}
