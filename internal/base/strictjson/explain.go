package strictjson

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"interlock/internal/base/clock"
)

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// explain converts an error of the decoder into an Error, if the input caused it.
func explain(data []byte, into any, err error) error {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return &Error{Pointer: shorten(syntax.JSONPointer), Message: syntaxMessage(data, syntax)}
	}
	var semantic *jsonv2.SemanticError
	if errors.As(err, &semantic) && semantic.GoType != nil {
		if fault := valueFault(semantic); fault != nil {
			return fault
		}
	}
	return fmt.Errorf("decode JSON into %T: %w", into, err)
}

func syntaxMessage(data []byte, err *jsontext.SyntacticError) string {
	before := data[:min(err.ByteOffset, int64(len(data)))]
	rest := data[len(before):]
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "appears twice"
	case len(bytes.TrimSpace(data)) == 0:
		return "must not be empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "ends before its JSON is complete"
	case startsWithSurrogate(rest):
		return "must not contain half of a surrogate pair"
	case invalidRune(rest):
		return "must be valid UTF-8"
	case jsontext.Value(before).IsValid():
		return "must be one JSON value with nothing after it"
	}
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("is not valid JSON at line %d, column %d", line, column)
}

// startsWithSurrogate reports whether text starts with an escape from \ud800 to \udfff.
func startsWithSurrogate(text []byte) bool {
	return len(text) >= 4 && text[0] == '\\' && text[1] == 'u' &&
		(text[2] == 'd' || text[2] == 'D') && bytes.IndexByte([]byte("89abcdefABCDEF"), text[3]) >= 0
}

func invalidRune(text []byte) bool {
	r, size := utf8.DecodeRune(text)
	return r == utf8.RuneError && size == 1
}

// valueFault describes the expected value in place of a well-formed one. It is nil if the
// Go type, and not the value, is at fault.
func valueFault(err *jsonv2.SemanticError) *Error {
	var own *Error
	switch {
	case errors.As(err.Err, &own):
		return &Error{Pointer: shorten(err.JSONPointer + jsontext.Pointer(own.Pointer)), Code: own.Code, Message: own.Message}
	case errors.Is(err.Err, jsonv2.ErrUnknownName):
		return &Error{Pointer: shorten(err.JSONPointer), Message: "is not a known field"}
	}
	message := expectation(err)
	if message == "" {
		return nil
	}
	return &Error{Pointer: shorten(err.JSONPointer), Message: message}
}

func expectation(err *jsonv2.SemanticError) string {
	target := err.GoType
	switch pointer := reflect.PointerTo(target); {
	case target == timeType:
		return clock.ErrNotTime.Error()
	case decodesItself(pointer):
		return "is not valid"
	case pointer.Implements(textUnmarshaler) && err.JSONKind != '"':
		return "must be a string"
	case pointer.Implements(textUnmarshaler):
		return "is not valid"
	case isBytes(target):
		return "must be a string in base64"
	case target.Kind() == reflect.Array:
		return fmt.Sprintf("must be an array of %d elements", target.Len())
	}

	outOfRange, malformed := errors.Is(err.Err, strconv.ErrRange), errors.Is(err.Err, strconv.ErrSyntax)
	if err.Err != nil && !outOfRange && !malformed {
		return ""
	}
	switch kind := target.Kind(); {
	case kind == reflect.Bool:
		return "must be true or false"
	case kind == reflect.String:
		return "must be a string"
	case kind == reflect.Struct, kind == reflect.Map:
		return "must be an object"
	case kind == reflect.Slice:
		return "must be an array"
	case outOfRange && isFloat(kind):
		return "is too large a number"
	case isFloat(kind):
		return "must be a number"
	case kind >= reflect.Int && kind <= reflect.Uintptr && outOfRange:
		return "must be a whole number " + integerRange(target)
	case kind >= reflect.Int && kind <= reflect.Uintptr && malformed && err.JSONKind == '0':
		return "must be a whole number without fraction and exponent"
	case kind >= reflect.Int && kind <= reflect.Uintptr:
		return "must be a whole number"
	}
	return ""
}

func isBytes(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Kind() == reflect.Uint8
}

func isFloat(kind reflect.Kind) bool { return kind == reflect.Float32 || kind == reflect.Float64 }

func integerRange(t reflect.Type) string {
	bits := t.Bits()
	if t.Kind() >= reflect.Uint {
		return fmt.Sprintf("from 0 to %d", uint64(math.MaxUint64)>>(64-bits))
	}
	limit := int64(math.MaxInt64) >> (64 - bits)
	return fmt.Sprintf("from %d to %d", -limit-1, limit)
}
