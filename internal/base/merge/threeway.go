package merge

import (
	"cmp"
	"slices"
)

// Conflict is a location that both sides changed, with its value on each side. A value is
// absent if the side does not have the location.
type Conflict struct {
	Pointer string `json:"pointer"`
	Base    Value  `json:"base,omitzero"`
	Yours   Value  `json:"yours,omitzero"`
	Theirs  Value  `json:"theirs,omitzero"`
}

// Result is the comparison of two edits of one document. Its JSON is a part of the
// version_conflict reply: the lists are empty rather than null, and every changed location
// is in exactly one list or inside a conflict.
type Result struct {
	Conflicts  []Conflict `json:"conflicts"`
	TheirsOnly []string   `json:"theirsOnly"`
	YoursOnly  []string   `json:"yoursOnly"`
	// AutoMergeable is true if and only if there are no conflicts.
	AutoMergeable bool `json:"autoMergeable"`
	// Merged contains both edits. It is set only if AutoMergeable is true. A number that
	// yours only respelled has the spelling of theirs.
	Merged any `json:"-"`
}

// ThreeWay compares two edits of base: yours, which is to be saved, and theirs, which was
// saved since.
//
// A location is a conflict if both sides changed it since base, even to the same value: if
// two admins each raise a counter from 1 to 2, they may have meant 3, and only they can
// decide. It is also a conflict if one side changed a part of a value that the other side
// replaced or removed as a whole; the conflict then has the shorter pointer, that of the
// whole value.
//
// Members that change with every write, such as version, etag and updatedTime, would always
// conflict: omit them from all three documents.
func ThreeWay(base, yours, theirs any) Result {
	m := merger{result: Result{Conflicts: []Conflict{}, TheirsOnly: []string{}, YoursOnly: []string{}}}
	merged := m.merge(nil, Value{true, base}, Value{true, yours}, Value{true, theirs})

	result := m.result
	slices.SortFunc(result.Conflicts, func(a, b Conflict) int { return cmp.Compare(a.Pointer, b.Pointer) })
	slices.Sort(result.TheirsOnly)
	slices.Sort(result.YoursOnly)
	if len(result.Conflicts) == 0 {
		result.AutoMergeable = true
		result.Merged = merged.JSON
	}
	return result
}

type merger struct {
	result Result
}

// merge descends while all three sides are objects. Otherwise it decides the location as a
// whole.
func (m *merger) merge(at path, base, yours, theirs Value) Value {
	baseObject, baseIs := base.object()
	yoursObject, yoursIs := yours.object()
	theirsObject, theirsIs := theirs.object()
	if baseIs && yoursIs && theirsIs {
		return m.mergeObjects(at, baseObject, yoursObject, theirsObject)
	}

	yoursChanged, theirsChanged := !equalValues(base, yours), !equalValues(base, theirs)
	switch {
	case yoursChanged && theirsChanged:
		m.result.Conflicts = append(m.result.Conflicts,
			Conflict{Pointer: at.pointer(), Base: base, Yours: yours, Theirs: theirs})
		return Value{}
	case yoursChanged:
		m.result.YoursOnly = appendChanged(m.result.YoursOnly, at, base, yours)
		return yours
	case theirsChanged:
		m.result.TheirsOnly = appendChanged(m.result.TheirsOnly, at, base, theirs)
	}
	return theirs
}

// mergeObjects returns members in the order of theirs, followed by the members that yours
// added.
func (m *merger) mergeObjects(at path, base, yours, theirs *Object) Value {
	merged := newObject(theirs.Len())
	mergeMember := func(name string) {
		value := m.merge(append(at, name), member(base, name), member(yours, name), member(theirs, name))
		if value.Present {
			merged.add(name, value.JSON)
		}
	}
	for name := range theirs.All() {
		mergeMember(name)
	}
	for name := range yours.All() {
		if _, done := theirs.Get(name); !done {
			mergeMember(name)
		}
	}
	for name := range base.All() {
		_, inTheirs := theirs.Get(name)
		if _, inYours := yours.Get(name); !inTheirs && !inYours {
			mergeMember(name)
		}
	}
	return Value{true, merged}
}

func appendChanged(pointers []string, at path, before, after Value) []string {
	diff(at, before, after, func(at path, _, _ Value) {
		pointers = append(pointers, at.pointer())
	})
	return pointers
}

// diff reports the locations at which two values differ, at the finest level: an object on
// both sides is compared member by member, anything else as a whole. An added or removed
// object is one location.
func diff(at path, before, after Value, report func(at path, before, after Value)) {
	old, wasObject := before.object()
	current, isObject := after.object()
	if !wasObject || !isObject {
		if !equalValues(before, after) {
			report(at, before, after)
		}
		return
	}
	for name, value := range current.All() {
		diff(append(at, name), member(old, name), Value{true, value}, report)
	}
	for name, value := range old.All() {
		if _, found := current.Get(name); !found {
			report(append(at, name), Value{true, value}, Value{})
		}
	}
}
