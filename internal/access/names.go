package access

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"interlock/internal/base/apperr"
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

// checkName refuses a name for people that is empty, too long, or that no screen
// could show.
func checkName(pointer, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return invalid(pointer, "required", "is required")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return invalid(pointer, "text", "must be text without control characters")
	case utf8.RuneCountInString(name) > longestName:
		return invalid(pointer, "max", "must have at most "+strconv.Itoa(longestName)+" characters")
	}
	return nil
}

func invalid(pointer, code, message string) error {
	return apperr.Invalid(apperr.Field{Pointer: pointer, Code: code, Message: message})
}
