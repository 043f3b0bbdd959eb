package storage

import (
	"encoding/json"
	"slices"
	"strings"
)

// Behind returns the condition, with its values, that a row x of a table is after a place
// in the order of a key: (x.a, x.b) > (?, ?). SQLite uses an index for this form, MySQL
// only for the expanded form. A nil place is before all rows.
func (d Dialect) Behind(key []string, place []any) (string, []any) {
	switch {
	case place == nil:
		return "1 = 1", nil
	case d == SQLite:
		return "(x." + strings.Join(key, ", x.") + ") > (?" + strings.Repeat(", ?", len(key)-1) + ")", slices.Clone(place)
	}
	var alternatives []string
	var values []any
	for i := range key {
		var equal strings.Builder
		for j := range i {
			equal.WriteString("x." + key[j] + " = ? AND ")
			values = append(values, place[j])
		}
		alternatives = append(alternatives, "("+equal.String()+"x."+key[i]+" > ?)")
		values = append(values, place[i])
	}
	return "(" + strings.Join(alternatives, " OR ") + ")", values
}

// ScannedPlace converts a place that was read with a statement of either engine: MySQL's
// text protocol returns bytes for text.
func ScannedPlace(values []any) []any {
	for i, value := range values {
		if text, ok := value.([]byte); ok {
			values[i] = string(text)
		}
	}
	return values
}

// EncodePlace encodes a place of numbers and texts for a column; nil is "".
func EncodePlace(place []any) (string, error) {
	if place == nil {
		return "", nil
	}
	text, err := json.Marshal(place)
	return string(text), err
}

// DecodePlace decodes the result of EncodePlace.
func DecodePlace(text string) ([]any, error) {
	if text == "" {
		return nil, nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		return nil, err
	}
	place := make([]any, len(parts))
	for i, part := range parts {
		var number int64
		if json.Unmarshal(part, &number) == nil {
			place[i] = number
			continue
		}
		var word string
		if err := json.Unmarshal(part, &word); err != nil {
			return nil, err
		}
		place[i] = word
	}
	return place, nil
}
