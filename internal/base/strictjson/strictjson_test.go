package strictjson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/strictjson"
)

// request has a field of every kind that requests use.
type request struct {
	Value    string            `json:"value"`
	Count    int               `json:"count,omitempty"`
	Small    int8              `json:"small"`
	ID       int64             `json:"id"`
	Unsigned uint16            `json:"unsigned"`
	Rate     float64           `json:"rate"`
	On       bool              `json:"on"`
	Remark   *string           `json:"remark"`
	Limit    *int64            `json:"limit,omitzero"`
	Items    []item            `json:"items"`
	Labels   map[string]string `json:"labels"`
	Raw      json.RawMessage   `json:"raw"`
	From     time.Time         `json:"from"`
	Until    *time.Time        `json:"until"`
	Any      any               `json:"any"`
	Data     []byte            `json:"data"`
	Pair     [2]int            `json:"pair"`
	UUID     uuid.UUID         `json:"uuid"`
	Colour   colour            `json:"colour"`
	Embedded
	Untagged string
}

type item struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
}

type Embedded struct {
	Note string `json:"note"`
}

// colour is a type that decodes itself and returns the reason of an error.
type colour string

func (c *colour) UnmarshalJSON(data []byte) error {
	var name string
	if err := strictjson.Decode(data, &name); err != nil {
		return err
	}
	if name == "plaid" {
		return errors.New("colour.UnmarshalJSON: internal detail")
	}
	if name != "red" {
		return &strictjson.Error{Message: "must be red"}
	}
	*c = colour(name)
	return nil
}

func nested(depth int) string {
	return strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
}

func TestBadInputIsReportedByPointerAndExpectation(t *testing.T) {
	const long = 10_000
	tests := []struct{ name, body, pointer, message string }{
		{"an empty body", ``, "", "must not be empty"},
		{"a blank body", " \n\t", "", "must not be empty"},
		{"half a document", `{"value":"a"`, "", "ends before its JSON is complete"},
		{"half a string", `{"value":"a`, "/value", "ends before its JSON is complete"},
		{"a missing value", `{"value":}`, "/value", "is not valid JSON at line 1, column 10"},
		{"a trailing comma", "{\n \"value\":\"é\",}", "", "is not valid JSON at line 2, column 13"},
		{"a comment", `{"value":"a"/**/}`, "", "is not valid JSON at line 1, column 13"},
		{"a bare word", `{"value":NaN}`, "/value", "is not valid JSON at line 1, column 10"},
		{"a leading zero", `{"count":01}`, "", "is not valid JSON at line 1, column 11"},
		{"an unknown escape", `{"value":"\x"}`, "/value", "is not valid JSON at line 1, column 11"},
		{"a raw control character", "{\"value\":\"a\x00\"}", "/value", "is not valid JSON at line 1, column 12"},
		{"a byte order mark", "\xef\xbb\xbf{}", "", "is not valid JSON at line 1, column 1"},
		{"a second value", `{} {}`, "", "must be one JSON value with nothing after it"},
		{"trailing text", `{}x`, "", "must be one JSON value with nothing after it"},
		{"a trailing brace", `{}}`, "", "must be one JSON value with nothing after it"},

		{"invalid UTF-8 in a value", "{\"value\":\"a\xff\"}", "/value", "must be valid UTF-8"},
		{"invalid UTF-8 in a name", "{\"items\":[{\"a\xff\":1}]}", "/items/0", "must be valid UTF-8"},
		{"invalid UTF-8 in a raw member", "{\"raw\":{\"a\":\"\xc3\x28\"}}", "/raw/a", "must be valid UTF-8"},
		{"invalid UTF-8 outside of strings", "{\"count\":\xff}", "/count", "must be valid UTF-8"},
		{"an overlong encoding", "{\"value\":\"\xc0\x80\"}", "/value", "must be valid UTF-8"},
		{"a high surrogate alone", `{"value":"\ud800"}`, "/value", "must not contain half of a surrogate pair"},
		{"a low surrogate alone", `{"value":"x\uDC00y"}`, "/value", "must not contain half of a surrogate pair"},
		{"two high surrogates", `{"value":"\ud800\ud800"}`, "/value", "must not contain half of a surrogate pair"},
		{"a surrogate in a raw member", `{"raw":["\udfff"]}`, "/raw/0", "must not contain half of a surrogate pair"},
		{"a NUL character in a value", `{"value":"a\u0000b"}`, "/value", "must not contain NUL characters"},
		{"a NUL character after a backslash", `{"value":"\\\u0000"}`, "/value", "must not contain NUL characters"},
		{"a NUL character in a name", `{"raw":{"a\u0000":1}}`, "/raw/a\x00", "must not contain NUL characters"},
		{"a NUL character in a raw member", `{"raw":[1,{"a":"\u0000"}]}`, "/raw/1/a", "must not contain NUL characters"},
		{"a NUL character before a fault", `{"value":"\u0000","value":1}`, "/value", "must not contain NUL characters"},
		{"a fault before a NUL character", `{"on":tru,"value":"\u0000"}`, "/on", "is not valid JSON at line 1, column 10"},

		{"an unknown field", `{"value":"a","valeu":"b"}`, "/valeu", "is not a known field"},
		{"an unknown field in an array", `{"items":[{"sku":"a"},{"price":1}]}`, "/items/1/price", "is not a known field"},
		{"a name in other case", `{"Value":"a"}`, "/Value", "is not a known field"},
		{"the Go name of a tagged field", `{"Untagged":"a","ID":1}`, "/ID", "is not a known field"},
		{"an unknown name to be escaped", `{"a/b~c":1}`, "/a~1b~0c", "is not a known field"},
		{"the empty name", `{"":1}`, "/", "is not a known field"},
		{"a very long name", `{"` + strings.Repeat("ä", long) + `":1}`, "/" + strings.Repeat("ä", 100) + "…", "is not a known field"},
		{"a duplicate name", `{"value":"a","value":"a"}`, "/value", "appears twice"},
		{"a duplicate name, escaped", `{"value":"a","v\u0061lue":"a"}`, "/value", "appears twice"},
		{"a duplicate name deep inside", `{"items":[{"sku":"a","sku":"b"}]}`, "/items/0/sku", "appears twice"},
		{"a duplicate name in a raw member", `{"raw":{"x":[{"a/b":1,"a/b":2}]}}`, "/raw/x/0/a~1b", "appears twice"},
		{"a duplicate name in a map", `{"labels":{"a":"1","a":"2"}}`, "/labels/a", "appears twice"},
		{"a duplicate name in any", `{"any":{"a":"1","a":"2"}}`, "/any/a", "appears twice"},

		{"an array for the document", `[]`, "", "must be an object"},
		{"null for the document", `null`, "", "must not be null"},
		{"a number for a string", `{"value":1}`, "/value", "must be a string"},
		{"an object for a string", `{"value":{"a":[1]}}`, "/value", "must be a string"},
		{"a number for an optional string", `{"remark":1}`, "/remark", "must be a string"},
		{"a string for a number", `{"count":"1"}`, "/count", "must be a whole number"},
		{"a boolean for an optional number", `{"limit":true}`, "/limit", "must be a whole number"},
		{"a fraction", `{"count":1.5}`, "/count", "must be a whole number without fraction and exponent"},
		{"a whole number with a fraction", `{"count":1.0}`, "/count", "must be a whole number without fraction and exponent"},
		{"an exponent", `{"id":1e3}`, "/id", "must be a whole number without fraction and exponent"},
		{"a number beyond int64", `{"id":9223372036854775808}`, "/id", "must be a whole number from -9223372036854775808 to 9223372036854775807"},
		{"a number beyond uint64", `{"id":-99999999999999999999999999}`, "/id", "must be a whole number from -9223372036854775808 to 9223372036854775807"},
		{"a number beyond a small integer", `{"small":128}`, "/small", "must be a whole number from -128 to 127"},
		{"a number beyond an unsigned integer", `{"unsigned":65536}`, "/unsigned", "must be a whole number from 0 to 65535"},
		{"a string for a float", `{"rate":"1"}`, "/rate", "must be a number"},
		{"a number beyond a float", `{"rate":1e999}`, "/rate", "is too large a number"},
		{"a number beyond a float in any", `{"any":[1e999]}`, "/any/0", "is too large a number"},
		{"a number for a boolean", `{"on":1}`, "/on", "must be true or false"},
		{"a string for a boolean", `{"on":"true"}`, "/on", "must be true or false"},
		{"an object for an array", `{"items":{}}`, "/items", "must be an array"},
		{"a string for an object", `{"items":["a"]}`, "/items/0", "must be an object"},
		{"an array for a map", `{"labels":[]}`, "/labels", "must be an object"},
		{"a number in a map of strings", `{"labels":{"a":"b","c":1}}`, "/labels/c", "must be a string"},
		{"too short an array", `{"pair":[1]}`, "/pair", "must be an array of 2 elements"},
		{"a wrong type in an embedded struct", `{"note":1}`, "/note", "must be a string"},
		{"text that is not base64", `{"data":"*"}`, "/data", "must be a string in base64"},
		{"a local time", `{"from":"2026-01-31 09:30"}`, "/from", "must be a time in RFC 3339, such as 2026-01-31T09:30:00Z"},
		{"an impossible time", `{"from":"2026-02-30T00:00:00Z"}`, "/from", "must be a time in RFC 3339, such as 2026-01-31T09:30:00Z"},
		{"a number for an optional time", `{"until":1767225600}`, "/until", "must be a time in RFC 3339, such as 2026-01-31T09:30:00Z"},
		{"a number for a text type", `{"uuid":1}`, "/uuid", "must be a string"},
		{"text that its type rejects", `{"uuid":"x"}`, "/uuid", "is not valid"},
		{"a value that its type rejects with a reason", `{"colour":"blue"}`, "/colour", "must be red"},
		{"a value that its type rejects with a Go error", `{"colour":"plaid"}`, "/colour", "is not valid"},
		{"a wrong type inside a type that decodes itself", `{"colour":1}`, "/colour", "must be a string"},

		{"null for a string", `{"value":null}`, "/value", "must not be null"},
		{"null for a number", `{"count":null}`, "/count", "must not be null"},
		{"null for a boolean", `{"on":null}`, "/on", "must not be null"},
		{"null for an array", `{"items":null}`, "/items", "must not be null"},
		{"null for an element", `{"items":[{"sku":"a"},null]}`, "/items/1", "must not be null"},
		{"null inside an element", `{"items":[{"sku":null}]}`, "/items/0/sku", "must not be null"},
		{"null for a map", `{"labels":null}`, "/labels", "must not be null"},
		{"null in a map", `{"labels":{"a":null}}`, "/labels/a", "must not be null"},
		{"null for a time", `{"from":null}`, "/from", "must not be null"},
		{"null for a text type", `{"uuid":null}`, "/uuid", "must not be null"},
		{"null for bytes", `{"data":null}`, "/data", "must not be null"},

		{"too deep in a raw member", `{"raw":` + nested(32) + `}`, "/raw" + strings.Repeat("/0", 31), "is nested more than 32 levels deep"},
		{"too deep in an unknown field", `{"x":` + nested(32) + `}`, "/x" + strings.Repeat("/0", 31), "is nested more than 32 levels deep"},
		{"very deep", nested(100_000), strings.Repeat("/0", 32), "is nested more than 32 levels deep"},
		{"very deep and unfinished", strings.Repeat(`{"a":`, 100_000), strings.Repeat("/a", 32), "is nested more than 32 levels deep"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := strictjson.Decode([]byte(test.body), &request{})

			var fault *strictjson.Error
			require.ErrorAs(t, err, &fault)
			require.Equal(t, strictjson.Error{Pointer: test.pointer, Message: test.message}, *fault)
			require.NotContains(t, err.Error(), "request")
			require.NotContains(t, err.Error(), "json:")
		})
	}
}

func TestTimesOutOfRangeAreRejected(t *testing.T) {
	for _, at := range []string{"0001-01-01T00:00:00Z", "1999-12-31T23:59:59.999999Z", "2000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-14:00"} {
		for _, body := range []string{`{"from":"` + at + `"}`, `{"until":"` + at + `"}`, `{"limit":null,"until":"` + at + `"}`} {
			var fault *strictjson.Error
			require.ErrorAs(t, strictjson.Decode([]byte(body), &request{}), &fault, body)
			require.Equal(t, "range", fault.Code, body)
			require.Contains(t, body, fault.Pointer[1:])
		}
	}
	var got request
	require.NoError(t, strictjson.Decode([]byte(`{"from":"2000-01-01T00:00:00-01:00","until":"9999-12-31T23:59:59.9999999Z"}`), &got))
	require.Equal(t, time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC), *got.Until)
}

func TestAcceptedInputArrivesWhole(t *testing.T) {
	var got request
	err := strictjson.Decode([]byte(` {
		"value":"a\"\\u0000\ud83d\udeb2 null", "count":-0, "small":-128, "id":9223372036854775807, "unsigned":65535,
		"rate":1e2, "on":true, "remark":"", "limit":null, "items":[{"sku":"x","quantity":2},{}], "labels":{"a":""},
		"raw": {"b": 1.0, "a":[9007199254740993, null]}, "from":"2026-01-31T09:30:00.123456+01:00",
		"any":[null,{"a":1}], "data":"AQI=", "pair":[1,2], "uuid":"0190b6a0-5f5e-7b1a-8c3d-111111111111",
		"colour":"red", "note":"n", "Untagged":"u"}
	`), &got)

	require.NoError(t, err)
	empty := ""
	require.Equal(t, request{
		Value: "a\"\\u0000\U0001F6B2 null", Small: -128, ID: 9223372036854775807, Unsigned: 65535,
		Rate: 100, On: true, Remark: &empty, Items: []item{{SKU: "x", Quantity: 2}, {}}, Labels: map[string]string{"a": ""},
		Raw:  json.RawMessage(`{"b": 1.0, "a":[9007199254740993, null]}`),
		From: time.Date(2026, 1, 31, 9, 30, 0, 123456000, time.UTC).Add(-time.Hour),
		Any:  []any{nil, map[string]any{"a": 1.0}}, Data: []byte{1, 2}, Pair: [2]int{1, 2},
		UUID: uuid.MustParse("0190b6a0-5f5e-7b1a-8c3d-111111111111"), Colour: "red",
		Embedded: Embedded{Note: "n"}, Untagged: "u",
	}, got)
}

func TestRawMembersDistinguishNullFromAbsent(t *testing.T) {
	var absent, null request
	require.NoError(t, strictjson.Decode([]byte(`{}`), &absent))
	require.NoError(t, strictjson.Decode([]byte(`{"raw":null}`), &null))

	require.Nil(t, absent.Raw)
	require.Equal(t, json.RawMessage(`null`), null.Raw)
}

func TestDocumentOfMaximumDepthIsAccepted(t *testing.T) {
	var raw json.RawMessage
	require.NoError(t, strictjson.Decode([]byte(nested(strictjson.MaxDepth)), &raw))
	require.Error(t, strictjson.Decode([]byte(nested(strictjson.MaxDepth+1)), &raw))

	brackets := `{"value":"` + strings.Repeat(`[{`, 100) + `"}`
	require.NoError(t, strictjson.Decode([]byte(brackets), &request{}), "brackets in a string are text")
}

func TestDecodedValueDoesNotAliasTheBody(t *testing.T) {
	body := []byte(`{"value":"a","raw":{"a":1}}`)
	var got request
	require.NoError(t, strictjson.Decode(body, &got))

	for i := range body {
		body[i] = 'x'
	}

	require.Equal(t, "a", got.Value)
	require.Equal(t, json.RawMessage(`{"a":1}`), got.Raw)
}

func TestProgramErrorsAreNotValidationErrors(t *testing.T) {
	targets := map[string]any{
		"a field without a JSON form": &struct{ Wait time.Duration }{},
		"a channel":                   &struct{ Wait chan int }{},
		"not a pointer":               request{},
		"nil":                         nil,
	}
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			err := strictjson.Decode([]byte(`{"Wait":1}`), target)

			var fault *strictjson.Error
			require.Error(t, err)
			require.False(t, errors.As(err, &fault), "%v", err)
		})
	}
}

func TestErrorsReadAsSentences(t *testing.T) {
	require.EqualError(t, strictjson.Decode(nil, &request{}), "the document must not be empty")
	require.EqualError(t, strictjson.Decode([]byte(`{"on":1}`), &request{}), "/on must be true or false")
}

func ExampleDecode() {
	var body struct {
		UserID int64 `json:"userId"`
	}
	err := strictjson.Decode([]byte(`{"userId":"7"}`), &body)
	fmt.Println(err)
	// Output: /userId must be a whole number
}
