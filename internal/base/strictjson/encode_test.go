package strictjson_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/strictjson"
)

func TestTimesAlwaysHaveTheirMicroseconds(t *testing.T) {
	shanghai := time.FixedZone("CST", 8*3600)
	for want, at := range map[string]time.Time{
		`"2026-01-31T09:30:00.000000Z"`: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC),
		`"2026-01-31T09:30:00.120000Z"`: time.Date(2026, 1, 31, 17, 30, 0, 120_000_000, shanghai),
		`"2026-01-31T09:30:00.123456Z"`: time.Date(2026, 1, 31, 9, 30, 0, 123_456_789, time.UTC),
	} {
		text, err := strictjson.Encode(at)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
		text, err = strictjson.Encode(struct {
			At *time.Time `json:"at"`
			No *time.Time `json:"no"`
		}{At: &at})
		require.NoError(t, err)
		require.Equal(t, `{"at":`+want+`,"no":null}`, string(text))
	}
}

type embedded struct {
	ID int64 `json:"id"`
}

func TestOtherValuesAreEncodedLikeTheStandardLibrary(t *testing.T) {
	name := "a<b>&\u2028"
	cases := map[string]any{
		"nil slice":     []string(nil),
		"empty slice":   []string{},
		"nil map":       map[string]int(nil),
		"sorted map":    map[string]any{"b": 1, "a": []int{1}},
		"int keys":      map[int64]string{10: "x", 9: "y"},
		"bytes":         []byte("text"),
		"raw message":   json.RawMessage(`{"b": 1,  "a":[ 1.50]}`),
		"large integer": int64(9007199254740993),
		"float":         1e21,
		"small float":   0.000001,
		"pointer":       &name,
		"number as text": struct {
			N int64 `json:",string"`
		}{7},
		"omitted zero": struct {
			N int   `json:"n,omitempty"`
			S []int `json:"s,omitempty"`
		}{},
		"embedded struct": struct {
			embedded
			Name string `json:"name"`
		}{embedded{1}, "x"},
		"interface": []any{nil, true, "é", 1.5},
	}
	for label, v := range cases {
		t.Run(label, func(t *testing.T) {
			var want bytes.Buffer
			encoder := json.NewEncoder(&want)
			encoder.SetEscapeHTML(false)
			require.NoError(t, encoder.Encode(v))
			got, err := strictjson.Encode(v)
			require.NoError(t, err)
			require.JSONEq(t, want.String(), string(got))
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	v := map[string]any{"items": []any{struct {
		ID int64     `json:"id"`
		At time.Time `json:"at"`
		S  string    `json:"s"`
	}{1, time.Now(), "text"}}}
	b.Run("this", func(b *testing.B) {
		for b.Loop() {
			_, _ = strictjson.Encode(v)
		}
	})
	b.Run("standard", func(b *testing.B) {
		for b.Loop() {
			_, _ = json.Marshal(v)
		}
	})
}
