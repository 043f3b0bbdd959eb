// Package merge compares and merges JSON documents: merge patches (RFC 7396) and the
// three-way merge behind every 412 reply.
//
// What always holds:
//   - Everything is pure: no input is modified and nothing is read or written
//     elsewhere. Results may share parts with the inputs, so callers treat
//     both as read-only.
//   - Documents are trees as [Parse] and [Tree] return them: nil, bool, string,
//     json.Number, []any, and *Object or map[string]any. Anything else in one is a leaf,
//     compared by reflect.DeepEqual and encoded by its MarshalJSON. Numbers keep their spelling and
//     are compared by exact decimal value, never through a float.
//   - Members keep the order of their author and are compared in any order: to
//     re-order them alone is no change. Members that a patch or a merge adds come after
//     those that were there, in the order in which their author wrote them.
//   - Places are JSON pointers (RFC 6901). Objects are descended by key;
//     arrays and scalars are compared as a whole.
//   - An absent member and a null member are different.
//   - Results are deterministic: pointers are sorted by their UTF-8 bytes.
//
// The package trusts its input to be well-formed text; requests have passed
// strictjson before they come here.
package merge

import "strings"

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

func member(object *Object, name string) Value {
	value, present := object.Get(name)
	return Value{Present: present, JSON: value}
}

func (v Value) object() (*Object, bool) { return ObjectOf(v.JSON) }
