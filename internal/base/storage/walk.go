package storage

import (
	"context"
	"encoding/json"
	"errors"
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

// Walk calls step with the position after the previous step, nil for the first, until step returns
// nil or an error.
func Walk(ctx context.Context, step func(after []any) (next []any, err error)) error {
	for after := []any(nil); ; {
		next, err := step(after)
		if err != nil || next == nil {
			return err
		}
		if after = next; ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// Rows reads the rows of a statement. Its last columns are the parts of a position.
// fields returns the destinations of the other columns, and stores the position in the row.
func Rows[T any](ctx context.Context, db *DB, parts int, statement string, values []any, fields func(row *T, position []any) []any) (list []T, err error) {
	rows, err := db.Read(ctx).Raw(statement, values...).Rows()
	if err != nil {
		return nil, db.Classify(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var row T
		position := make([]any, parts)
		into := fields(&row, position)
		for i := range position {
			into = append(into, &position[i])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for i, part := range position {
			if text, ok := part.([]byte); ok { // the text protocol of MySQL returns bytes for text
				position[i] = string(text)
			}
		}
		list = append(list, row)
	}
	return list, db.Classify(rows.Err())
}

// EncodePosition encodes a position of numbers and texts for a column; nil is "".
func EncodePosition(position []any) (string, error) {
	if position == nil {
		return "", nil
	}
	text, err := json.Marshal(position)
	return string(text), err
}

// DecodePosition decodes the result of EncodePosition.
func DecodePosition(text string) ([]any, error) {
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
