package dbcopy

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// MySQL returns JSON in another form than it was stored in; both have one canonical form.
func TestJSONOfBothEnginesHasOneForm(t *testing.T) {
	for stored, returned := range map[string]string{
		`{"b":1.50,"a":[1e3,null,"\u0061"]}`: `{"a": [1000.0, null, "a"], "b": 1.5}`,
		`9223372036854775807`:                `9223372036854775807`,
		` "<" `:                              `"<"`,
	} {
		one, err := document.normalize(stored)
		require.NoError(t, err)
		other, err := document.normalize([]byte(returned))
		require.NoError(t, err)
		require.Equal(t, one, other)
	}
	for _, invalid := range []string{"", "{", "1e999"} {
		_, err := document.normalize(invalid)
		require.Error(t, err, invalid)
	}
}

func TestDigestDistinguishesRowsButNotTheirOrder(t *testing.T) {
	sum := func(rows ...[]any) (d digest) {
		for _, row := range rows {
			d.add(row)
		}
		return d
	}
	at := time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)
	distinct := [][]any{{nil}, {""}, {int64(0)}, {"a", "b"}, {"ab", ""}, {"a "}, {"a"}, {at}, {at.UnixMicro()}, {at.Add(time.Microsecond)}}
	seen := map[digest]bool{}
	for _, row := range distinct {
		seen[sum(row)] = true
	}
	require.Len(t, seen, len(distinct))
	one, other := distinct[5], distinct[6]
	require.Equal(t, sum(one, other), sum(other, one))
	require.NotEqual(t, sum(one, one), sum(other, other))
	require.NotEqual(t, sum(one), sum(one, one))
}
