package storage

import (
	"slices"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm"
)

// lastRune is greater than every other character, so that it ends a range of texts.
const lastRune = "\U0010FFFF"

// PrefixEnd returns the end of the range of texts with the prefix: a text greater than each of them,
// and not greater than any text after them.
func PrefixEnd(prefix string) string { return prefix + lastRune }

// ByPrefix reads at most limit rows of T with a column that starts with one of the spellings. The
// rows are in the order of the spellings. For each spelling the shortest text comes first; it
// equals the spelling if such a row exists.
func ByPrefix[T any](query *gorm.DB, column string, spellings []string, limit int) ([]T, error) {
	query = query.Session(&gorm.Session{})
	found := []T{}
	for _, spelling := range spellings {
		if len(found) >= limit {
			break
		}
		var rows []T
		err := Apply(query, HasPrefix(column, spelling)).Order("`" + column + "`, id").Limit(limit - len(found)).Find(&rows).Error
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, nil
}

// Spellings returns a text and its likely stored spellings: lower case, upper case and with
// a capital letter.
func Spellings(text string) []string {
	lower := strings.ToLower(text)
	_, first := utf8.DecodeRuneInString(lower)
	spellings := []string{text}
	for _, other := range []string{lower, strings.ToUpper(text), strings.ToUpper(lower[:first]) + lower[first:]} {
		if !slices.Contains(spellings, other) {
			spellings = append(spellings, other)
		}
	}
	return spellings
}
