package merge_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/merge"
)

// Few names and few values make the two sides change the same members often.
var (
	names   = rapid.SampledFrom([]string{"a", "b", "c", "", "a/b", "~", "é"})
	scalars = rapid.SampledFrom([]any{nil, true, false, "", "x",
		json.Number("0"), json.Number("1"), json.Number("1.0"), json.Number("1e2"), json.Number("9007199254740993")})
)

func document(depth int) *rapid.Generator[any] {
	if depth == 0 {
		return scalars
	}
	return rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return scalars.Draw(t, "scalar")
		case 1:
			return rapid.SliceOfN(document(depth-1), 0, 2).Draw(t, "array")
		default:
			return rapid.MapOfN(names, document(depth-1), 0, 4).Draw(t, "object")
		}
	})
}

// edit changes some members of a document and leaves most of it unchanged.
func edit(t *rapid.T, doc any) any {
	object, ok := merge.ObjectOf(doc)
	if !ok || rapid.IntRange(0, 9).Draw(t, "replace") == 0 {
		return document(2).Draw(t, "replacement")
	}
	edited := maps.Collect(object.All())
	for range rapid.IntRange(0, 3).Draw(t, "edits") {
		name := names.Draw(t, "name")
		switch value, present := edited[name]; {
		case present && rapid.Bool().Draw(t, "remove"):
			delete(edited, name)
		case present:
			edited[name] = edit(t, value)
		default:
			edited[name] = document(2).Draw(t, "added")
		}
	}
	return edited
}

type sides struct{ base, yours, theirs any }

func drawSides(t *rapid.T) sides {
	base := document(3).Draw(t, "base")
	return sides{base, edit(t, base), edit(t, base)}
}

// Proves G1.9.
func TestMergeCommutes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSides(t)

		forth := merge.ThreeWay(s.base, s.yours, s.theirs)
		back := merge.ThreeWay(s.base, s.theirs, s.yours)

		require.Equal(t, forth.AutoMergeable, back.AutoMergeable)
		require.Equal(t, forth.YoursOnly, back.TheirsOnly)
		require.Equal(t, forth.TheirsOnly, back.YoursOnly)
		requireSame(t, forth.Merged, back.Merged)
		require.Len(t, back.Conflicts, len(forth.Conflicts))
		for i, conflict := range forth.Conflicts {
			mirrored := back.Conflicts[i]
			require.Equal(t, conflict.Pointer, mirrored.Pointer)
			requireSameValue(t, conflict.Base, mirrored.Base)
			requireSameValue(t, conflict.Yours, mirrored.Theirs)
			requireSameValue(t, conflict.Theirs, mirrored.Yours)
		}
	})
}

// Proves G1.9.
func TestMergeWithAnUntouchedSideIsTheOtherSide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSides(t)

		mine := merge.ThreeWay(s.base, s.yours, s.base)
		require.True(t, mine.AutoMergeable)
		require.Empty(t, mine.TheirsOnly)
		requireSame(t, s.yours, mine.Merged)

		others := merge.ThreeWay(s.base, s.base, s.theirs)
		require.True(t, others.AutoMergeable)
		require.Empty(t, others.YoursOnly)
		requireSame(t, s.theirs, others.Merged)
	})
}

// Proves G1.9.
func TestNoChangeIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSides(t)
		yours, theirs := merge.Diff(s.base, s.yours), merge.Diff(s.base, s.theirs)

		result := merge.ThreeWay(s.base, s.yours, s.theirs)

		for _, change := range yours {
			requireAccounted(t, result, change, result.YoursOnly)
		}
		for _, change := range theirs {
			requireAccounted(t, result, change, result.TheirsOnly)
		}
		if result.AutoMergeable {
			require.ElementsMatch(t, append(pointers(yours), pointers(theirs)...),
				pointers(merge.Diff(s.base, result.Merged)), "merged contains exactly both edits")
		}
	})
}

// requireAccounted requires each change either inside a conflict, or in its side's list
// and, if there is a merged document, with its value in that document.
func requireAccounted(t *rapid.T, result merge.Result, change merge.Change, own []string) {
	contested := 0
	for _, conflict := range result.Conflicts {
		if change.Pointer == conflict.Pointer || strings.HasPrefix(change.Pointer, conflict.Pointer+"/") {
			contested++
		}
	}
	listed := 0
	for _, pointer := range own {
		if pointer == change.Pointer {
			listed++
		}
	}
	require.Equal(t, 1, contested+listed, "%s is accounted for exactly once", change.Pointer)
	if result.AutoMergeable {
		requireSameValue(t, change.After, valueAt(result.Merged, change.Pointer))
	}
}

func TestDiffAsPatchProducesTheOtherDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSides(t)
		base, other := withoutNulls(s.base), withoutNulls(s.yours)

		requireSame(t, other, merge.Patch(base, diffAsPatch(base, other)))
	})
}

func TestDiffIsEmptyExactlyForEqualDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSides(t)

		require.Equal(t, merge.Equal(s.base, s.yours), len(merge.Diff(s.base, s.yours)) == 0)
		require.True(t, merge.Equal(s.base, s.base))
		require.Equal(t, merge.Equal(s.base, s.yours), merge.Equal(s.yours, s.base))
	})
}

func requireSameValue(t *rapid.T, want, got merge.Value) {
	require.Equal(t, want.Present, got.Present)
	requireSame(t, want.JSON, got.JSON)
}

// diffAsPatch converts a list of changes into the equivalent merge patch. If a document is
// not an object on both sides, the patch is the other document.
func diffAsPatch(base, other any) any {
	_, wasObject := merge.ObjectOf(base)
	_, isObject := merge.ObjectOf(other)
	if !wasObject || !isObject {
		return other
	}
	patch := map[string]any{}
	for _, change := range merge.Diff(base, other) {
		names := tokens(change.Pointer)
		parent := patch
		for _, name := range names[:len(names)-1] {
			inner, ok := parent[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				parent[name] = inner
			}
			parent = inner
		}
		// An object that replaces an object would be merged into it, but Diff descends in
		// that case, so this value is not one.
		parent[names[len(names)-1]] = change.After.JSON
	}
	return patch
}

// withoutNulls removes null members, which a merge patch cannot express.
func withoutNulls(doc any) any {
	object, ok := merge.ObjectOf(doc)
	if !ok {
		return doc
	}
	retained := map[string]any{}
	for name, value := range object.All() {
		if value != nil {
			retained[name] = withoutNulls(value)
		}
	}
	return retained
}

func tokens(pointer string) []string {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	names := strings.Split(pointer, "/")[1:]
	for i, name := range names {
		names[i] = unescape.Replace(name)
	}
	return names
}

func valueAt(doc any, pointer string) merge.Value {
	value := merge.Value{Present: true, JSON: doc}
	if pointer == "" {
		return value
	}
	for _, name := range tokens(pointer) {
		object, ok := merge.ObjectOf(value.JSON)
		if !ok {
			return merge.Value{}
		}
		inner, present := object.Get(name)
		value = merge.Value{Present: present, JSON: inner}
	}
	return value
}
