package merge

// diff reports the places at which after differs from before, at the finest level: a member
// of an object that both have is compared member by member, anything else as a whole. No
// place lies inside another.
func diff(at path, before, after Value, report func(at path, before, after Value)) {
	old, wasObject := before.object()
	current, isObject := after.object()
	if !wasObject || !isObject {
		if !equalValues(before, after) {
			report(at, before, after)
		}
		return
	}
	for name, value := range current {
		diff(append(at, name), member(old, name), Value{true, value}, report)
	}
	for name, value := range old {
		if _, kept := current[name]; !kept {
			report(append(at, name), Value{true, value}, Value{})
		}
	}
}
