package merge_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/merge"
)

func TestConflictsDistinguishAbsentFromNull(t *testing.T) {
	result := merge.ThreeWay(
		parse(t, `{"removedByMe":1,"clearedByMe":1}`),
		parse(t, `{"clearedByMe":null}`),
		parse(t, `{"removedByMe":2,"clearedByMe":2}`))

	data, err := json.Marshal(result)

	require.NoError(t, err)
	require.JSONEq(t, `{
		"conflicts": [
			{"pointer":"/clearedByMe","base":1,"yours":null,"theirs":2},
			{"pointer":"/removedByMe","base":1,"theirs":2}],
		"theirsOnly": [], "yoursOnly": [], "autoMergeable": false}`, string(data))

	var back merge.Result
	require.NoError(t, json.Unmarshal(data, &back))
	require.True(t, back.Conflicts[0].Yours.Present)
	require.False(t, back.Conflicts[1].Yours.Present)
}

func TestDiffReturnsTheValuesBeforeAndAfter(t *testing.T) {
	changes := merge.Diff(
		parse(t, `{"kept":1,"changed":{"x":1.50},"gone":[1],"cleared":"a"}`),
		parse(t, `{"kept":1.0,"changed":{"x":2},"new":{},"cleared":null}`))

	data, err := merge.Encode(changes)

	require.NoError(t, err)
	require.Equal(t, `[{"pointer":"/changed/x","before":1.50,"after":2},`+
		`{"pointer":"/cleared","before":"a","after":null},`+
		`{"pointer":"/gone","before":[1]},`+
		`{"pointer":"/new","after":{}}]`, string(data))
	require.Empty(t, merge.Diff(nil, nil))
}

func TestRespelledNumbersRetainTheirSpelling(t *testing.T) {
	result := merge.ThreeWay(parse(t, `{"a":1,"b":1}`), parse(t, `{"a":1.0,"b":20.0}`), parse(t, `{"a":1e0,"b":1}`))

	merged, err := merge.Encode(result.Merged)

	require.NoError(t, err)
	require.Equal(t, `{"a":1e0,"b":20.0}`, string(merged))
}

func TestInputsAreNotModified(t *testing.T) {
	texts := []string{`{"o":{"a":1,"b":2},"k":[1]}`, `{"o":{"a":2,"b":2}}`, `{"o":{"a":1},"k":[1],"n":{}}`}
	base, yours, theirs := parse(t, texts[0]), parse(t, texts[1]), parse(t, texts[2])

	merge.ThreeWay(base, yours, theirs)
	merge.Diff(base, yours)
	merge.Patch(base, theirs)

	require.Equal(t, parse(t, texts[0]), base)
	require.Equal(t, parse(t, texts[1]), yours)
	require.Equal(t, parse(t, texts[2]), theirs)
}

func TestTreeRetainsExactIntegersOfGoStructs(t *testing.T) {
	got := tree(t, struct {
		Amount int64           `json:"amount"`
		Value  json.RawMessage `json:"value"`
		Remark string          `json:"remark"`
	}{9007199254740993, json.RawMessage(`{"b":1.0, "a":"<&>"}`), "x"})

	text, err := merge.Encode(got)

	require.NoError(t, err)
	require.Equal(t, `{"amount":9007199254740993,"remark":"x","value":{"a":"<&>","b":1.0}}`, string(text))
}

func TestParseRejectsAnythingButOneValue(t *testing.T) {
	for _, text := range []string{``, ` `, `{}{}`, `1 2`, `{"a":1}]`, `{"a"}`, `nul`, `01`} {
		_, err := merge.Parse([]byte(text))
		require.Error(t, err, text)
	}
	_, err := merge.PatchJSON([]byte(`{`), []byte(`{}`))
	require.Error(t, err)
	_, err = merge.PatchJSON([]byte(`{}`), []byte(`{`))
	require.Error(t, err)
	_, err = merge.Tree(func() {})
	require.Error(t, err)
}

func TestNumbersAreComparedByExactDecimalValue(t *testing.T) {
	equal := [][]string{
		{"1", "1.0", "1e0", "10e-1", "0.1E1", "0.001e+3", "1.000"},
		{"0", "-0", "0.0", "0e5", "-0.00e-7", "0e99999999999999999999"},
		{"100", "1e2", "1E+2", "1.00e2", "0.0001e6", "1e002"},
		{"-12.5", "-1.25e1", "-125e-1"},
		{"1e999999999", "10e999999998", "0.1e1000000000"},
		{"1e-999999999", "0.1e-999999998"},
		{"1e999999999999999999999", "1.0e+0999999999999999999999"},
		{"1e-999999999999999999999"},
		{"9007199254740993"}, {"9007199254740992"},
		{"1e400"}, {"1e401"}, {"-1"}, {"0.1"}, {"0.10000000000000000001"},
		{"1e999999999999999998"}, {"2e999999999999999999999"},
	}
	for i, class := range equal {
		for j, other := range equal {
			for _, a := range class {
				for _, b := range other {
					require.Equal(t, i == j, merge.Equal(json.Number(a), json.Number(b)), "%s and %s", a, b)
				}
			}
		}
	}
}

func TestGoNumbersAreEqualToTheirJSON(t *testing.T) {
	for _, v := range []any{int(7), int64(7), uint64(7), float64(7), json.Number("7.0")} {
		require.True(t, merge.Equal(v, json.Number("7")), "%T", v)
		require.False(t, merge.Equal(v, "7"), "%T", v)
		require.False(t, merge.Equal("7", v), "%T", v)
	}
	require.False(t, merge.Equal(json.Number("what"), json.Number("1")))
	require.False(t, merge.Equal(json.Number("1ex"), json.Number("1ey")))
}

func TestHugeNumbersAreComparedInLinearTime(t *testing.T) {
	digits := strings.Repeat("7", 1<<20)
	started := time.Now()
	require.True(t, merge.Equal(json.Number("1e"+digits), json.Number("1.0e"+digits)))
	require.False(t, merge.Equal(json.Number("1e"+digits), json.Number("1e-"+digits)))
	require.True(t, merge.Equal(json.Number(digits), json.Number(digits+".0")))
	require.False(t, merge.Equal(json.Number("1e999999999"), json.Number("1e-999999999")))
	require.Less(t, time.Since(started), time.Minute)
}

func TestNumberEqualityAgreesWithRationals(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, ok := new(big.Rat).SetString(a)
		require.True(t, ok)
		y, ok := new(big.Rat).SetString(b)
		require.True(t, ok)

		require.Equal(t, x.Cmp(y) == 0, merge.Equal(json.Number(a), json.Number(b)), "%s and %s", a, b)

		scaled := x.Num().String() + "00e-2"
		if x.IsInt() {
			require.True(t, merge.Equal(json.Number(a), json.Number(scaled)), "%s and %s", a, scaled)
		}
	})
}
