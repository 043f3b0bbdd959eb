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

// suspicious reports whether data is nested too deeply or holds an escaped NUL
// character, both of which the decoder would allow. About text that is not
// valid JSON it may say anything.
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

// inspect walks suspicious data token by token to name the first place that is
// at fault. It returns nil where the suspicion was wrong.
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
