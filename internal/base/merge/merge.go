// Package merge compares and merges JSON documents: merge patches (RFC 7396) and the
// three-way merge behind every 412 reply.
//
// Invariants:
//   - All functions are pure: they modify no input and have no side effects. Results may
//     share parts with the inputs, so callers must treat both as read-only.
//   - Documents are trees as returned by [Parse] and [Tree]: nil, bool, string,
//     json.Number, []any, and *Object or map[string]any. Any other value is a leaf,
//     compared by reflect.DeepEqual and encoded by its MarshalJSON. Numbers retain their
//     spelling and are compared by exact decimal value, never through a float.
//   - Members retain the order of their author and are compared in any order: reordering
//     alone is no change. Members added by a patch or a merge follow the existing ones,
//     in the order in which their author wrote them.
//   - Locations are JSON Pointers (RFC 6901). Objects are compared member by member;
//     arrays and scalars as a whole.
//   - An absent member and a null member are different.
//   - Results are deterministic: pointers are sorted by their UTF-8 bytes.
//
// The package assumes well-formed input; strictjson checks requests first.
package merge

import "strings"

// Value is a JSON value that may be absent; the zero Value is absent, and Value{Present:
// true} is null. A struct field of this type should have the tag option omitzero, so that
// an absent value omits its member.
type Value struct {
	Present bool
	JSON    any
}

// IsZero reports whether the value is absent, for the tag option omitzero.
func (v Value) IsZero() bool { return !v.Present }

// MarshalJSON encodes the value; an absent value is null.
func (v Value) MarshalJSON() ([]byte, error) { return Encode(v.JSON) }

// UnmarshalJSON decodes any JSON value, including null, as present.
func (v *Value) UnmarshalJSON(data []byte) error {
	tree, err := Parse(data)
	if err != nil {
		return err
	}
	*v = Value{Present: true, JSON: tree}
	return nil
}

// path is the path from the root of a document to a location.
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

func member(object *Object, name string) Value {
	value, present := object.Get(name)
	return Value{Present: present, JSON: value}
}

func (v Value) object() (*Object, bool) { return ObjectOf(v.JSON) }
