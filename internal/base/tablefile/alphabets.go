package tablefile

import "unicode"

// language is a language that adds letters to those of ASCII.
type language struct {
	// letters are its small non-ASCII letters.
	letters string
	// next restricts the small letter after a letter: other languages use it before any letter.
	next map[rune]string
}

// The languages of the Latin code pages. Two pages decode the same bytes to letters of different
// languages: ő and ű of Hungarian are õ and û in the West.
var (
	western = []language{
		{letters: "äöüßé"},            // German
		{letters: "àâæçéèêëîïôœùûüÿ"}, // French
		{letters: "áéíñóúü"},          // Spanish
		{letters: "áàâãçéêíóôõúü", next: map[rune]string{'ã': "eios", 'õ': "e"}}, // Portuguese
		{letters: "àèéìíîòóùú"},  // Italian
		{letters: "àçèéíïòóúü"},  // Catalan
		{letters: "áéèêëíïóöúü"}, // Dutch
		{letters: "æøåé"},        // Danish, Norwegian
		{letters: "åäöé"},        // Swedish, Finnish
		{letters: "áéíóúýöþæð"},  // Icelandic
		{letters: "áíóúýæøð"},    // Faroese
	}
	central = []language{
		{letters: "ąćęłńóśźż"},         // Polish
		{letters: "áčďéěíňóřšťúůýž"},   // Czech
		{letters: "áäčďéíĺľňóôŕšťúýž"}, // Slovak
		{letters: "áéíóöőúüű"},         // Hungarian
		{letters: "ăâîşţ"},             // Romanian
		{letters: "čćđšž"},             // Croatian, Slovene, Serbian
	}
	turkish = []language{{letters: "çğıİöşüâîû"}}
	baltic  = []language{
		{letters: "ąčęėįšųūž"},   // Lithuanian
		{letters: "āčēģīķļņšūž"}, // Latvian
		{letters: "äõöüšž"},      // Estonian
	}
)

// script is an alphabet without letters of ASCII. The strings are small letters. Their position in a
// word distinguishes two scripts with the same bytes.
type script struct {
	table                                   *unicode.RangeTable
	rare, neverFirst, neverLast, alwaysLast string
	// vowels is "" if words can be without one.
	vowels string
}

// hebrewPoints are marks below letters, which are printed only for learners.
const hebrewPoints = "\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05bb\u05bc\u05bd\u05bf\u05c1\u05c2"

var (
	cyrillic = script{table: unicode.Cyrillic, neverFirst: "ъьы", neverLast: "ъ", vowels: "аеёиоуыэюяіїєўъ"}
	greek    = script{table: unicode.Greek, rare: "ΐΰ", neverLast: "σ", alwaysLast: "ς", vowels: "αεηιουωάέήίόύώϊϋ"}
	hebrew   = script{table: unicode.Hebrew, rare: hebrewPoints, neverLast: "כמנפצ", alwaysLast: "ךםןףץ"}
	arabic   = script{table: unicode.Arabic, alwaysLast: "ةى"}
	thai     = script{table: unicode.Thai, neverFirst: "ะัาำิีึืฺุู็่้๊๋์ํ", neverLast: "เแโใไ"}
)
