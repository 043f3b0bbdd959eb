// Package strictjson is the only decoder of JSON from outside, and the only encoder of
// replies.
//
// Invariants:
//   - The input is exactly one JSON value in valid UTF-8, nested at most [MaxDepth] deep,
//     without duplicate names at any depth, lone surrogates or NUL characters. This also
//     applies inside raw members.
//   - Every fault of the input is an [*Error], which names the location and the expected
//     value in a text that may be sent to the client. Any other error is a mistake in the
//     program, such as a field of a type without a JSON form.
//   - Nothing is guessed: unknown names, names in other case, null for a value, numbers in
//     strings, fractions for integers and overflows are rejected.
package strictjson

import (
	"errors"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"interlock/internal/base/clip"
	"interlock/internal/base/clock"
)

var (
	times  = jsonv2.UnmarshalFromFunc(decodeTime)
	strict = jsonv2.JoinOptions(jsonv2.RejectUnknownMembers(true), jsonv2.WithUnmarshalers(times))
	// The decoder accepts null as the zero value of any type. A check before each value slows it
	// down, so it runs only if null may occur.
	strictWithoutNull = jsonv2.JoinOptions(strict, jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(jsonv2.UnmarshalFromFunc(refuseNull), times)))
)

// MaxDepth is the maximum number of enclosing objects and arrays of a value, including the
// outermost.
const MaxDepth = 32

// Error is a fault of the input.
type Error struct {
	// Pointer is the JSON Pointer (RFC 6901) of the location, "" for the document. Names of
	// more than 100 characters are truncated and end in "…".
	Pointer string
	// Code is the rule that a well-formed value breaks, such as "range"; "" for malformed input.
	Code string
	// Message follows the location in a sentence: "must be a string", "appears twice". It contains
	// no part of the input.
	Message string
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return "the document " + e.Message
	}
	return e.Pointer + " " + e.Message
}

// Decode decodes data, which must be exactly one JSON value, into the value that into
// points to. That value should be zero; after an error its content is undefined.
//
// Structs name their members with ordinary tags, `json:"name"`, and match them exactly,
// including case; a field without a tag has its Go name. A missing member leaves its field
// unchanged, so validation must check for required members. omitempty and omitzero have no
// effect on decoding. (Encoders differ: encoding/json omits false, 0 and "" under
// omitempty, json v2 omits "", null, {} and [], but not false and 0; omitzero is the same
// in both.)
//
// The types of fields, and the values that each accepts:
//   - bool, string, float64 and integers of every size: their own kind, integers in plain
//     digits (neither 1.0 nor 1e3) and within the range of the type;
//   - structs, maps and slices: objects and arrays;
//   - pointers: optional members, where null means the same as a missing one;
//   - json.RawMessage of encoding/json: any value, unchanged. A missing
//     member is nil and null is the text null, so the two differ. This
//     is the type to use for arbitrary JSON: any would round big numbers;
//   - time.Time: a string in RFC 3339, in the years 2000 to 9999; see [clock.Parse];
//   - []byte: a string in base64;
//   - types with UnmarshalJSON or UnmarshalText: the values that those accept. They may
//     return an *Error, with a pointer relative to their value.
//
// null is rejected except for pointers, raw messages, any, and types with UnmarshalJSON.
// time.Duration has no JSON form: use an integer with the unit in its name. The tag
// option string is not meant for requests.
func Decode(data []byte, into any) error {
	if suspicious(data) {
		if err := inspect(data); err != nil {
			return err
		}
	}
	options := strict
	if mayHoldNull(data) {
		options = strictWithoutNull
	}
	if err := jsonv2.Unmarshal(data, into, options); err != nil {
		return explain(data, into, err)
	}
	return nil
}

// decodeTime reads a time with [clock.Parse]. It leaves other kinds to the decoder.
func decodeTime(decoder *jsontext.Decoder, into *time.Time) error {
	if decoder.PeekKind() != '"' {
		return errors.ErrUnsupported
	}
	token, err := decoder.ReadToken()
	if err != nil {
		return err //nolint:wrapcheck // explain recognizes it by its type
	}
	*into, err = clock.Parse(token.String())
	switch {
	case errors.Is(err, clock.ErrRange):
		return &Error{Code: "range", Message: err.Error()}
	case err != nil:
		return &Error{Message: err.Error()}
	}
	return nil
}

const maxNameLength = 100

// shorten truncates long names, so that they cannot inflate a reply or a log line. The
// depth is already bounded.
func shorten(pointer jsontext.Pointer) string {
	if len(pointer) <= maxNameLength {
		return string(pointer)
	}
	var short jsontext.Pointer
	for name := range pointer.Tokens() {
		short = short.AppendToken(clip.Text(name, maxNameLength))
	}
	return string(short)
}
