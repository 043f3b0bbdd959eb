package merge

// PatchBetween returns the merge patch (RFC 7396) that turns one document into another. It
// returns false if there is none: a merge patch cannot set a member to null.
func PatchBetween(from, to any) (patch any, possible bool) {
	patch = difference(from, to)
	return patch, Equal(Patch(from, patch), to)
}

func difference(from, to any) any {
	before, isObject := ObjectOf(from)
	after, stays := ObjectOf(to)
	if !isObject || !stays {
		return to
	}
	changes := newObject(after.Len())
	for name := range before.All() {
		if _, found := after.Get(name); !found {
			changes.add(name, nil)
		}
	}
	for name, value := range after.All() {
		was, present := before.Get(name)
		switch {
		case !present:
			changes.add(name, value)
		case !Equal(was, value):
			changes.add(name, difference(was, value))
		}
	}
	return changes
}
