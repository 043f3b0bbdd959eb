package strictjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/strictjson"
)

func TestPatchReportsItsPresentMembers(t *testing.T) {
	body := `{"value": [1.0], "schema":null}`

	patch, err := strictjson.DecodePatch([]byte(body), "value", "remark", "schema")

	require.NoError(t, err)
	require.Equal(t, []string{"schema", "value"}, patch.Names())
	require.Equal(t, json.RawMessage(`[1.0]`), patch.Raw("value"))
	require.Nil(t, patch.Raw("remark"))
	require.Equal(t, json.RawMessage(body), patch.Text())
}

func TestMembersOfAPatchAreDecodedWithTheirPointer(t *testing.T) {
	patch, err := strictjson.DecodePatch([]byte(`{"remark":"r","permissions":{"add":["a",1]},"a/b":null}`),
		"remark", "permissions", "a/b", "value")
	require.NoError(t, err)

	remark, value := "", "untouched"
	require.NoError(t, patch.Decode("remark", &remark))
	require.Equal(t, "r", remark)

	require.NoError(t, patch.Decode("value", &value))
	require.Equal(t, "untouched", value)

	var permissions struct {
		Add []string `json:"add"`
	}
	err = patch.Decode("permissions", &permissions)
	require.Equal(t, &strictjson.Error{Pointer: "/permissions/add/1", Message: "must be a string"}, err)

	err = patch.Decode("a/b", &value)
	require.Equal(t, &strictjson.Error{Pointer: "/a~1b", Message: "must not be null"}, err)

	err = patch.Decode("remark", &struct{ C chan int }{})
	require.EqualError(t, err, "/remark must be an object")
}

func TestInvalidPatchIsRejectedAtItsPointer(t *testing.T) {
	tests := []struct{ name, body, pointer, message string }{
		{"an unknown member", `{"value":1,"valeu":1}`, "/valeu", "is not a field that can be changed"},
		{"a read-only member", `{"version":1}`, "/version", "is not a field that can be changed"},
		{"a name in other case", `{"VALUE":1}`, "/VALUE", "is not a field that can be changed"},
		{"a member that clears an unknown one", `{"a/b":null}`, "/a~1b", "is not a field that can be changed"},
		{"the first of several by name", `{"z":1,"b":1,"y":1}`, "/b", "is not a field that can be changed"},
		{"a duplicate member", `{"value":1,"value":1}`, "/value", "appears twice"},
		{"a duplicate member deep inside", `{"value":{"a":1,"a":1}}`, "/value/a", "appears twice"},
		{"a NUL character", `{"value":"\u0000"}`, "/value", "must not contain NUL characters"},
		{"an array", `[1]`, "", "must be an object"},
		{"a string", `"value"`, "", "must be an object"},
		{"null", `null`, "", "must not be null"},
		{"nothing", ``, "", "must not be empty"},
		{"two patches", `{}{}`, "", "must be one JSON value with nothing after it"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := strictjson.DecodePatch([]byte(test.body), "value", "remark")
			require.Equal(t, &strictjson.Error{Pointer: test.pointer, Message: test.message}, err)
		})
	}
}

func TestEmptyPatchIsAccepted(t *testing.T) {
	patch, err := strictjson.DecodePatch([]byte(`{}`), "value")
	require.NoError(t, err)
	require.Empty(t, patch.Names())
}
