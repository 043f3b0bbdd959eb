package storage

import (
	"encoding/json"
	"slices"
	"strings"
)

// Behind is the condition that a row x of a table stands behind a place in the order of a key,
// (x.a, x.b) > (?, ?), with its values. SQLite finds it by an index as it is, and MySQL when it
// is written out. A place that is nil is before all rows.
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

// ScannedPlace is a place as a statement of either engine gave it: MySQL's text protocol has
// bytes for text.
func ScannedPlace(values []any) []any {
	for i, value := range values {
		if text, ok := value.([]byte); ok {
			values[i] = string(text)
		}
	}
	return values
}

// EncodePlace writes a place of numbers and texts such that it can be kept in a column; ""
// for nil.
func EncodePlace(place []any) (string, error) {
	if place == nil {
		return "", nil
	}
	text, err := json.Marshal(place)
	return string(text), err
}

// DecodePlace reads what EncodePlace wrote.
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
