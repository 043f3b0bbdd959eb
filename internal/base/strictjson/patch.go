package strictjson

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Patch is a JSON Merge Patch (RFC 7396) on an object, of which it is known
// which members are present: a missing member changes nothing, null clears.
type Patch struct {
	text    json.RawMessage
	members map[string]json.RawMessage
}

// DecodePatch reads a patch that may change the members in allowed and no
// others, so that unknown and read-only members are an [*Error] at their place.
// What holds for [Decode] holds for the patch at every depth; the types of
// the members are checked by [Patch.Decode]. The patch shares data, which is to
// be left alone from then on.
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

// Names are the names of the members that are present, sorted.
func (p Patch) Names() []string { return slices.Sorted(maps.Keys(p.members)) }

// Raw is the member as it was spelled, nil if it is missing.
func (p Patch) Raw(name string) json.RawMessage { return p.members[name] }

// Text is the whole patch as it was received, for merging.
func (p Patch) Text() json.RawMessage { return p.text }

// Decode reads a member as [Decode] does; a missing one leaves into alone. The place of
// an [*Error] is in the patch.
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
