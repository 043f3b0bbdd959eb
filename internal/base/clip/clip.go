// Package clip shortens texts that come from outside.
package clip

import "unicode/utf8"

// Text returns a text of at most longest characters, of which the last is an ellipsis where
// something was cut off. It keeps a client's own text from filling its reply and the log.
// longest is at least 1.
func Text(text string, longest int) string {
	if len(text) <= longest || utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest-1]) + "…"
}

// Bytes cuts a text to at most longest bytes, between two characters: half of one is not
// text, and a strict database refuses the row.
func Bytes(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	for longest > 0 && !utf8.RuneStart(text[longest]) {
		longest--
	}
	return text[:longest]
}
