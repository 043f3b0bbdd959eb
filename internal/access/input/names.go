// Package input checks the values of requests that several packages of access accept: names and
// sets of names.
package input

import (
	"regexp"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/naming"
)

var (
	// TenantNames matches the names of tenants.
	TenantNames = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
	// Usernames matches usernames.
	Usernames = regexp.MustCompile(`^[a-z0-9][a-z0-9._@+-]{0,63}$`)
)

// MaxName bounds display names and the names of roles and tokens, in
// characters.
const MaxName = 100

// CheckTenant checks the form of a tenant's name. Errors: ValidationFailed.
func CheckTenant(name string) error {
	if !TenantNames.MatchString(name) {
		return Invalid("/name", "pattern", "must be 1 to 63 of a-z, 0-9 and -, and not begin with -")
	}
	return nil
}

// CheckUsername checks the form of a username. Errors: ValidationFailed.
func CheckUsername(name string) error {
	if !Usernames.MatchString(name) {
		return Invalid("/username", "pattern", "must be 1 to 64 of a-z, 0-9 and . _ @ + -, and begin with a letter or digit")
	}
	return nil
}

// CheckName checks the name of a role or a token, or a display name. Errors: ValidationFailed.
func CheckName(pointer, name string) error {
	if broken := naming.Check(pointer, name, MaxName); len(broken) > 0 {
		return apperr.Invalid(broken...)
	}
	return nil
}

// Invalid returns a ValidationFailed error with one violation.
func Invalid(pointer, code, message string) error {
	return apperr.Invalid(apperr.Field{Pointer: pointer, Code: code, Message: message})
}

// Distinct returns the values sorted and without duplicates.
func Distinct(values []string) []string {
	sorted := append([]string{}, values...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
