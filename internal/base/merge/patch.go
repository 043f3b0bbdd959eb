package merge

// Patch applies a JSON Merge Patch to a document and returns the result
// (RFC 7396, section 2): members of the patch replace those of the document,
// objects are merged recursively, null removes, and a patch that is not an
// object replaces the whole document.
func Patch(doc, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	target, _ := doc.(map[string]any)
	result := make(map[string]any, len(target)+len(changes))
	for name, value := range target {
		result[name] = value
	}
	for name, value := range changes {
		if value == nil {
			delete(result, name)
			continue
		}
		result[name] = Patch(result[name], value)
	}
	return result
}

// PatchJSON is [Patch] on JSON text. The result is compact with sorted names.
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
