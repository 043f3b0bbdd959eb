package tablefile

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A table has few non-ASCII characters, so the statistics of libraries for long text fail: they
// detect Western names as Chinese. The rules here check each character with its neighbours.

// alone are the letters that are words, or separate parts of a name.
const alone = "àÀáéÉèíóÓôùúêòìäÄöÖüÜåÅøØæÆ"

// symbols occur between words and next to numbers. A space without a line break groups digits.
const symbols = "€£§©®™°²³–—‘’“”„«»…•¿¡½¼¾×ªº№฿₪،؛؟\u00a0"

func isSymbol(r rune) bool { return strings.ContainsRune(symbols, r) }

// runes is a text with a line break before its start and after its end.
type runes []rune

func (t runes) at(i int) rune {
	if i < 0 || i >= len(t) {
		return '\n'
	}
	return t[i]
}

// latin returns the rule for the letters of languages: those of the language that fits best, or, at a
// discount of a tenth, of several languages. maxRun is the maximum number of letters in a row.
func latin(languages []language, maxRun int) func([]byte, string) (int, int) {
	return func(_ []byte, decoded string) (usual, all int) {
		text := runes(decoded)
		symbols, mixed, found := 0, 0, make([]int, len(languages))
		for i, r := range text {
			switch {
			case r < utf8.RuneSelf:
				continue
			case isSymbol(r):
				symbols += count(isUsualSymbol(text, i))
			case isUsualLetter(text, i, maxRun):
				isKnown := false
				for n, language := range languages {
					if language.has(r, text.at(i+1)) {
						isKnown = true
						found[n]++
					}
				}
				mixed += count(isKnown)
			}
			all++
		}
		return symbols + max(slices.Max(found), mixed*9/10), all
	}
}

// has reports whether a letter before another character is usual in the language.
func (l language) has(r, next rune) bool {
	small := unicode.ToLower(r)
	if !strings.ContainsRune(l.letters, small) && !strings.ContainsRune(l.letters, r) {
		return false
	}
	allowed, isRestricted := l.next[small]
	return !isRestricted || !unicode.IsLetter(next) || strings.ContainsRune(allowed, unicode.ToLower(next))
}

func count(isUsual bool) int {
	if isUsual {
		return 1
	}
	return 0
}

// isUsualLetter reports whether a non-ASCII letter is in a word with ASCII letters, in a run of at
// most maxRun non-ASCII letters, and no capital after a small letter.
func isUsualLetter(text runes, i, maxRun int) bool {
	r := text[i]
	if unicode.IsUpper(r) && unicode.IsLower(text.at(i-1)) {
		return false
	}
	isLetter := func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) }
	first, last := i, i
	for i-first < maxRun && isLetter(text.at(first-1)) {
		first--
	}
	for last-i < maxRun && isLetter(text.at(last+1)) {
		last++
	}
	before, after := text.at(first-1), text.at(last+1)
	isBounded := (before < utf8.RuneSelf || isSymbol(before)) && (after < utf8.RuneSelf || isSymbol(after))
	isInWord := unicode.IsLetter(before) || unicode.IsLetter(after)
	return isBounded && last-first < maxRun && (isInWord || first == last && strings.ContainsRune(alone, r))
}

// isUsualSymbol reports whether a symbol is next to ASCII, and not between two letters, except for
// an apostrophe.
func isUsualSymbol(text runes, i int) bool {
	before, after := text.at(i-1), text.at(i+1)
	isInWord := unicode.IsLetter(before) && unicode.IsLetter(after)
	return before < utf8.RuneSelf && after < utf8.RuneSelf && (!isInWord || text[i] == '’')
}

// rule returns the rule of a code page with the letters of a script.
func (s script) rule(_ []byte, decoded string) (usual, all int) {
	text := runes(decoded)
	for i, r := range text {
		if r >= utf8.RuneSelf {
			all++
			usual += count(isSymbol(r) || s.isUsual(text, i))
		}
	}
	return usual, all
}

// isUsual reports whether a letter of the script is in a word without ASCII letters, at a usual
// position, and no capital after a small letter.
func (s script) isUsual(text runes, i int) bool {
	r, before, after := text[i], text.at(i-1), text.at(i+1)
	isASCII := func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }
	if !unicode.Is(s.table, r) || isASCII(before) || isASCII(after) || unicode.IsUpper(r) && unicode.IsLower(before) {
		return false
	}
	isFirst, isLast := !unicode.Is(s.table, before), !unicode.Is(s.table, after)
	// The capital of the small letters σ and ς is Σ.
	has := func(letters string) bool { return strings.ContainsRune(letters, r) }
	if has(s.rare) || isFirst && strings.ContainsRune(s.neverFirst, unicode.ToLower(r)) || isLast && has(s.neverLast) || !isLast && has(s.alwaysLast) {
		return false
	}
	return s.vowels == "" || s.isNearVowel(text, i)
}

// isNearVowel reports whether a vowel is near a letter in its word. Units such as кг have none.
func (s script) isNearVowel(text runes, i int) bool {
	const near, short = 3, 2
	length := 0
	for _, step := range []int{-1, 1} {
		for at := i; (at-i)*step <= near && unicode.Is(s.table, text.at(at)); at += step {
			if strings.ContainsRune(s.vowels, unicode.ToLower(text.at(at))) {
				return true
			}
			length++
		}
	}
	return length-1 <= short
}

// pairs returns the rule of a code page with two bytes for each character. common reports whether
// a pair is a frequent character.
func pairs(common func(lead, trail byte) bool) func([]byte, string) (int, int) {
	return func(content []byte, _ string) (usual, all int) {
		for at := 0; at < len(content); at++ {
			lead := content[at]
			if lead < utf8.RuneSelf {
				continue
			}
			all++
			at++
			if at < len(content) && common(lead, content[at]) {
				usual++
			}
		}
		return usual, all
	}
}

// chineseText is the rule of GB 18030. All Hangul syllables are also frequent Chinese characters, but
// a Chinese text of some length contains others.
func chineseText(content []byte, text string) (usual, all int) {
	const short = 8
	usual, all = pairs(commonChinese)(content, text)
	if hangul, _ := pairs(commonKorean)(content, text); all >= short && hangul >= usual {
		usual--
	}
	return usual, all
}

// commonChinese reports whether a pair is punctuation or one of the 3,755 frequent characters of
// GB 2312. A non-ASCII letter of Western text pairs with the ASCII letter after it, which is never
// such a pair.
func commonChinese(lead, trail byte) bool {
	return trail >= 0xa1 && (lead >= 0xb0 && lead <= 0xd7 || lead >= 0xa1 && lead <= 0xa3)
}

// commonTraditional reports whether a pair is punctuation or one of the 5,401 frequent characters of
// Big5.
func commonTraditional(lead, trail byte) bool {
	return (lead >= 0xa1 && lead <= 0xa2 || lead >= 0xa4 && lead <= 0xc6) && (trail >= 0xa1 || trail <= 0x7e)
}

// commonKorean reports whether a pair is a symbol or a Hangul syllable of KS X 1001. Units and circled
// numbers such as ㎖ and ① are frequent in tables.
func commonKorean(lead, trail byte) bool {
	return trail >= 0xa1 && (lead >= 0xb0 && lead <= 0xc8 || lead >= 0xa1 && lead <= 0xac)
}

// japaneseText is the rule of Shift_JIS. Katakana of half width have one byte, and are usual in a run
// of at least two.
func japaneseText(content []byte, _ string) (usual, all int) {
	isKana := func(at int) bool { return at >= 0 && at < len(content) && content[at] >= 0xa1 && content[at] <= 0xdf }
	wasKana := false
	for at := 0; at < len(content); at++ {
		lead := content[at]
		if lead < 0x80 {
			wasKana = false
			continue
		}
		all++
		if isKana(at) {
			usual += count(wasKana || isKana(at+1))
			wasKana = true
			continue
		}
		wasKana = false
		usual += count(lead <= 0x83 || lead >= 0x88 && lead <= 0x97)
		at++
	}
	return usual, all
}
