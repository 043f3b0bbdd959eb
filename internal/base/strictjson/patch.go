package strictjson

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Patch is a JSON Merge Patch (RFC 7396) of an object that distinguishes missing members
// from null: a missing member changes nothing, null clears.
type Patch struct {
	text    json.RawMessage
	members map[string]json.RawMessage
}

// DecodePatch decodes a patch that may change only the members in allowed; an unknown or
// read-only member is an [*Error] at its location. The rules of [Decode] apply to the patch
// at every depth; [Patch.Decode] checks the types of the members. The patch aliases data,
// which the caller must not modify.
func DecodePatch(data []byte, allowed ...string) (Patch, error) {
	members := map[string]json.RawMessage{}
	if err := Decode(data, &members); err != nil {
		return Patch{}, err
	}
	patch := Patch{text: data, members: members}
	for _, name := range patch.Names() {
		if !slices.Contains(allowed, name) {
			return Patch{}, &Error{Pointer: shorten(memberPointer(name)), Message: "is not a field that can be changed"}
		}
	}
	return patch, nil
}

// Names returns the names of the present members, sorted.
func (p Patch) Names() []string { return slices.Sorted(maps.Keys(p.members)) }

// Raw returns the text of a member, nil if it is missing.
func (p Patch) Raw(name string) json.RawMessage { return p.members[name] }

// Text returns the text of the whole patch, for merging.
func (p Patch) Text() json.RawMessage { return p.text }

// Decode decodes a member like [Decode]; a missing one leaves into unchanged. The pointer
// of an [*Error] is relative to the patch.
func (p Patch) Decode(name string, into any) error {
	member, present := p.members[name]
	if !present {
		return nil
	}
	err := Decode(member, into)
	var fault *Error
	if errors.As(err, &fault) {
		fault.Pointer = shorten(memberPointer(name) + jsontext.Pointer(fault.Pointer))
	}
	return err
}

func memberPointer(name string) jsontext.Pointer { return jsontext.Pointer("").AppendToken(name) }
