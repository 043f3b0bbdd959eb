package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/strictjson"
)

var seeds = []string{
	`{}`, ``, `null`, `[1]`, `{"value":"a","value":"b"}`, `{"value":"\ud800"}`, `{"value":"\u0000"}`,
	`{"id":9223372036854775808}`, `{"id":1e3}`, `{"raw":{"a":[null,1.0]}}`, `{"items":[{"sku":"a"},null]}`,
	`{"from":"2026-01-31T09:30:00Z","until":null}`, `{"any":{"a":[1,2,{"b":null}]}}`, `{"labels":{"a":"b"}} x`,
	`{"data":"AQI=","pair":[1,2],"note":"n","Untagged":"u"}`, `{"colour":"blue","uuid":"x"}`, nested(33),
}

func FuzzDecode(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		original := bytes.Clone(data)
		var got request
		err := strictjson.Decode(data, &got)
		require.Equal(t, original, data, "the input is left alone")
		if err != nil {
			requireFault(t, err)
			return
		}

		var want request
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		require.NoError(t, decoder.Decode(&want))
		require.Equal(t, want, got)
	})
}

func FuzzDecodePatch(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		patch, err := strictjson.DecodePatch(data, "value", "raw", "items")
		if err != nil {
			requireFault(t, err)
			return
		}

		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(data, &want))
		require.Len(t, patch.Names(), len(want))
		for name, member := range want {
			require.Equal(t, member, patch.Raw(name))
		}
	})
}

func requireFault(t *testing.T, err error) {
	t.Helper()
	var fault *strictjson.Error
	require.True(t, errors.As(err, &fault), "bad input is the client's fault: %v", err)
	require.NotEmpty(t, fault.Message)
	require.True(t, fault.Pointer == "" || strings.HasPrefix(fault.Pointer, "/"), fault.Pointer)
	require.Less(t, len(fault.Pointer), 20_000)
}

// The canonical text is its own canonical text, has the same meaning as the original, and
// loses no number.
func FuzzCanonical(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		original := bytes.Clone(data)
		text, err := strictjson.Canonical(data)
		require.Equal(t, original, data, "the input is left alone")
		if err != nil {
			return
		}
		again, err := strictjson.Canonical(text)
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
		require.Equal(t, byValue(exactly(t, data)), byValue(exactly(t, text)))
	})
}

// byValue replaces each number of a tree by its canonical form.
func byValue(tree any) any {
	switch tree := tree.(type) {
	case json.Number:
		return strictjson.CanonicalNumber(tree.String())
	case []any:
		for i := range tree {
			tree[i] = byValue(tree[i])
		}
	case map[string]any:
		for name := range tree {
			tree[name] = byValue(tree[name])
		}
	}
	return tree
}

// exactly decodes JSON with its numbers as they are spelled.
func exactly(t *testing.T, text []byte) (value any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value))
	return value
}
