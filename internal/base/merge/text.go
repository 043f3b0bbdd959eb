package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"interlock/internal/base/strictjson"
)

// Parse parses exactly one JSON value into a tree. It preserves the order of members and
// the spelling of numbers.
func Parse(data []byte) (any, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	tree, err := parseValue(decoder)
	if err != nil {
		return nil, fmt.Errorf("parse JSON document: %w", err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("parse JSON document: %w", errTrailingData)
	}
	return tree, nil
}

var errTrailingData = errors.New("data after the JSON value")

func parseValue(decoder *jsontext.Decoder) (any, error) {
	token, err := decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return parseObject(decoder)
	case '[':
		return parseArray(decoder)
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func parseObject(decoder *jsontext.Decoder) (any, error) {
	object := newObject(0)
	for decoder.PeekKind() != '}' {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		value, err := parseValue(decoder)
		if err != nil {
			return nil, err
		}
		object.set(name, value)
	}
	_, err := decoder.ReadToken()
	return object, err
}

func parseArray(decoder *jsontext.Decoder) (any, error) {
	array := []any{}
	for decoder.PeekKind() != ']' {
		value, err := parseValue(decoder)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err := decoder.ReadToken()
	return array, err
}

// Tree converts a Go value into the tree of its JSON representation. Its objects are maps,
// because the order of a struct's members has no meaning. Use [Parse] for JSON text.
func Tree(v any) (any, error) {
	data, err := Encode(v)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("parse JSON document: %w", err)
	}
	return tree, nil
}

// Decode converts a tree into a Go value; it is the inverse of Tree.
func Decode(tree, into any) error {
	text, err := Encode(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Encode encodes a tree, or any other Go value, as compact JSON without HTML escapes.
// Members of an Object are in their order, members of a map are sorted by name.
func Encode(v any) ([]byte, error) {
	text, err := appendTree(nil, v)
	if err != nil {
		return nil, fmt.Errorf("encode JSON document: %w", err)
	}
	return text, nil
}

func appendTree(text []byte, tree any) (_ []byte, err error) {
	switch tree := tree.(type) {
	case nil:
		return append(text, "null"...), nil
	case bool:
		return strconv.AppendBool(text, tree), nil
	case string:
		return appendString(text, tree)
	case json.Number:
		if tree != "" {
			return append(text, tree...), nil
		}
	case *Object:
		text = append(text, '{')
		for name, value := range tree.All() {
			if text[len(text)-1] != '{' {
				text = append(text, ',')
			}
			if text, err = appendString(text, name); err != nil {
				return text, err
			}
			if text, err = appendTree(append(text, ':'), value); err != nil {
				return text, err
			}
		}
		return append(text, '}'), nil
	case []any:
		text = append(text, '[')
		for i, value := range tree {
			if i > 0 {
				text = append(text, ',')
			}
			if text, err = appendTree(text, value); err != nil {
				return text, err
			}
		}
		return append(text, ']'), nil
	}
	other, err := strictjson.Encode(tree)
	return append(text, other...), err
}

// appendString appends a quoted string; invalid UTF-8 becomes the replacement character.
func appendString(text []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	return jsontext.AppendQuote(text, s)
}
