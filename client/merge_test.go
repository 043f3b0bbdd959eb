package client

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// mergeCases are shared with the service and the web admin, which must agree.
type mergeCases struct {
	Patch []struct {
		Name             string
		Doc, Patch, Want json.RawMessage
	}
	ThreeWay []struct {
		Name                  string
		Base, Yours, Theirs   json.RawMessage
		Conflicts             []Difference
		TheirsOnly, YoursOnly []string
		AutoMergeable         bool
		Merged                json.RawMessage
	}
}

func sharedCases(t *testing.T) (cases mergeCases) {
	t.Helper()
	text, err := os.ReadFile("../api/merge-cases.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &cases))
	require.GreaterOrEqual(t, len(cases.Patch), 15)
	require.GreaterOrEqual(t, len(cases.ThreeWay), 40)
	return cases
}

func parsed(t require.TestingT, text []byte) any {
	tree, err := parse(text)
	require.NoError(t, err)
	return tree
}

func requireSame(t require.TestingT, want, got any) {
	require.True(t, equal(want, got), "want %v\ngot  %v", want, got)
}

func TestThreeWayMatchesSharedCases(t *testing.T) {
	for _, c := range sharedCases(t).ThreeWay {
		t.Run(c.Name, func(t *testing.T) {
			got, err := ThreeWay(c.Base, c.Yours, c.Theirs)

			require.NoError(t, err)
			require.ElementsMatch(t, c.TheirsOnly, got.TheirsOnly)
			require.ElementsMatch(t, c.YoursOnly, got.YoursOnly)
			require.Equal(t, c.AutoMergeable, got.Merged != nil)
			if c.AutoMergeable {
				requireSame(t, parsed(t, c.Merged), parsed(t, got.Merged))
			}
			want, err := encode(c.Conflicts)
			require.NoError(t, err)
			have, err := encode(append([]Difference{}, got.Conflicts...))
			require.NoError(t, err)
			requireSame(t, parsed(t, want), parsed(t, have))
		})
	}
}

func TestPatchesMatchSharedCases(t *testing.T) {
	for _, c := range sharedCases(t).Patch {
		t.Run(c.Name, func(t *testing.T) {
			requireSame(t, parsed(t, c.Want), applied(parsed(t, c.Doc), parsed(t, c.Patch)))
		})
	}
}

func TestPatchReproducesChangedDocument(t *testing.T) {
	object := rapid.MapOf(rapid.StringOfN(rapid.RuneFrom([]rune("ab/~")), 0, 2, -1), scalars())
	nested := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.OneOf(scalars(), rapid.Custom(func(t *rapid.T) any { return any(object.Draw(t, "object")) })))
	rapid.Check(t, func(t *rapid.T) {
		before, after := nested.Draw(t, "before"), nested.Draw(t, "after")
		requireSame(t, any(after), applied(before, patchBetween(before, after)))
		require.Empty(t, patchBetween(after, after))
	})
}

func scalars() *rapid.Generator[any] {
	return rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"1", "1.0", "-0", "10e-1", "9007199254740993"}), func(s string) any { return json.Number(s) }),
		rapid.Map(rapid.SampledFrom([]string{"", "x"}), func(s string) any { return s }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any]([]any{nil, json.Number("1")}),
	)
}
