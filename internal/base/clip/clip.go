// Package clip truncates texts from outside.
package clip

import "unicode/utf8"

// Text truncates a text to maxLength characters and marks the cut by an ellipsis, so that a client
// cannot fill a reply or the log with its text.
func Text(text string, maxLength int) string {
	if len(text) <= maxLength || utf8.RuneCountInString(text) <= maxLength {
		return text
	}
	return string([]rune(text)[:maxLength]) + "…"
}

// Bytes truncates a text to at most maxLength bytes, between two characters: a strict
// database rejects incomplete characters.
func Bytes(text string, maxLength int) string {
	if len(text) <= maxLength {
		return text
	}
	for maxLength > 0 && !utf8.RuneStart(text[maxLength]) {
		maxLength--
	}
	return text[:maxLength]
}
