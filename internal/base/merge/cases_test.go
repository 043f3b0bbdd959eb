package merge_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/merge"
)

// fixtures are shared with the merge of the web admin, which must have the same results.
type fixtures struct {
	Patch []struct {
		Name  string          `json:"name"`
		Doc   json.RawMessage `json:"doc"`
		Patch json.RawMessage `json:"patch"`
		Want  json.RawMessage `json:"want"`
	} `json:"patch"`
	ThreeWay []threeWayCase `json:"threeWay"`
}

type threeWayCase struct {
	Name          string           `json:"name"`
	Base          merge.Value      `json:"base"`
	Yours         merge.Value      `json:"yours"`
	Theirs        merge.Value      `json:"theirs"`
	Conflicts     []merge.Conflict `json:"conflicts"`
	TheirsOnly    []string         `json:"theirsOnly"`
	YoursOnly     []string         `json:"yoursOnly"`
	AutoMergeable bool             `json:"autoMergeable"`
	Merged        merge.Value      `json:"merged"`
}

func loadFixtures(t testing.TB) fixtures {
	t.Helper()
	data, err := os.ReadFile("../../../api/merge-cases.json")
	require.NoError(t, err)
	var cases fixtures
	require.NoError(t, json.Unmarshal(data, &cases))
	require.GreaterOrEqual(t, len(cases.Patch), 15)
	require.GreaterOrEqual(t, len(cases.ThreeWay), 40)
	return cases
}

func TestPatchAgreesWithTheSharedCases(t *testing.T) {
	for _, c := range loadFixtures(t).Patch {
		t.Run(c.Name, func(t *testing.T) {
			doc, patch := parse(t, string(c.Doc)), parse(t, string(c.Patch))

			got := merge.Patch(doc, patch)

			requireSame(t, parse(t, string(c.Want)), got)
			requireSame(t, parse(t, string(c.Doc)), doc)
			requireSame(t, parse(t, string(c.Patch)), patch)

			text, err := merge.PatchJSON(c.Doc, c.Patch)
			require.NoError(t, err)
			requireSame(t, got, parse(t, string(text)))
		})
	}
}

// Proves G1.9.
func TestThreeWayMatchesSharedCases(t *testing.T) {
	for _, c := range loadFixtures(t).ThreeWay {
		t.Run(c.Name, func(t *testing.T) {
			got := merge.ThreeWay(c.Base.JSON, c.Yours.JSON, c.Theirs.JSON)

			require.Equal(t, c.AutoMergeable, got.AutoMergeable)
			require.Equal(t, c.TheirsOnly, got.TheirsOnly)
			require.Equal(t, c.YoursOnly, got.YoursOnly)
			requireSame(t, tree(t, c.Conflicts), tree(t, got.Conflicts))
			require.Equal(t, c.AutoMergeable, c.Merged.Present, "a case has merged if and only if it is mergeable")
			requireSame(t, c.Merged.JSON, got.Merged)
		})
	}
}

func TestDiffMatchesTheOneSidedSharedCases(t *testing.T) {
	for _, c := range loadFixtures(t).ThreeWay {
		t.Run(c.Name, func(t *testing.T) {
			if len(c.Conflicts) > 0 {
				require.NotEmpty(t, merge.Diff(c.Base.JSON, c.Yours.JSON))
				require.NotEmpty(t, merge.Diff(c.Base.JSON, c.Theirs.JSON))
				return
			}
			require.Equal(t, c.YoursOnly, pointers(merge.Diff(c.Base.JSON, c.Yours.JSON)))
			require.Equal(t, c.TheirsOnly, pointers(merge.Diff(c.Base.JSON, c.Theirs.JSON)))
		})
	}
}

func parse(t testing.TB, text string) any {
	t.Helper()
	parsed, err := merge.Parse([]byte(text))
	require.NoError(t, err, text)
	return parsed
}

func tree(t testing.TB, v any) any {
	t.Helper()
	parsed, err := merge.Tree(v)
	require.NoError(t, err)
	return parsed
}

func requireSame(t require.TestingT, want, got any) {
	if merge.Equal(want, got) {
		return
	}
	wantText, err := merge.Encode(want)
	require.NoError(t, err)
	gotText, err := merge.Encode(got)
	require.NoError(t, err)
	require.Fail(t, "different JSON", "want %s\ngot  %s", wantText, gotText)
}

func pointers(changes []merge.Change) []string {
	names := []string{}
	for _, change := range changes {
		names = append(names, change.Pointer)
	}
	return names
}
