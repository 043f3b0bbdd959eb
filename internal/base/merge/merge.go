// Package merge compares and merges JSON documents: merge patches (RFC 7396),
// the list of changed places, and the three-way merge behind every 412 reply.
//
// What always holds:
//   - Everything is pure: no input is modified and nothing is read or written
//     elsewhere. Results may share parts with the inputs, so callers treat
//     both as read-only.
//   - Documents are trees as [Parse] and [Tree] return them: nil, bool, string,
//     json.Number, []any and map[string]any. Numbers keep their spelling and are
//     compared by exact decimal value, never through a float.
//   - Places are JSON pointers (RFC 6901). Objects are descended by key;
//     arrays and scalars are compared as a whole.
//   - An absent member and a null member are different.
//   - Results are deterministic: pointers are sorted by their UTF-8 bytes.
//
// The package trusts its input to be well-formed text; requests have passed
// strictjson before they come here.
package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"interlock/internal/base/strictjson"
)

var errTrailingData = errors.New("data after the JSON value")

// Value is a JSON value that may be absent; the zero Value is absent, while
// Value{Present: true} is null. As a struct field it is to carry the tag
// option omitzero, so that an absent value leaves its member out.
type Value struct {
	Present bool
	JSON    any
}

// IsZero reports whether the value is absent, for the tag option omitzero.
func (v Value) IsZero() bool { return !v.Present }

// MarshalJSON writes the value; an absent one that was not left out is null.
func (v Value) MarshalJSON() ([]byte, error) { return Encode(v.JSON) }

// UnmarshalJSON reads any JSON value, null included, as a present one.
func (v *Value) UnmarshalJSON(data []byte) error {
	tree, err := Parse(data)
	if err != nil {
		return err
	}
	*v = Value{Present: true, JSON: tree}
	return nil
}

// Parse reads exactly one JSON value into a tree, keeping every number as it
// is spelled.
func Parse(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("parse JSON document: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("parse JSON document: %w", errTrailingData)
	}
	return tree, nil
}

// Tree turns a Go value into the tree of its JSON representation. JSON text
// goes to [Parse] instead, or here as a json.RawMessage.
func Tree(v any) (any, error) {
	data, err := Encode(v)
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// Decode reads a tree into the Go value that it is of: Tree the other way.
func Decode(tree, into any) error {
	text, err := Encode(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Encode writes a tree, or any other Go value, as compact JSON with sorted
// names and without escapes for HTML.
func Encode(v any) ([]byte, error) {
	text, err := strictjson.Encode(v)
	if err != nil {
		return nil, fmt.Errorf("encode JSON document: %w", err)
	}
	return text, nil
}

// path is the way from the root of a document to a place in it.
type path []string

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func (p path) pointer() string {
	var pointer strings.Builder
	for _, name := range p {
		pointer.WriteByte('/')
		_, _ = pointerEscaper.WriteString(&pointer, name)
	}
	return pointer.String()
}

func member(object map[string]any, name string) Value {
	value, present := object[name]
	return Value{Present: present, JSON: value}
}

func (v Value) object() (map[string]any, bool) {
	object, ok := v.JSON.(map[string]any)
	return object, ok
}
