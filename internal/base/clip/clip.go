// Package clip shortens texts that come from outside.
package clip

import "unicode/utf8"

// Text cuts a text behind so many characters, and says by an ellipsis that something is missing.
// It keeps a client's own text from filling its reply and the log.
func Text(text string, longest int) string {
	if len(text) <= longest || utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest]) + "…"
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
