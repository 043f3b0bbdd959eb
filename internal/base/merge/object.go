package merge

import (
	"iter"
	"maps"
	"slices"
)

// Object is a JSON object that preserves the order of its members. It is immutable once it
// is part of a tree. A nil Object has no members.
type Object struct {
	members []Member
	// index maps the names of members to their positions, for objects too large for linear
	// search; nil for smaller ones.
	index map[string]int
}

// Member is a member of an Object.
type Member struct {
	Name  string
	Value any
}

// searched is the maximum number of members for linear search without an index.
const searched = 12

// NewObject returns an object of members in this order. A duplicate name overwrites the
// value of the first occurrence.
func NewObject(members ...Member) *Object {
	o := newObject(len(members))
	for _, m := range members {
		o.set(m.Name, m.Value)
	}
	return o
}

// newObject returns an object with capacity for size members.
func newObject(size int) *Object {
	o := &Object{members: make([]Member, 0, size)}
	if size > searched {
		o.index = make(map[string]int, size)
	}
	return o
}

// ObjectOf returns tree as an object, if it is one. A map is converted to an object with
// members sorted by name.
func ObjectOf(tree any) (*Object, bool) {
	switch tree := tree.(type) {
	case *Object:
		return tree, true
	case map[string]any:
		o := newObject(len(tree))
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			o.add(name, tree[name])
		}
		return o, true
	}
	return nil, false
}

// Len returns the number of members.
func (o *Object) Len() int {
	if o == nil {
		return 0
	}
	return len(o.members)
}

// Get returns the value of a member, nil if there is none.
func (o *Object) Get(name string) (value any, present bool) {
	if o == nil {
		return nil, false
	}
	if i := o.find(name); i >= 0 {
		return o.members[i].Value, true
	}
	return nil, false
}

// All yields the members in order.
func (o *Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if o == nil {
			return
		}
		for _, m := range o.members {
			if !yield(m.Name, m.Value) {
				return
			}
		}
	}
}

// MarshalJSON implements json.Marshaler and preserves the order of the members.
func (o *Object) MarshalJSON() ([]byte, error) { return Encode(o) }

// find returns the position of a member, -1 if there is none.
func (o *Object) find(name string) int {
	if o.index != nil {
		if i, present := o.index[name]; present {
			return i
		}
		return -1
	}
	return slices.IndexFunc(o.members, func(m Member) bool { return m.Name == name })
}

// set sets the value of a member, and appends the member if there is none.
func (o *Object) set(name string, value any) {
	if i := o.find(name); i >= 0 {
		o.members[i].Value = value
		return
	}
	o.add(name, value)
}

// add appends a member that the object does not have.
func (o *Object) add(name string, value any) {
	o.members = append(o.members, Member{name, value})
	switch {
	case o.index != nil:
		o.index[name] = len(o.members) - 1
	case len(o.members) > searched:
		o.index = make(map[string]int, 2*len(o.members))
		for i, m := range o.members {
			o.index[m.Name] = i
		}
	}
}

// sameAs reports whether two objects have the same members, in any order.
func (o *Object) sameAs(other *Object) bool {
	if o.Len() != other.Len() {
		return false
	}
	for i, m := range o.members {
		// Usually the other object has its members in the same order.
		at := other.members[i]
		if at.Name != m.Name {
			place := other.find(m.Name)
			if place < 0 {
				return false
			}
			at = other.members[place]
		}
		if !Equal(m.Value, at.Value) {
			return false
		}
	}
	return true
}
