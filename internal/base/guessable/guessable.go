// Package guessable says whether a password is among those that are tried first. It judges
// what is long enough already: most of the lists of common passwords are of shorter ones, which
// people make long with digits and signs.
//
// common.txt.gz has the 49,000 most common passwords of leaks, lower-cased, in order, one a
// line: those of passwords.json in the npm package @zxcvbn-ts/language-common 4.1.3 (MIT) that
// have four characters or more.
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

// Why says what makes a password easy to guess.
type Why string

// What a password can be.
const (
	// Common is one of the most common passwords, or one of them with other digits and signs
	// around it, in place of its letters, or between them.
	Common Why = "common"
	// Pattern repeats a few characters, or runs along the alphabet, the digits or the keyboard.
	Pattern Why = "predictable"
	// Named is little more than a name that whoever guesses knows.
	Named Why = "named"
)

const (
	// leastWord is the shortest common password, and the shortest part of a name, that is
	// looked for in a password, in characters.
	leastWord = 4
	// mostDecoration is with how many characters around it a common password is still one.
	mostDecoration = 8
	// leastUnit is from what length on something may be repeated.
	leastUnit = 12
	// averageRun is how many characters a run has on average in a password that is made of runs.
	averageRun = 5
	// leastRest is how many characters a password has at least beside names.
	leastRest = 7
)

// Check says why a password would be guessed, or "" when this package knows no reason. The
// names are those that somebody who guesses knows, such as the user's and the product's.
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

// fold writes a text in one way, whatever its case and the width of its characters.
func fold(text string) string { return strings.ToLower(norm.NFKC.String(text)) }

// compact leaves letters and digits.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// asLetters are the readings of signs and digits that stand for letters; 1 is read as i or l.
var asLetters = []*strings.Replacer{
	strings.NewReplacer("@", "a", "4", "a", "3", "e", "0", "o", "5", "s", "$", "s", "7", "t", "1", "i", "!", "i"),
	strings.NewReplacer("@", "a", "4", "a", "3", "e", "0", "o", "5", "s", "$", "s", "7", "t", "1", "l", "!", "i"),
}

// famous are as well known as those of the list.
var famous = []string{"correcthorsebatterystaple"}

// common are the common passwords and what is left of them without digits and signs around
// them.
var common = sync.OnceValue(func() map[string]struct{} {
	words, err := readCommon()
	if err != nil {
		// The list is a part of the program.
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

// isCommon looks for the whole text, and for what is left of it without what stands around it
// and in place of letters.
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

// isPattern reports whether a text repeats a unit that is itself too short for a password, or
// is made of runs: of one character, of neighbours in the alphabet, or on a keyboard's row.
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

// rows are those of keyboards, one after the other.
const rows = "qwertyuiop asdfghjkl zxcvbnm qwertz azerty 7890"

// follows reports whether a character is the one that is expected after another.
func follows(a, b rune) bool {
	switch {
	case b-a >= -1 && b-a <= 1:
		return true
	case a == '9' && b == '0', a == '0' && b == '9':
		return true
	}
	return strings.Contains(rows, string([]rune{a, b})) || strings.Contains(rows, string([]rune{b, a}))
}

// isNamed reports whether a text is little more than names: what is left without them is
// short, common, or a pattern.
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

// parts returns names as they may stand in a password, whole and by their parts, the longest
// first.
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
