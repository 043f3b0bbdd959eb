// Package guessable detects passwords that attackers try first, with the blocklist that NIST SP
// 800-63B requires: common passwords and names. It judges passwords that are already long enough:
// most lists contain shorter ones, which people extend with digits and signs.
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

// minWord is the minimum length of a form of a common password, in characters.
const minWord = 4

// Check reports whether a password equals a common password or one of the names, with or without
// the leading and trailing digits and signs of the password. The names are those that an attacker
// knows, such as the name of the user and of the product.
func Check(password string, names ...string) bool {
	text := fold(password)
	for _, form := range []string{compact(text), compact(strings.TrimFunc(text, notLetter))} {
		if form == "" {
			continue
		}
		isForm := func(name string) bool { return compact(fold(name)) == form }
		if _, found := common()[form]; found || slices.ContainsFunc(names, isForm) {
			return true
		}
	}
	return false
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

// common contains the common passwords, and their forms without leading and trailing digits
// and signs.
var common = sync.OnceValue(func() map[string]struct{} {
	words, err := readCommon()
	if err != nil {
		// The list is embedded in the program.
		panic(err)
	}
	set := make(map[string]struct{}, len(words))
	for _, word := range words {
		for _, one := range []string{compact(word), compact(strings.TrimFunc(word, notLetter))} {
			if utf8.RuneCountInString(one) >= minWord {
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
