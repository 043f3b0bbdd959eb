// Package clip truncates texts from outside.
package clip

import "unicode/utf8"

// Text truncates a text to longest characters and marks the cut by an ellipsis, so that a client
// cannot fill a reply or the log with its text.
func Text(text string, longest int) string {
	if len(text) <= longest || utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest]) + "…"
}

// Bytes truncates a text to at most longest bytes, between two characters: a strict
// database rejects incomplete characters.
func Bytes(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	for longest > 0 && !utf8.RuneStart(text[longest]) {
		longest--
	}
	return text[:longest]
}
