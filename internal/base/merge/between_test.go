package merge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/merge"
)

func TestPatchBetweenDocumentsProducesTheSecond(t *testing.T) {
	for _, c := range []struct {
		from, to, patch string
		possible        bool
	}{
		{`{"a":1,"b":{"c":2,"d":3}}`, `{"a":1,"b":{"c":4}}`, `{"b":{"d":null,"c":4}}`, true},
		{`{"a":1}`, `{"a":1}`, `{}`, true},
		{`{"a":1}`, `{"b":{"c":[1,null]}}`, `{"a":null,"b":{"c":[1,null]}}`, true},
		{`{"a":{"b":1}}`, `{"a":7}`, `{"a":7}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, `{"b":null}`, false},
		{`1`, `"x"`, `"x"`, true},
	} {
		from, to := parsed(t, c.from), parsed(t, c.to)
		patch, possible := merge.PatchBetween(from, to)
		require.Equal(t, c.possible, possible, "%s -> %s", c.from, c.to)
		text, err := merge.Encode(patch)
		require.NoError(t, err)
		require.Equal(t, c.patch, string(text))
	}
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	document, err := merge.Parse([]byte(text))
	require.NoError(t, err)
	return document
}
