package tablefile

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Decimal is the decimal style of a file: 1,234.50 with a point, 1.234,50 with a comma.
type Decimal string

// The decimal styles.
const (
	Point Decimal = "point"
	Comma Decimal = "comma"
)

// Enum returns the decimal styles.
func (Decimal) Enum() []string { return []string{string(Point), string(Comma)} }

// mark returns the decimal separator.
func (d Decimal) mark() string {
	if d == Point {
		return "."
	}
	return ","
}

func (d Decimal) other() Decimal {
	if d == Point {
		return Comma
	}
	return Point
}

// digits is the shape of a number without sign, currency and spaces.
var digits = regexp.MustCompile(`^[0-9]+(?:[.,][0-9]+)*$`)

// withoutCurrency returns a number without its currency and the spaces and apostrophes that group its digits.
// ok is false if the text is not a number in any style.
func withoutCurrency(cell string) (number string, isNegative, ok bool) {
	text := strings.TrimFunc(width.Fold.String(cell), func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Sc, r) || r == '元' || r == '円' })
	for _, minus := range []string{"-", "−"} {
		if text, isNegative = strings.CutPrefix(text, minus); isNegative {
			break
		}
	}
	if !isNegative {
		text = strings.TrimPrefix(text, "+")
	}
	text = strings.TrimFunc(withoutCode(text), func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Sc, r) })
	parts := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\'' || r == '’' })
	for _, part := range parts[min(1, len(parts)):] {
		// Only groups of three digits are separated by spaces.
		if end := strings.IndexAny(part, ".,"); len(part) < 3 || end >= 0 && end != 3 || end < 0 && len(part) != 3 {
			return "", false, false
		}
	}
	number = strings.Join(parts, "")
	return number, isNegative, digits.MatchString(number)
}

// withoutCode returns an amount without the code of its currency.
func withoutCode(text string) string {
	const length = len("EUR")
	isCode := func(code string) bool {
		return !strings.ContainsFunc(code, func(r rune) bool { return r < 'A' || r > 'Z' })
	}
	if len(text) > length && isCode(text[:length]) {
		return text[length:]
	}
	if len(text) > length && isCode(text[len(text)-length:]) {
		return text[:len(text)-length]
	}
	return text
}

// styleOf returns the decimal style that a number without currency proves; "" if both styles, or neither, can
// read it. isAmbiguous is true if the styles read different numbers.
func styleOf(number string) (style Decimal, isAmbiguous bool) {
	last := strings.LastIndexAny(number, ".,")
	if last < 0 {
		return "", false
	}
	style = Comma
	if number[last] == '.' {
		style = Point
	}
	switch {
	case strings.Contains(number, style.other().mark()):
		return style, false
	case strings.Count(number, style.mark()) > 1:
		return style.other(), false
	case len(number)-last-1 != 3 || last > 3 || number[0] == '0':
		return style, false
	}
	return "", true
}

// parse returns a number without currency with a decimal point and without groups. ok is false if the number is
// not of the style.
func parse(number string, style Decimal) (canonical string, ok bool) {
	whole, fraction, hasFraction := strings.Cut(number, style.mark())
	groups := strings.Split(whole, style.other().mark())
	for i, group := range groups {
		if i > 0 && len(group) != 3 || i == 0 && len(groups) > 1 && len(group) > 3 {
			return "", false
		}
	}
	if hasFraction && strings.ContainsAny(fraction, ".,") {
		return "", false
	}
	whole = strings.TrimLeft(strings.Join(groups, ""), "0")
	if whole == "" {
		whole = "0"
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return whole, true
}

// number reads a cell in the decimal style of the file, which is "" if the file proves none or both.
func number(cell string, style Decimal, isWhole bool) (canonical string, code Code) {
	plain, isNegative, ok := withoutCurrency(cell)
	if !ok {
		return "", NotANumber
	}
	if style == "" {
		proven, isAmbiguous := styleOf(plain)
		if isAmbiguous {
			return "", AmbiguousNumber
		}
		style = proven
		if style == "" {
			style = Point
		}
	}
	canonical, ok = parse(plain, style)
	if !ok || isWhole && strings.Contains(canonical, ".") {
		return "", NotANumber
	}
	if isNegative && canonical != "0" {
		canonical = "-" + canonical
	}
	return canonical, ""
}

// decimalOf returns the decimal style that the cells prove; "" if they prove none or both.
func decimalOf(cells []string) Decimal {
	var proven Decimal
	for _, cell := range cells {
		plain, _, ok := withoutCurrency(cell)
		if !ok {
			continue
		}
		style, _ := styleOf(plain)
		// A date such as 31.12.2024 is not a number in the style of its separators.
		_, isNumber := parse(plain, style)
		switch {
		case style == "" || !isNumber:
		case proven == "":
			proven = style
		case proven != style:
			return ""
		}
	}
	return proven
}
