package menus

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"interlock/internal/access/input"
	"interlock/internal/base/apperr"
	"interlock/internal/base/naming"
	"interlock/internal/base/principal"
)

// maxPathBytes bounds the path of a menu, in bytes.
const maxPathBytes = 500

var iconNames = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]{0,31}$`)

// checkMenu returns the violations of the rules of menus. It does not check whether pages and
// icons exist, which only the admin knows. had is the menu's previous permission.
func (s *Service) checkMenu(m MenuTerms, had string) (broken apperr.Fields) {
	_, isPage := pageOf(m.Path)
	if m.Title != "" || !isPage {
		broken = naming.Check("/title", m.Title, input.MaxName)
	}
	broken.Check(m.Path == "" || isPage || isLink(m.Path), "/path", "path",
		"must be a path of this admin, such as /orders, an address that begins with https://, or empty for a group")
	broken.Check(len(m.Path) <= maxPathBytes, "/path", "max", "must have at most "+strconv.Itoa(maxPathBytes)+" bytes")
	broken.Check(m.Icon == "" || iconNames.MatchString(m.Icon), "/icon", "pattern", "must be the name of a drawing: a letter, then up to 31 letters, digits and -")
	known := slices.ContainsFunc(s.catalogue, func(grant principal.Grant) bool { return grant.Name == m.Permission })
	broken.Check(m.Permission == "" || m.Permission == had || known, "/permission", "unknown", "must be a permission of the catalogue, or empty for all users")
	return broken
}

func checkPosition(broken *apperr.Fields, position *int) {
	broken.Check(position == nil || *position >= 0, "/position", "min", "must be 0 or more")
}

// pageOf returns the path of an address within this admin. Addresses that a browser could resolve to
// another site are rejected: "//" and "\" start a host, and browsers remove control characters
// before they parse an address.
func pageOf(path string) (page string, ok bool) {
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") || strings.ContainsAny(path, `\`) || unshowable(path) || strings.ContainsFunc(path, unicode.IsSpace) {
		return "", false
	}
	parsed, err := url.Parse(path)
	if err != nil || parsed.Scheme != "" || parsed.Host != "" || parsed.User != nil {
		return "", false
	}
	return parsed.Path, true
}

// isLink reports whether an address is an external https:// address without credentials.
func isLink(address string) bool {
	if unshowable(address) || strings.ContainsFunc(address, unicode.IsSpace) || strings.ContainsAny(address, `\`) {
		return false
	}
	parsed, err := url.Parse(address)
	return err == nil && strings.HasPrefix(address, "https://") && parsed.Hostname() != "" && parsed.User == nil
}

// unshowable reports whether a text contains characters that cannot be displayed.
func unshowable(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl)
}
