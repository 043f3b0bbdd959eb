// Package guessable detects passwords that attackers try first. It judges passwords that
// are already long enough: most lists contain shorter ones, which people extend with digits
// and signs.
//
// common.txt.gz contains the 49,000 most common leaked passwords, in lower case, by
// frequency, one per line: the entries of passwords.json in the npm package
// @zxcvbn-ts/language-common 4.1.3 (MIT) with at least four characters.
package guessable

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Why is the reason why a password is easy to guess.
type Why string

// Reasons.
const (
	// Common is one of the most common passwords, possibly with digits and signs around it,
	// in place of its letters, or between them.
	Common Why = "common"
	// Pattern repeats a few characters, or is a sequence in the alphabet, the digits or on
	// the keyboard.
	Pattern Why = "predictable"
	// Named is little more than a name that an attacker knows.
	Named Why = "named"
)

const (
	// leastWord is the minimum length of a common password or a part of a name that is
	// searched for, in characters.
	leastWord = 4
	// mostDecoration is the maximum number of characters around a common password.
	mostDecoration = 8
	// leastUnit is the length from which on a unit may be repeated.
	leastUnit = 12
	// averageRun is the average length of runs in a password that consists of runs.
	averageRun = 5
	// leastRest is the minimum number of characters in addition to names.
	leastRest = 7
)

// Check returns the reason why a password is easy to guess, or "". The names are those that
// an attacker knows, such as the user's and the product's.
func Check(password string, names ...string) Why {
	text := fold(password)
	switch {
	case isPattern([]rune(text)):
		return Pattern
	case isCommon(text):
		return Common
	case isNamed(text, names):
		return Named
	}
	return ""
}

// fold normalizes case and character width.
func fold(text string) string { return strings.ToLower(norm.NFKC.String(text)) }

// compact removes everything but letters and digits.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// asLetters are the readings of signs and digits as letters; 1 is read as i or l.
var asLetters = []*strings.Replacer{
	strings.NewReplacer("@", "a", "4", "a", "3", "e", "0", "o", "5", "s", "$", "s", "7", "t", "1", "i", "!", "i"),
	strings.NewReplacer("@", "a", "4", "a", "3", "e", "0", "o", "5", "s", "$", "s", "7", "t", "1", "l", "!", "i"),
}

// famous are passwords as well known as those of the list.
var famous = []string{"correcthorsebatterystaple"}

// common contains the common passwords, and their forms without leading and trailing digits
// and signs.
var common = sync.OnceValue(func() map[string]struct{} {
	words, err := readCommon()
	if err != nil {
		// The list is embedded in the program.
		panic(err)
	}
	set := make(map[string]struct{}, len(words))
	for _, word := range slices.Concat(words, famous) {
		for _, one := range []string{compact(word), compact(strings.TrimFunc(word, notLetter))} {
			if utf8.RuneCountInString(one) >= leastWord {
				set[one] = struct{}{}
			}
		}
	}
	return set
})

//go:embed common.txt.gz
var compressed []byte

func readCommon() ([]string, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("read the common passwords: %w", err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, fmt.Errorf("read the common passwords: %w", err)
	}
	return strings.Fields(string(text)), nil
}

// isCommon searches for the whole text, and for the text without surrounding digits and
// signs and with letters restored.
func isCommon(text string) bool {
	length := utf8.RuneCountInString(text)
	for _, inner := range []string{text, strings.TrimFunc(text, notLetter), strings.TrimRightFunc(text, notLetter)} {
		if length-utf8.RuneCountInString(inner) > mostDecoration {
			continue
		}
		if has(compact(inner)) {
			return true
		}
		for _, letters := range asLetters {
			if has(compact(letters.Replace(inner))) {
				return true
			}
		}
	}
	return false
}

func has(word string) bool {
	if len(word) < leastWord {
		return false
	}
	_, found := common()[word]
	return found
}

// isPattern reports whether a text repeats a unit that is itself too short for a password,
// or consists of runs: of one character, of neighbours in the alphabet, or of a keyboard
// row.
func isPattern(text []rune) bool {
	if len(text) == 0 {
		return false
	}
	for unit := 1; unit < leastUnit && 2*unit <= len(text); unit++ {
		if slices.Equal(text[unit:], text[:len(text)-unit]) {
			return true
		}
	}
	runs := 1
	for i := 1; i < len(text); i++ {
		if !follows(text[i-1], text[i]) {
			runs++
		}
	}
	return runs*averageRun <= len(text)
}

// rows are keyboard rows, concatenated.
const rows = "qwertyuiop asdfghjkl zxcvbnm qwertz azerty 7890"

// follows reports whether b is an expected successor of a.
func follows(a, b rune) bool {
	switch {
	case b-a >= -1 && b-a <= 1:
		return true
	case a == '9' && b == '0', a == '0' && b == '9':
		return true
	}
	return strings.Contains(rows, string([]rune{a, b})) || strings.Contains(rows, string([]rune{b, a}))
}

// isNamed reports whether a text is little more than names: the rest is short, common, or a
// pattern.
func isNamed(text string, names []string) bool {
	rest := compact(text)
	before := len(rest)
	for _, name := range parts(names) {
		rest = strings.ReplaceAll(rest, name, "")
	}
	if len(rest) == before {
		return false
	}
	return utf8.RuneCountInString(rest) < leastRest || isCommon(rest) || isPattern([]rune(rest))
}

// parts returns the names in the forms in which a password may contain them, whole and in
// parts, longest first.
func parts(names []string) []string {
	var all []string
	for _, name := range names {
		name = fold(name)
		split := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, part := range append(split, compact(name)) {
			if utf8.RuneCountInString(part) >= leastWord {
				all = append(all, part)
			}
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(all)
}
