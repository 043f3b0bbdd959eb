package config

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestValuesMatchTheirType(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     Content
		broken string // the pointer, "" for a good value
	}{
		{"a string is a string", Content{Value: `"x"`, ValueType: String}, ""},
		{"a number is not a string", Content{Value: `5`, ValueType: String}, "/value"},
		{"null is not a string", Content{Value: `null`, ValueType: String}, "/value"},
		{"a number is a number", Content{Value: `-5.25e2`, ValueType: Number}, ""},
		{"a number may be text", Content{Value: `"5"`, ValueType: Number}, ""},
		{"text after the number", Content{Value: `"5 apples"`, ValueType: Number}, "/value"},
		{"white space before the number", Content{Value: `" 5"`, ValueType: Number}, "/value"},
		{"two numbers", Content{Value: `"5 6"`, ValueType: Number}, "/value"},
		{"a leading zero", Content{Value: `"05"`, ValueType: Number}, "/value"},
		{"hexadecimal", Content{Value: `"0x10"`, ValueType: Number}, "/value"},
		{"infinity", Content{Value: `"Infinity"`, ValueType: Number}, "/value"},
		{"no number in the text", Content{Value: `""`, ValueType: Number}, "/value"},
		{"a number outside the range", Content{Value: `1e999`, ValueType: Number}, "/value"},
		{"a fraction outside the range", Content{Value: `1e-999999999999`, ValueType: Number}, "/value"},
		{"the same as text", Content{Value: `"1e999"`, ValueType: Number}, "/value"},
		{"a number in an object outside the range", Content{Value: `{"a/b":[1,1e999]}`, ValueType: JSON}, "/value/a~1b/1"},
		{"true", Content{Value: `true`, ValueType: Boolean}, ""},
		{"false as text", Content{Value: `"false"`, ValueType: Boolean}, ""},
		{"yes is not a boolean", Content{Value: `"yes"`, ValueType: Boolean}, "/value"},
		{"1 is no boolean", Content{Value: `1`, ValueType: Boolean}, "/value"},
		{"an object", Content{Value: `{"a":1}`, ValueType: JSON}, ""},
		{"null is JSON", Content{Value: `null`, ValueType: JSON}, ""},
		{"JSON as text", Content{Value: `"{\"a\":[1,2]}"`, ValueType: JSON}, ""},
		{"text that is not JSON", Content{Value: `"{\"a\":}"`, ValueType: JSON}, "/value/a"},
		{"text that names a member twice", Content{Value: `"{\"a\":1,\"a\":2}"`, ValueType: JSON}, "/value/a"},
		{"text that ends early", Content{Value: `"[1,"`, ValueType: JSON}, "/value"},
		{"an unknown type", Content{Value: `1`, ValueType: "integer"}, "/valueType"},
		{"no value", Content{ValueType: String}, "/value"},
		{"no value and no type", Content{}, "/value"},
		{"a long value", Content{Value: `"` + strings.Repeat("x", MaxValueBytes) + `"`, ValueType: String}, "/value"},
		{"a long remark", Content{Value: `1`, Remark: strings.Repeat("ü", MaxRemark+1)}, "/remark"},
		{"a remark of just the length", Content{Value: `1`, Remark: strings.Repeat("ü", MaxRemark)}, ""},
		{"a deep value", Content{Value: strings.Repeat("[", 29) + strings.Repeat("]", 29)}, "/value" + strings.Repeat("/0", 28)},
		{"a deep value as text", Content{Value: `"` + strings.Repeat("[", 29) + strings.Repeat("]", 29) + `"`, ValueType: JSON}, "/value" + strings.Repeat("/0", 28)},
		{"as deep as can be", Content{Value: strings.Repeat("[", 28) + strings.Repeat("]", 28)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, fields := checked(c.in, nil)
			if c.broken == "" {
				require.Empty(t, fields)
				return
			}
			require.Len(t, fields, 1)
			require.Equal(t, c.broken, fields[0].Pointer)
			require.NotEmpty(t, fields[0].Message)
		})
	}
}

func TestTypeIsInferredFromValue(t *testing.T) {
	for value, want := range map[string]Type{
		`"x"`: String, `"5"`: String, `5`: Number, `-1`: Number, `true`: Boolean, `false`: Boolean, `{}`: JSON, `[]`: JSON, `null`: JSON,
	} {
		content, fields := checked(Content{Value: value}, nil)
		require.Empty(t, fields)
		require.Equal(t, want, content.ValueType, value)
	}
}

func TestValuesAreValidatedAgainstSchema(t *testing.T) {
	const timeouts = `{"type":"object","properties":{"timeoutMs":{"type":"integer","minimum":1},"host/name":{"pattern":"^[a-z]+$"}},"required":["timeoutMs"]}`
	for _, c := range []struct {
		name, schema, value string
		t                   Type
		broken, code        string
	}{
		{"good", timeouts, `{"timeoutMs":5}`, JSON, "", ""},
		{"good as text", timeouts, `"{\"timeoutMs\":5}"`, JSON, "", ""},
		{"below the minimum", timeouts, `{"timeoutMs":0}`, JSON, "/value/timeoutMs", "minimum"},
		{"below the minimum as text", timeouts, `"{\"timeoutMs\":0}"`, JSON, "/value/timeoutMs", "minimum"},
		{"wrong type", timeouts, `{"timeoutMs":"5"}`, JSON, "/value/timeoutMs", "type"},
		{"missing member", timeouts, `{}`, JSON, "/value", "required"},
		{"escaped pointer", timeouts, `{"timeoutMs":1,"host/name":"X"}`, JSON, "/value/host~1name", "pattern"},
		{"a number as text is a number", `{"type":"number","maximum":9}`, `"10"`, Number, "/value", "maximum"},
		{"a boolean as text is a boolean", `{"const":true}`, `"true"`, Boolean, "", ""},
		{"inner reference", `{"$defs":{"p":{"type":"integer"}},"items":{"$ref":"#/$defs/p"}}`, `[1,"x"]`, JSON, "/value/1", "type"},
		{"nothing goes", `false`, `1`, Number, "/value", "schema"},
		{"anything goes", `true`, `1`, Number, "", ""},
		{"an older draft", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"p":{"type":"integer"}},"$ref":"#/definitions/p"}`, `"x"`, String, "/value", "type"},
		{"prefixItems of 2020-12", `{"prefixItems":[{"type":"string"}]}`, `[1]`, JSON, "/value/0", "type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, fields := checked(Content{Value: c.value, ValueType: c.t, Schema: c.schema}, nil)
			if c.broken == "" {
				require.Empty(t, fields)
				return
			}
			require.Len(t, fields, 1)
			require.Equal(t, c.broken, fields[0].Pointer)
			require.Equal(t, c.code, fields[0].Code)
		})
	}
}

func TestUnusableSchemasAreRejected(t *testing.T) {
	doubling := `{"$defs":{`
	for i := range 40 {
		next := string(rune('a'+(i+1)%26)) + string(rune('a'+(i+1)/26))
		doubling += `"` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `":{"allOf":[{"$ref":"#/$defs/` + next + `"},{"$ref":"#/$defs/` + next + `"}]},`
	}
	doubling += `"` + string(rune('a'+40%26)) + string(rune('a'+40/26)) + `":{"type":"number"}},"$ref":"#/$defs/aa"}`

	for _, c := range []struct{ name, schema, says string }{
		{"a wrong keyword value", `{"type":"strnig"}`, "/type"},
		{"a number where a schema belongs", `{"properties":{"a":5}}`, "/properties/a"},
		{"a pattern that is none", `{"pattern":"("}`, "/pattern"},
		{"a pattern that would run away elsewhere", `{"pattern":"(?=a)"}`, "/pattern"},
		{"a remote reference", `{"$ref":"https://127.0.0.1:1/schema.json"}`, "only refer to itself"},
		{"a file reference", `{"$ref":"file:///etc/passwd"}`, "only refer to itself"},
		{"a relative reference", `{"$ref":"other.json"}`, "only refer to itself"},
		{"an unknown draft", `{"$schema":"https://127.0.0.1:1/draft"}`, "only refer to itself"},
		{"a reference into nothing", `{"$ref":"#/$defs/none"}`, "none"},
		{"references that double at each level", doubling, "too many steps"},
		{"too long", `{"title":"` + strings.Repeat("x", MaxSchemaBytes) + `"}`, "32 KiB"},
		{"a number outside the range", `{"maximum":1e999999}`, "outside the range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, fields := checked(Content{Value: `1`, ValueType: Number, Schema: c.schema}, nil)
			require.Len(t, fields, 1)
			require.True(t, strings.HasPrefix(fields[0].Pointer, "/schema"), fields[0].Pointer)
			require.Contains(t, fields[0].Message, c.says)
		})
	}
}

// again returns a schema that applies another one to a value 2^30 times.
func again(leaf string, more ...string) string {
	defs := `"l0":` + leaf
	for i := range 30 {
		defs += fmt.Sprintf(`,"l%d":{"allOf":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]}`, i+1, i, i)
	}
	for _, def := range more {
		defs += "," + def
	}
	return `{"$defs":{` + defs + `},"$ref":"#/$defs/l30"}`
}

// Validation work is budgeted: each of these schemas would run for minutes.
func TestExpensiveSchemaIsRejectedQuickly(t *testing.T) {
	long := strings.Repeat("a", MaxValueBytes-2)
	many := make([]string, 150)
	for i := range many {
		many[i] = fmt.Sprintf(`{"pattern":"(a|a?){8}%d$"}`, i)
	}
	numbers := "[" + strings.Repeat("7,", 120_000) + "7]"
	listed := make([]string, 5_000)
	for i := range listed {
		listed[i] = strconv.Itoa(100 + i)
	}
	for _, c := range []struct {
		name, value string
		t           Type
		schema      string
		says        string
	}{
		{"many patterns over a long text", strconv.Quote(long), String, `{"allOf":[` + strings.Join(many, ",") + `]}`, "too many steps"},
		{"one large pattern", strconv.Quote(long), String, `{"pattern":"((a|b|c|d){30}(x?){30}){15}$"}`, "too many steps"},
		{"a pattern that compiles to millions", `"a"`, String, `{"pattern":"(` + strings.Repeat("abcdefghij", 100) + `){900}"}`, "not a JSON Schema that can be used"},
		{"a long list that is searched for many values", numbers, JSON, `{"items":{"enum":[` + strings.Join(listed, ",") + `]}}`, "too many steps"},
		{"a long array that is validated again and again", numbers, JSON, again(`{"items":{"type":"string"}}`), "too many steps"},
		{"a list that is searched again and again", "[" + strings.Repeat("7,", 300) + "7]", JSON, again(`{"items":{"$ref":"#/$defs/list"}}`, `"list":{"enum":[`+strings.Join(listed[:4000], ",")+`]}`), "too many steps"},
		{"patterns of names", `{"` + strings.Repeat("a", 200_000) + `":1}`, JSON, `{"patternProperties":{"(a|a?){200}(x?){200}$":true}}`, "too many steps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := processorTime(t)
			_, fields := checked(Content{Value: c.value, ValueType: c.t, Schema: c.schema}, nil)
			// Less than a second; under the race detector twenty times that.
			require.Less(t, processorTime(t)-start, 20*time.Second)
			require.Len(t, fields, 1)
			require.Equal(t, "/schema", fields[0].Pointer)
			require.Contains(t, fields[0].Message, c.says)
		})
	}
	ordinary := `{"type":"object","properties":{"email":{"pattern":"^[^@ ]{1,64}@[a-z0-9.-]{1,200}$"}},"patternProperties":{"^x-[a-z]{1,30}$":{"enum":["a","b"]}}}`
	_, fields := checked(Content{Value: `{"email":"li@example.com","x-a":"b"}`, ValueType: JSON, Schema: ordinary}, nil)
	require.Empty(t, fields)
}

// processorTime returns the CPU time of this process, which concurrent processes do not affect.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestSchemaValidationStopsWithRequest(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	w := newWork(ctx)
	schema := Content{Value: `[` + strings.Repeat("7,", 1000) + `7]`, ValueType: JSON, Schema: `{"items":{"minimum":1}}`}
	_, fields := checked(schema, w)
	require.Empty(t, fields)
	end()
	_, fields = checked(schema, w)
	require.Len(t, fields, 1)
	require.Contains(t, fields[0].Message, "the request has ended")
}

func TestRecursiveSchemaReferenceIsRejected(t *testing.T) {
	_, fields := checked(Content{Value: `1`, ValueType: Number, Schema: `{"$ref":"#"}`}, nil)
	require.Len(t, fields, 1)
}

func TestKeysAreAddressable(t *testing.T) {
	for _, good := range []string{"a", "Shop.tax_rate-2", "...", "a/b[0]:c", "a/../b", strings.Repeat("/", 200)} {
		require.Empty(t, checkKey(good), good)
		require.True(t, isKey(good))
	}
	for bad, code := range map[string]string{
		"": "required", "a b": "pattern", "a%2Fb": "pattern", "a~b": "pattern", `a\b`: "pattern", "ü": "pattern", "a\n": "pattern", "a ": "pattern", strings.Repeat("k", 201): "pattern",
		"export": "reserved", "import": "reserved", "snapshot": "reserved", "watch": "reserved", ".": "reserved", "..": "reserved",
	} {
		fields := checkKey(bad)
		require.Len(t, fields, 1, bad)
		require.Equal(t, "/key", fields[0].Pointer)
		require.Equal(t, code, fields[0].Code, bad)
		require.Equal(t, code == "reserved", isKey(bad), bad)
	}
}
