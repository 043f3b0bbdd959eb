package merge_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/merge"
)

func FuzzPatch(f *testing.F) {
	for _, c := range loadFixtures(f).Patch {
		f.Add([]byte(c.Doc), []byte(c.Patch))
	}
	f.Fuzz(func(t *testing.T, doc, patch []byte) {
		result, err := merge.PatchJSON(doc, patch)
		if err != nil {
			require.False(t, json.Valid(doc) && json.Valid(patch), "valid documents are accepted: %v", err)
			return
		}
		require.True(t, json.Valid(result), "%s", result)

		again, err := merge.PatchJSON(result, patch)
		require.NoError(t, err)
		require.Equal(t, string(result), string(again), "a merge patch applied twice is applied once")
	})
}

func FuzzThreeWay(f *testing.F) {
	for _, c := range loadFixtures(f).ThreeWay {
		f.Add(text(f, c.Base), text(f, c.Yours), text(f, c.Theirs))
	}
	f.Fuzz(func(t *testing.T, base, yours, theirs []byte) {
		trees := make([]any, 0, 3)
		for _, data := range [][]byte{base, yours, theirs} {
			parsed, err := merge.Parse(data)
			if err != nil {
				return
			}
			trees = append(trees, parsed)
		}

		result := merge.ThreeWay(trees[0], trees[1], trees[2])

		require.True(t, json.Valid(text(t, result)))
		require.Equal(t, len(result.Conflicts) == 0, result.AutoMergeable)
		if result.AutoMergeable {
			merged := text(t, result.Merged)
			require.True(t, json.Valid(merged))
			require.Len(t, merge.Diff(trees[0], parse(t, string(merged))), len(result.YoursOnly)+len(result.TheirsOnly))
		}
	})
}

func text(t testing.TB, v any) []byte {
	t.Helper()
	data, err := merge.Encode(v)
	require.NoError(t, err)
	return data
}
