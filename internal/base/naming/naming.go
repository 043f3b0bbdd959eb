// Package naming is the rule for names that people or other programs choose: of records, users,
// tokens, and references.
//
// Two names that look the same must be the same: an engine can ignore blanks at the end of a text,
// and no screen shows a direction mark.
package naming

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"interlock/internal/base/apperr"
)

// Rule describes Plain texts in an error message, without a subject.
const Rule = "must have no blanks at its ends, and no control characters or invisible marks"

// Plain reports whether a text is valid UTF-8 without blanks at its ends, control characters,
// separators of lines, and format characters such as direction marks. Zero width joiners are
// allowed inside, because scripts and emoji need them.
func Plain(text string) bool {
	return utf8.ValidString(text) && strings.TrimFunc(text, isBlank) == text && !strings.ContainsFunc(text, isHidden)
}

const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'

func isJoiner(r rune) bool { return r == zeroWidthNonJoiner || r == zeroWidthJoiner }

func isBlank(r rune) bool { return unicode.IsSpace(r) || isJoiner(r) }

func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Cf, r) && !isJoiner(r)
}

// Check returns the rules that a required name violates: it must not be empty, must follow Rule,
// and must have at most longest characters.
func Check(pointer, name string, longest int) (broken apperr.Fields) {
	broken.Check(strings.TrimFunc(name, isBlank) != "", pointer, "required", "is required")
	broken.Check(len(broken) > 0 || Plain(name), pointer, "text", Rule)
	broken.Check(utf8.RuneCountInString(name) <= longest, pointer, "max", "must have at most "+strconv.Itoa(longest)+" characters")
	return broken
}
