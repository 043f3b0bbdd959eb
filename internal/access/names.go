package access

import (
	"regexp"

	"interlock/internal/base/apperr"
	"interlock/internal/base/naming"
)

var (
	tenantNames = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
	usernames   = regexp.MustCompile(`^[a-z0-9][a-z0-9._@+-]{0,63}$`)
)

// longestName bounds display names and the names of roles and tokens, in
// characters.
const longestName = 100

func checkTenantName(name string) error {
	if !tenantNames.MatchString(name) {
		return invalid("/name", "pattern", "must be 1 to 63 of a-z, 0-9 and -, and not begin with -")
	}
	return nil
}

func checkUsername(name string) error {
	if !usernames.MatchString(name) {
		return invalid("/username", "pattern", "must be 1 to 64 of a-z, 0-9 and . _ @ + -, and begin with a letter or digit")
	}
	return nil
}

// checkName returns the violations of naming.Check as an error.
func checkName(pointer, name string) error {
	if broken := naming.Check(pointer, name, longestName); len(broken) > 0 {
		return apperr.Invalid(broken...)
	}
	return nil
}

func invalid(pointer, code, message string) error {
	return apperr.Invalid(apperr.Field{Pointer: pointer, Code: code, Message: message})
}
