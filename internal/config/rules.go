package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"interlock/internal/base/apperr"
	"interlock/internal/base/strictjson"
)

const (
	// maxDepth bounds the nesting of a value or schema, so that it fits into a batch request:
	// {"changes":[{"patch":{"value":…}}]}.
	maxDepth = strictjson.MaxDepth - 4
	// maxExponent limits numbers to the range of a double.
	maxExponent = 308
)

// checked returns the content in its stored form, with the inferred type if it had none, and its
// violations. Pointers are relative to the content. Schema validation spends from w; nil means
// a new budget.
func checked(c Content, w *work) (Content, []apperr.Field) {
	if w == nil {
		w = newWork(context.Background())
	}
	var fields []apperr.Field
	if n := utf8.RuneCountInString(c.Remark); n > MaxRemark {
		fields = append(fields, apperr.Field{Pointer: "/remark", Code: "max", Message: fmt.Sprintf("must have at most %d characters", MaxRemark)})
	}
	switch c.ValueType {
	case "":
		c.ValueType = inferType(c.Value)
	case String, Number, Boolean, JSON:
	default:
		return c, append(fields, apperr.Field{Pointer: "/valueType", Code: "oneof", Message: "must be one of string, number, boolean, json"})
	}
	if c.Value == "" {
		return c, append(fields, apperr.Field{Pointer: "/value", Code: "required", Message: "is required"})
	}
	if fault := normalise(&c.Value, "/value", MaxValueBytes); fault != nil {
		return c, append(fields, *fault)
	}
	value, faults := decoded(c.ValueType, c.Value)
	if len(faults) > 0 {
		if c.Secret && faults[0].Code == "json" {
			// The parser's message can quote a part of the value.
			faults = textFault(nil)
		}
		return c, append(fields, faults...)
	}
	if c.Schema == "" {
		return c, fields
	}
	if fault := normalise(&c.Schema, "/schema", MaxSchemaBytes); fault != nil {
		return c, append(fields, *fault)
	}
	violations := checkSchema(c.Schema, value, w)
	if c.Secret {
		violations = unquoted(violations)
	}
	return c, append(fields, violations...)
}

// inferType returns the type of a JSON value.
func inferType(value string) Type {
	switch jsontext.Value(value).Kind() {
	case '"':
		return String
	case '0':
		return Number
	case 't', 'f':
		return Boolean
	}
	return JSON
}

// normalise drops white space and redundant escapes. Member order and number notation are
// unchanged.
func normalise(text *string, pointer string, limit int) *apperr.Field {
	value := jsontext.Value(*text)
	if err := value.Format(); err != nil {
		return &apperr.Field{Pointer: pointer, Code: "json", Message: "must be one JSON value"}
	}
	if len(value) > limit {
		return &apperr.Field{Pointer: pointer, Code: "max", Message: fmt.Sprintf("must have at most %d KiB as JSON", limit>>10)}
	}
	*text = string(value)
	return nil
}

// decoded returns the value of a JSON text as a type, in the form that package jsonschema accepts,
// and its violations.
func decoded(t Type, text string) (any, []apperr.Field) {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, []apperr.Field{{Pointer: "/value", Code: "json", Message: "must be one JSON value"}}
	}
	inner, isText := value.(string)
	switch t {
	case String:
		if !isText {
			return nil, typeFault("must be a string, as required by valueType")
		}
		return value, nil
	case Number:
		if isText && jsontext.Value(inner).Kind() == '0' && isTrimmed(inner) && jsontext.Value(inner).IsValid() {
			value = json.Number(inner)
		}
		if _, ok := value.(json.Number); !ok {
			return nil, typeFault("must be a number, or exactly one number in a string, as required by valueType")
		}
	case Boolean:
		if isText && (inner == "true" || inner == "false") {
			value = inner == "true"
		}
		if _, ok := value.(bool); !ok {
			return nil, typeFault("must be true or false, as required by valueType")
		}
		return value, nil
	case JSON:
		if isText {
			if value, err = parseText(inner); err != nil {
				return nil, textFault(err)
			}
		}
	}
	return value, appendTreeFaults(nil, "/value", value, 1)
}

func isTrimmed(text string) bool { return strings.Trim(text, " \t\r\n") == text }

func typeFault(message string) []apperr.Field {
	return []apperr.Field{{Pointer: "/value", Code: "type", Message: message}}
}

// parseText parses JSON text in a string with the strictness of a request body.
func parseText(text string) (any, error) {
	var raw json.RawMessage
	if err := strictjson.Decode([]byte(text), &raw); err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(raw))
}

func textFault(err error) []apperr.Field {
	var at *strictjson.Error
	if !errors.As(err, &at) {
		return []apperr.Field{{Pointer: "/value", Code: "json", Message: "must contain JSON text, as required by valueType"}}
	}
	message := at.Message
	if at.Pointer == "" {
		message = "must contain JSON text, as required by valueType, but " + at.Message
	}
	return []apperr.Field{{Pointer: "/value" + at.Pointer, Code: "json", Message: message}}
}

// appendTreeFaults appends the numbers and the nesting in a tree that exceed the limits.
func appendTreeFaults(faults []apperr.Field, pointer string, value any, depth int) []apperr.Field {
	switch v := value.(type) {
	case json.Number:
		if !isDouble(v.String()) {
			return append(faults, apperr.Field{Pointer: pointer, Code: "range", Message: "is a number outside the range of a double"})
		}
	case map[string]any:
		if depth > maxDepth {
			return append(faults, tooDeep(pointer))
		}
		for name, member := range v {
			faults = appendTreeFaults(faults, pointer+"/"+escapePointer(name), member, depth+1)
		}
	case []any:
		if depth > maxDepth {
			return append(faults, tooDeep(pointer))
		}
		for i, element := range v {
			faults = appendTreeFaults(faults, pointer+"/"+strconv.Itoa(i), element, depth+1)
		}
	}
	return faults
}

func tooDeep(pointer string) apperr.Field {
	return apperr.Field{Pointer: pointer, Code: "depth", Message: fmt.Sprintf("is nested more than %d levels deep", maxDepth)}
}

// isDouble reports whether a number is in the range of a double.
func isDouble(number string) bool {
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(number[i+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return false
		}
	}
	_, err := strconv.ParseFloat(number, 64)
	return err == nil
}

// unquoted replaces the validator's messages, because they quote the value.
func unquoted(fields []apperr.Field) []apperr.Field {
	for i, field := range fields {
		if strings.HasPrefix(field.Pointer, "/value") {
			fields[i] = apperr.Field{Pointer: "/value", Code: field.Code, Message: fmt.Sprintf("breaks the rule %q of its schema", field.Code)}
		}
	}
	return fields
}
