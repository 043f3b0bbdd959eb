package merge

import (
	"cmp"
	"slices"
)

// Change is one place that differs between two documents. Before or After is
// absent where the place was added or removed.
type Change struct {
	Pointer string `json:"pointer"`
	Before  Value  `json:"before,omitzero"`
	After   Value  `json:"after,omitzero"`
}

// Diff lists the places at which other differs from base, at the finest level:
// a member of an object that both have is compared member by member, anything
// else as a whole. An object that appears or vanishes is one place, its own.
// No place lies inside another. Equal documents have no changes.
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
