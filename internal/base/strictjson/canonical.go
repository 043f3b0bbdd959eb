package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns one text for all spellings of a JSON value: members sorted, no spaces, strings
// without unnecessary escapes (RFC 8785). Unlike in RFC 8785, numbers retain their exact decimal
// value, in the form of [CanonicalNumber], because a double cannot distinguish large ones.
//
// It is the only definition of equal JSON: two values are the same for patches, imports,
// idempotency keys and events if their canonical texts are equal.
func Canonical(text []byte) ([]byte, error) {
	var out bytes.Buffer
	in, encoder := jsontext.NewDecoder(bytes.NewReader(text)), jsontext.NewEncoder(&out)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && token.Kind() == '0' {
			err = encoder.WriteValue(jsontext.Value(CanonicalNumber(token.String())))
		} else if err == nil {
			err = encoder.WriteToken(token)
		}
		if err != nil {
			return nil, fmt.Errorf("canonical JSON: %w", err)
		}
	}
	value := jsontext.Value(bytes.TrimSpace(out.Bytes()))
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return value, nil
}

// Same reports whether two texts are the same JSON value. A text that is not JSON equals only
// itself.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := Canonical([]byte(a))
	y, errY := Canonical([]byte(b))
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// maxExponentDigits includes the sign: such an exponent fits an int.
const maxExponentDigits = 18

// CanonicalNumber returns one text for all spellings of a JSON number: its digits, which neither
// begin nor end with zero, and an exponent unless that is 0. All zeros are 0. An exponent of more
// than 18 digits is not added up, so that the cost is linear: 1e1000000000000000000 and
// 10e999999999999999999 count as different.
func CanonicalNumber(text string) string {
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0"
	}
	sign := ""
	if negative {
		sign = "-"
	}
	shift := len(digits) - len(significant) - len(fraction)
	exponent, descending := strings.CutPrefix(exponent, "-")
	exponent = strings.TrimLeft(exponent, "+0")
	if descending {
		exponent = "-" + exponent
	}
	if len(exponent) > maxExponentDigits {
		return sign + shifted(significant, shift) + "e" + exponent
	}
	if exponent != "" && exponent != "-" {
		given, err := strconv.Atoi(exponent)
		if err != nil {
			return text // not a JSON number
		}
		shift += given
	}
	if shift == 0 {
		return sign + significant
	}
	return sign + significant + "e" + strconv.Itoa(shift)
}

// shifted writes digits × 10^shift without an exponent.
func shifted(digits string, shift int) string {
	point := len(digits) + shift
	switch {
	case shift >= 0:
		return digits + strings.Repeat("0", shift)
	case point > 0:
		return digits[:point] + "." + digits[point:]
	}
	return "0." + strings.Repeat("0", -point) + digits
}
