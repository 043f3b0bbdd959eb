package merge

// Patch applies a JSON Merge Patch to a document and returns the result (RFC 7396, section
// 2): members of the patch replace those of the document, objects are merged recursively,
// null removes, and a patch that is not an object replaces the whole document. Existing
// members retain their positions; new ones follow in the order of the patch.
func Patch(doc, patch any) any {
	changes, ok := ObjectOf(patch)
	if replacement, isWhole := patch.(whole); isWhole {
		return replacement.value
	}
	if !ok {
		return patch
	}
	target, _ := ObjectOf(doc)
	result := newObject(target.Len() + changes.Len())
	for name, value := range target.All() {
		change, changed := changes.Get(name)
		switch {
		case !changed:
			result.add(name, value)
		case change != nil:
			result.add(name, Patch(value, change))
		}
	}
	for name, change := range changes.All() {
		if _, present := target.Get(name); !present && change != nil {
			result.add(name, Patch(nil, change))
		}
	}
	return result
}
