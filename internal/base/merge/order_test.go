package merge_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/merge"
)

func TestNewMembersFollowTheExistingOrder(t *testing.T) {
	for _, c := range []struct{ name, doc, patch, want string }{
		{"unchanged", `{"z":1.50,"a":"x"}`, `{}`, `{"z":1.50,"a":"x"}`},
		{"a member retains its position", `{"z":1,"m":2,"a":3}`, `{"a":4,"m":5}`, `{"z":1,"m":5,"a":4}`},
		{"new members follow", `{"z":1}`, `{"y":2,"b":3,"x":4}`, `{"z":1,"y":2,"b":3,"x":4}`},
		{"a member that goes leaves the others", `{"z":1,"m":2,"a":3}`, `{"m":null,"b":1}`, `{"z":1,"a":3,"b":1}`},
		{"at depth", `{"o":{"z":1,"a":2}}`, `{"o":{"b":3,"a":4}}`, `{"o":{"z":1,"a":4,"b":3}}`},
		{"an object in place of a text", `{"o":"x"}`, `{"o":{"z":1,"n":null,"a":2}}`, `{"o":{"z":1,"a":2}}`},
		{"objects of an array come as the patch has them", `{"l":[{"z":1,"a":2}]}`, `{"l":[{"y":1,"b":2}]}`, `{"l":[{"y":1,"b":2}]}`},
		{"a text beyond ASCII and one with escapes", `{"ü":"é","a\"\n":"<&>"}`, `{"€":" "}`, `{"ü":"é","a\"\n":"<&>","€":" "}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := merge.PatchJSON([]byte(c.doc), []byte(c.patch))
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}

func TestMergeRetainsTheirOrderAndAppendsYours(t *testing.T) {
	result := merge.ThreeWay(
		parse(t, `{"z":1,"m":{"q":1,"b":2},"a":3}`),
		parse(t, `{"z":1,"m":{"q":1,"b":9,"y":1,"c":2},"a":3,"n":1,"d":2}`),
		parse(t, `{"z":1,"x":7,"m":{"q":8,"b":2},"a":4}`))
	merged, err := merge.Encode(result.Merged)
	require.NoError(t, err)
	require.Equal(t, `{"z":1,"x":7,"m":{"q":8,"b":9,"y":1,"c":2},"a":4,"n":1,"d":2}`, string(merged))
}

func TestMemberOrderIsNoDifference(t *testing.T) {
	a, b := parse(t, `{"z":1,"a":{"y":2,"b":[{"d":1,"c":2}]}}`), parse(t, `{"a":{"b":[{"c":2,"d":1}],"y":2},"z":1}`)
	require.True(t, merge.Equal(a, b))
	require.Empty(t, merge.Diff(a, b))
	result := merge.ThreeWay(a, b, a)
	require.Empty(t, result.YoursOnly)
	require.True(t, result.AutoMergeable)
}

func TestConflictsShowValuesInTheOrderOfTheirAuthors(t *testing.T) {
	result := merge.ThreeWay(parse(t, `{"v":[{"z":1,"a":2}]}`), parse(t, `{"v":[{"y":1,"b":2}]}`), parse(t, `{"v":[{"x":1,"c":2}]}`))
	for name, encode := range map[string]func(any) ([]byte, error){"encoding/json": json.Marshal, "merge": merge.Encode} {
		text, err := encode(result.Conflicts)
		require.NoError(t, err)
		require.Equal(t, `[{"pointer":"/v","base":[{"z":1,"a":2}],"yours":[{"y":1,"b":2}],"theirs":[{"x":1,"c":2}]}]`, string(text), name)
	}
}

func TestMapEncodesAsASortedObject(t *testing.T) {
	text, err := merge.Encode(merge.Patch(map[string]any{"z": "1", "a": map[string]any{"y": true, "b": nil}}, map[string]any{"m": "2"}))
	require.NoError(t, err)
	require.Equal(t, `{"a":{"b":null,"y":true},"z":"1","m":"2"}`, string(text))
	require.True(t, merge.Equal(map[string]any{"a": "1", "b": "2"}, parse(t, `{"b":"2","a":"1"}`)))
}

func TestLastDuplicateMemberWins(t *testing.T) {
	text, err := merge.Encode(parse(t, `{"a":1,"b":2,"a":3}`))
	require.NoError(t, err)
	require.Equal(t, `{"a":3,"b":2}`, string(text))
}

func TestLargeObjectsArePatchedInLinearTime(t *testing.T) {
	document, removal := make([]string, 30_000), make([]string, 30_000)
	for i := range document {
		document[i], removal[i] = fmt.Sprintf(`"m%d":1`, i), fmt.Sprintf(`"m%d":null`, len(document)-i)
	}
	started := time.Now()
	result, err := merge.PatchJSON([]byte("{"+strings.Join(document, ",")+"}"), []byte("{"+strings.Join(removal, ",")+"}"))
	require.NoError(t, err)
	require.Equal(t, `{"m0":1}`, string(result))
	require.Less(t, time.Since(started), time.Minute)
}

// Encoding a parsed document returns the same text, however many members an object has; a
// patch finds each of them.
// Proves G1.10.
func TestObjectsOfEverySizeRetainTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringN(0, 3, -1), 0, 40, rapid.ID).Draw(t, "names")
		var members []string
		for i, name := range names {
			quoted, err := merge.Encode(name)
			require.NoError(t, err)
			members = append(members, fmt.Sprintf("%s:%d", quoted, i))
		}
		document := "{" + strings.Join(members, ",") + "}"
		tree, err := merge.Parse([]byte(document))
		require.NoError(t, err)
		text, err := merge.Encode(tree)
		require.NoError(t, err)
		require.Equal(t, document, string(text))

		object, _ := merge.ObjectOf(tree)
		for i, name := range names {
			value, present := object.Get(name)
			require.True(t, present)
			require.Equal(t, json.Number(fmt.Sprint(i)), value)
		}
		reversed := slices.Clone(members)
		slices.Reverse(reversed)
		other, err := merge.Parse([]byte("{" + strings.Join(reversed, ",") + "}"))
		require.NoError(t, err)
		require.True(t, merge.Equal(tree, other))
		patched, err := merge.Encode(merge.Patch(tree, other))
		require.NoError(t, err)
		require.Equal(t, document, string(patched))
	})
}
