package storage

import (
	"encoding/json"
	"slices"
	"strings"
)

// Behind returns the condition, with its values, that a row x of a table is after a position
// in the order of a key: (x.a, x.b) > (?, ?). SQLite uses an index for this form, MySQL
// only for the expanded form. A nil position is before all rows.
func (d Dialect) Behind(key []string, position []any) (string, []any) {
	switch {
	case position == nil:
		return "1 = 1", nil
	case d == SQLite:
		return "(x." + strings.Join(key, ", x.") + ") > (?" + strings.Repeat(", ?", len(key)-1) + ")", slices.Clone(position)
	}
	var alternatives []string
	var values []any
	for i := range key {
		var equal strings.Builder
		for j := range i {
			equal.WriteString("x." + key[j] + " = ? AND ")
			values = append(values, position[j])
		}
		alternatives = append(alternatives, "("+equal.String()+"x."+key[i]+" > ?)")
		values = append(values, position[i])
	}
	return "(" + strings.Join(alternatives, " OR ") + ")", values
}

// ScannedPosition converts a position that was read with a statement of either engine: MySQL's
// text protocol returns bytes for text.
func ScannedPosition(values []any) []any {
	for i, value := range values {
		if text, ok := value.([]byte); ok {
			values[i] = string(text)
		}
	}
	return values
}

// EncodePosition encodes a position of numbers and texts for a column; nil is "".
func EncodePosition(position []any) (string, error) {
	if position == nil {
		return "", nil
	}
	text, err := json.Marshal(position)
	return string(text), err
}

// DecodePlace decodes the result of EncodePosition.
func DecodePlace(text string) ([]any, error) {
	if text == "" {
		return nil, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		return nil, err
	}
	position := make([]any, len(parts))
	for i, part := range parts {
		var number int64
		if json.Unmarshal(part, &number) == nil {
			position[i] = number
			continue
		}
		var word string
		if err := json.Unmarshal(part, &word); err != nil {
			return nil, err
		}
		position[i] = word
	}
	return position, nil
}
