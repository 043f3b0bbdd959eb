package merge

import (
	"cmp"
	"slices"
)

// Change is one location at which two documents differ. Before or After is absent if the
// location was added or removed.
type Change struct {
	Pointer string `json:"pointer"`
	Before  Value  `json:"before,omitzero"`
	After   Value  `json:"after,omitzero"`
}

// Diff lists the locations at which other differs from base, at the finest level: an object
// in both is compared member by member, anything else as a whole. An added or removed
// object is one location. No location is inside another. Equal documents have no changes.
func Diff(base, other any) []Change {
	var changes []Change
	diff(nil, Value{true, base}, Value{true, other}, func(at path, before, after Value) {
		changes = append(changes, Change{Pointer: at.pointer(), Before: before, After: after})
	})
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Pointer, b.Pointer) })
	return changes
}

// PatchJSON is [Patch] on JSON text.
func PatchJSON(doc, patch []byte) ([]byte, error) {
	target, err := Parse(doc)
	if err != nil {
		return nil, err
	}
	changes, err := Parse(patch)
	if err != nil {
		return nil, err
	}
	return Encode(Patch(target, changes))
}
