package tablefile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A table has few non-ASCII characters, so the statistics of libraries for long text fail: they
// detect Western names as Chinese. The rules here check each character with its neighbours.

// The letters of a group of languages in one code page.
const (
	western = "äöüÄÖÜßàâæçéèêëîïìíòóôõœùúûÿñáãåøÀÂÆÇÉÈÊËÎÏÍÓÔÕŒÙÚÛÑÁÃÅØ"
	central = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽőűŐŰăâîşţĂÂÎŞŢäöüßÄÖÜôľĺŕ"
)

// alone are the letters that are words, or separate parts of a name.
const alone = "àÀáéÉèíóÓôùúêòìäÄöÖüÜåÅøØæÆ"

// symbols occur between words and next to numbers. A space without a line break groups digits.
const symbols = "€£§©®™°²³–—‘’“”„«»…•¿¡½¼¾×ªº№\u00a0"

func isSymbol(r rune) bool { return strings.ContainsRune(symbols, r) }

// runes is a text with a line break before its start and after its end.
type runes []rune

func (t runes) at(i int) rune {
	if i < 0 || i >= len(t) {
		return '\n'
	}
	return t[i]
}

// each returns the rule of a code page with one byte for each character.
func each(isUsual func(text runes, i int) bool) func([]byte, string) (int, int) {
	return func(_ []byte, decoded string) (usual, all int) {
		text := runes(decoded)
		for i, r := range text {
			if r < utf8.RuneSelf {
				continue
			}
			all++
			if isUsual(text, i) {
				usual++
			}
		}
		return usual, all
	}
}

// latin returns the rule for the letters of a language group. maxRun is the maximum number of its
// letters in a row.
func latin(letters string, maxRun int) func([]byte, string) (int, int) {
	return each(func(text runes, i int) bool {
		if isSymbol(text[i]) {
			return isUsualSymbol(text, i)
		}
		return strings.ContainsRune(letters, text[i]) && isUsualLetter(text, i, maxRun)
	})
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
	for isLetter(text.at(first - 1)) {
		first--
	}
	for isLetter(text.at(last + 1)) {
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

// isUsualCyrillic reports whether a letter is in a word without ASCII letters, and no capital after
// a small letter.
func isUsualCyrillic(text runes, i int) bool {
	r, before, after := text[i], text.at(i-1), text.at(i+1)
	isMixed := before < utf8.RuneSelf && unicode.IsLetter(before) || after < utf8.RuneSelf && unicode.IsLetter(after)
	isLetter := r >= 'А' && r <= 'я' || strings.ContainsRune("ёЁіІїЇєЄґҐўЎ", r)
	return isSymbol(r) || isLetter && !isMixed && (!unicode.IsUpper(r) || !unicode.IsLower(before))
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
	if hangul, _ := pairs(commonKorean)(content, text); all >= short && hangul == all {
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

// commonKorean reports whether a pair is punctuation or a Hangul syllable of KS X 1001.
func commonKorean(lead, trail byte) bool {
	return trail >= 0xa1 && (lead >= 0xb0 && lead <= 0xc8 || lead >= 0xa1 && lead <= 0xa3)
}

// japaneseText is the rule of Shift_JIS. Kana of half width have one byte and are rare.
func japaneseText(content []byte, _ string) (usual, all int) {
	for at := 0; at < len(content); at++ {
		lead := content[at]
		if lead < 0x80 {
			continue
		}
		all++
		if lead >= 0xa1 && lead <= 0xdf {
			continue
		}
		if lead <= 0x83 || lead >= 0x88 && lead <= 0x97 {
			usual++
		}
		at++
	}
	return usual, all
}
