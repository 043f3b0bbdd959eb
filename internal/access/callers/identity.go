package callers

import (
	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
)

// Identity is a user with the permissions of its roles.
type Identity struct {
	ID          int64
	Version     int64
	Username    string
	DisplayName string
	Roles       []string
	Permissions []string
	// SecondFactor is true if the user has one; some acts then require a step-up.
	SecondFactor bool
}

// Acting returns the user as a principal.
func (i Identity) Acting(kind principal.Kind, tenantID int64, credential string, permissions []string) principal.Principal {
	return principal.Principal{
		Kind: kind, TenantID: tenantID, UserID: i.ID, UserVersion: i.Version, Name: i.DisplayName,
		CredentialID: credential, Permissions: permissions,
	}
}

// Intersect returns the grants that both sets allow. Empty scopes do not limit the grants.
func Intersect(grants, scopes []string) []string {
	if len(scopes) == 0 {
		return grants
	}
	both := []string{}
	for _, scope := range scopes {
		if principal.Covers(grants, scope) {
			both = append(both, scope)
		}
	}
	for _, grant := range grants {
		if principal.Covers(scopes, grant) {
			both = append(both, grant)
		}
	}
	return input.Distinct(both)
}

// ErrNoSession returns the error for a session that has ended.
func ErrNoSession() error {
	return apperr.New(apperr.Unauthenticated, "Your session has ended. Sign in again.")
}

// ErrWrongCredentials returns the error for wrong credentials of any kind.
func ErrWrongCredentials() error {
	return apperr.New(apperr.InvalidCredentials, "The credentials are wrong.")
}
