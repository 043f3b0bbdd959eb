package merge

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Equal reports whether two trees hold the same JSON value: members in any
// order, numbers by exact decimal value (1, 1.0 and 100e-2 are equal, and so
// are 0 and -0), strings by code point.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case *Object, map[string]any:
		x, _ := ObjectOf(a)
		y, ok := ObjectOf(b)
		return ok && x.sameAs(y)
	case []any:
		b, ok := b.([]any)
		return ok && equalArrays(a, b)
	case string:
		b, ok := b.(string)
		return ok && a == b
	}
	if x, ok := numberText(a); ok {
		y, ok := numberText(b)
		return ok && (x == y || parseDecimal(x) == parseDecimal(y))
	}
	return reflect.DeepEqual(a, b)
}

func equalArrays(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalValues(a, b Value) bool {
	return a.Present == b.Present && (!a.Present || Equal(a.JSON, b.JSON))
}

func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return v.String(), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	}
	return "", false
}

// decimal is a number as ±digits × 10^(exponent+remote) in its only spelling:
// digits neither begin nor end with zero, and zero is the zero decimal. Two
// decimals are equal exactly when == says so.
//
// remote holds exponents of more than 18 digits as text. They are not added
// up, so that 1e1000000000000000000 and 10e999999999999999999 count as
// different: at worst a conflict too many, in exchange for linear time on
// whatever a client sends.
type decimal struct {
	negative bool
	digits   string
	exponent int64
	remote   string
}

const maxExponentDigits = 18

func parseDecimal(text string) decimal {
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return decimal{}
	}

	d := decimal{negative: negative, digits: significant}
	d.exponent = int64(len(digits) - len(significant) - len(fraction))
	exponent, descending := strings.CutPrefix(exponent, "-")
	exponent = strings.TrimLeft(strings.TrimPrefix(exponent, "+"), "0")
	switch {
	case exponent == "":
	case len(exponent) > maxExponentDigits && descending:
		d.remote = "-" + exponent
	case len(exponent) > maxExponentDigits:
		d.remote = exponent
	default:
		shift, err := strconv.ParseInt(exponent, 10, 64)
		if err != nil {
			return decimal{remote: text} // not a JSON number: equal to itself only
		}
		if descending {
			shift = -shift
		}
		d.exponent += shift
	}
	return d
}
