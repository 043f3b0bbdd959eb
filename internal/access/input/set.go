package input

import (
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"interlock/internal/base/merge"
	"interlock/internal/base/strictjson"
)

// MaxNames bounds the names in a set of a request.
const MaxNames = 500

// SetEdit documents the form of a set's edit in a patch: an array replaces the set, and
// {"add":[…],"remove":[…]} changes it. PatchedSet applies the edit.
type SetEdit struct{}

// UnmarshalJSON rejects JSON that is not an edit of a set.
func (*SetEdit) UnmarshalJSON(text []byte) error {
	var whole []string
	var parts struct {
		Add    []string `json:"add"`
		Remove []string `json:"remove"`
	}
	var err error
	switch jsontext.Value(text).Kind() {
	case '[':
		err = strictjson.Decode(text, &whole)
	case '{':
		err = strictjson.Decode(text, &parts)
	default:
		return &strictjson.Error{Message: "must be an array of names, or an object with add and remove"}
	}
	switch {
	case err != nil:
		return err
	case len(whole) > MaxNames || len(parts.Add) > MaxNames || len(parts.Remove) > MaxNames:
		return &strictjson.Error{Message: "must have at most 500 names"}
	case tooLong(whole) >= 0:
		return longAt("/", tooLong(whole))
	case tooLong(parts.Add) >= 0:
		return longAt("/add/", tooLong(parts.Add))
	case tooLong(parts.Remove) >= 0:
		return longAt("/remove/", tooLong(parts.Remove))
	case slices.ContainsFunc(parts.Remove, func(name string) bool { return slices.Contains(parts.Add, name) }):
		return &strictjson.Error{Pointer: "/remove", Message: "must not repeat names from add"}
	}
	return nil
}

// tooLong returns the index of the first text that exceeds the maximum length of a name, or -1.
func tooLong(texts []string) int {
	return slices.IndexFunc(texts, func(text string) bool { return utf8.RuneCountInString(text) > MaxName })
}

func longAt(place string, i int) error {
	return &strictjson.Error{Pointer: place + strconv.Itoa(i), Message: "must have at most " + strconv.Itoa(MaxName) + " characters"}
}

// PatchedSet returns a function that applies a patch to a document. The member name of the document
// is a set: an object with one member per element.
func PatchedSet(name string) func(document, patch any) any {
	return func(document, patch any) any {
		changes, _ := merge.ObjectOf(patch)
		edit, edited := changes.Get(name)
		if !edited {
			return merge.Patch(document, patch)
		}
		var members []merge.Member
		for other, value := range changes.All() {
			if other != name {
				members = append(members, merge.Member{Name: other, Value: value})
			}
		}
		before, _ := merge.ObjectOf(document)
		set, _ := before.Get(name)
		members = append(members, merge.Member{Name: name, Value: setPatch(set, edit)})
		return merge.Patch(document, merge.NewObject(members...))
	}
}

// RepresentedSet returns a function that converts a document to its representation: the set in the
// member name becomes an array of names.
func RepresentedSet(name string) func(document any) any {
	return func(document any) any {
		members, _ := merge.ObjectOf(document)
		set, _ := members.Get(name)
		names, _ := merge.ObjectOf(set)
		texts := []string{}
		for text := range names.All() {
			texts = append(texts, text)
		}
		return merge.Patch(document, map[string]any{name: Tree(texts)})
	}
}

// setPatch converts an edit of a set to a merge patch of the set's object.
func setPatch(set, edit any) any {
	patch := map[string]any{}
	if parts, ok := merge.ObjectOf(edit); ok {
		for _, part := range []struct {
			name  string
			value any
		}{{"add", true}, {"remove", nil}} {
			names, _ := parts.Get(part.name)
			for _, name := range textsOf(names) {
				patch[name] = part.value
			}
		}
		return patch
	}
	members, _ := merge.ObjectOf(set)
	for name := range members.All() {
		patch[name] = nil
	}
	for _, name := range textsOf(edit) {
		patch[name] = true
	}
	return patch
}

// textsOf returns the strings of an array in a tree.
func textsOf(array any) []string {
	items, _ := array.([]any)
	texts := make([]string, 0, len(items))
	for _, item := range items {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Tree is the inverse of textsOf.
func Tree(texts []string) any {
	items := make([]any, len(texts))
	for i, text := range texts {
		items[i] = text
	}
	return items
}

// Members returns the set of names as the object in a document.
func Members(names []string) map[string]bool {
	members := make(map[string]bool, len(names))
	for _, name := range names {
		members[name] = true
	}
	return members
}

// Names is the inverse of Members, sorted.
func Names(members map[string]bool) []string {
	return Distinct(slices.Collect(maps.Keys(members)))
}
