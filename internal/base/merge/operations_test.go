package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/merge"
)

func asPatch(text []byte) (any, error) { return merge.Parse(text) }

// Proves G1.6.
func TestOperationsFollowRFC6902(t *testing.T) {
	const document = `{"name":"tea","value":{"a":1.50,"b":[1,2,3],"c":{"d":null}},"note":"n"}`
	for operations, want := range map[string]string{
		`[{"op":"add","path":"/value/n","value":null}]`:                                                      `{"name":"tea","value":{"a":1.50,"b":[1,2,3],"c":{"d":null},"n":null},"note":"n"}`,
		`[{"op":"replace","path":"/value/a","value":null}]`:                                                  `{"name":"tea","value":{"a":null,"b":[1,2,3],"c":{"d":null}},"note":"n"}`,
		`[{"op":"remove","path":"/value/b/1"},{"op":"add","path":"/value/b/-","value":4}]`:                   `{"name":"tea","value":{"a":1.50,"b":[1,3,4],"c":{"d":null}},"note":"n"}`,
		`[{"op":"move","from":"/value/c","path":"/value/x~1y"}]`:                                             `{"name":"tea","value":{"a":1.50,"b":[1,2,3],"x/y":{"d":null}},"note":"n"}`,
		`[{"op":"test","path":"/value/a","value":15e-1},{"op":"remove","path":"/value/c"}]`:                  `{"name":"tea","value":{"a":1.50,"b":[1,2,3]},"note":"n"}`,
		`[{"op":"copy","from":"/name","path":"/note"}]`:                                                      `{"name":"tea","value":{"a":1.50,"b":[1,2,3],"c":{"d":null}},"note":"tea"}`,
		`[{"op":"remove","path":"/note"}]`:                                                                   `{"name":"tea","value":{"a":1.50,"b":[1,2,3],"c":{"d":null}}}`,
		`[{"op":"test","path":"/value/c","value":{"d":null}},{"op":"test","path":"/value/b/0","value":1.0}]`: document,
	} {
		parsed, err := merge.ParseOperations([]byte(operations), asPatch)
		require.NoError(t, err, operations)
		before, err := merge.Parse([]byte(document))
		require.NoError(t, err)
		patch, err := parsed.MergePatch(before)
		require.NoError(t, err, operations)
		after, err := merge.Encode(merge.Patch(before, patch))
		require.NoError(t, err)
		require.Equal(t, want, string(after), operations)
	}
}

func TestOperationsThatDoNotApplyNameTheirIndex(t *testing.T) {
	document := map[string]any{"a": "x", "list": []any{"y"}}
	for operations, want := range map[string]merge.OperationError{
		`[{"op":"test","path":"/a","value":"x"},{"op":"test","path":"/a","value":"z"}]`: {Index: 1, IsTest: true},
		`[{"op":"test","path":"/none","value":null}]`:                                   {IsTest: true},
		`[{"op":"remove","path":"/none"}]`:                                              {},
		`[{"op":"replace","path":"/none","value":1}]`:                                   {},
		`[{"op":"add","path":"/a/b","value":1}]`:                                        {},
		`[{"op":"remove","path":"/list/-1"}]`:                                           {},
		`[{"op":"add","path":"/list/5","value":1}]`:                                     {},
	} {
		parsed, err := merge.ParseOperations([]byte(operations), asPatch)
		require.NoError(t, err, operations)
		_, err = parsed.MergePatch(document)
		var failed *merge.OperationError
		require.ErrorAs(t, err, &failed, operations)
		require.Equal(t, want, *failed, operations)
	}
}

func TestMalformedOperationsAreRejected(t *testing.T) {
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"/a","value":1},`, 101), ",") + "]"
	for _, operations := range []string{
		`{}`, `[]`, many, `[{"op":"set","path":"/a","value":1}]`, `[{"op":"add","path":"/a"}]`, `[{"op":"add","value":1}]`, `[{"op":"add","path":"","value":{}}]`,
		`[{"op":"move","path":"/a"}]`, `[{"op":"copy","path":"/a","from":"b"}]`, `[{"op":"add","path":"/a","value":1,"more":2}]`, `[{"op":"add","path":"/a","value":1,"value":2}]`,
	} {
		_, err := merge.ParseOperations([]byte(operations), asPatch)
		require.Error(t, err, operations)
	}
}

func TestCopiesOfAJSONPatchAreBounded(t *testing.T) {
	copies := make([]string, 5)
	for i := range copies {
		copies[i] = fmt.Sprintf(`{"op":"copy","from":"/text","path":"/copy%d"}`, i)
	}
	parsed, err := merge.ParseOperations([]byte("["+strings.Join(copies, ",")+"]"), asPatch)
	require.NoError(t, err)
	_, err = parsed.MergePatch(map[string]any{"text": strings.Repeat("x", 1<<20)})
	var failed *merge.OperationError
	require.ErrorAs(t, err, &failed)
	require.Less(t, failed.Index, 4)
}
