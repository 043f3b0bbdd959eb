package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	nulEscape    = []byte(`\u0000`)
	depthMessage = fmt.Sprintf("is nested more than %d levels deep", MaxDepth)
)

// suspicious reports whether data is nested too deeply or contains an escaped NUL
// character, which the decoder accepts. For invalid JSON the result is arbitrary.
func suspicious(data []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			if bytes.HasPrefix(data[i:], nulEscape) {
				return true
			}
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// inspect reads suspicious data token by token and returns the first fault, or nil if there
// is none.
func inspect(data []byte) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data), strict)
	for {
		token, err := decoder.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return explain(data, nil, err)
		case decoder.StackDepth() > MaxDepth:
			return &Error{Pointer: shorten(decoder.StackPointer()), Message: depthMessage}
		case token.Kind() == '"' && strings.ContainsRune(token.String(), 0):
			return &Error{Pointer: shorten(decoder.StackPointer()), Message: "must not contain NUL characters"}
		}
	}
}
