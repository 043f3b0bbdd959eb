package tablefile

import (
	"slices"
	"strings"

	"golang.org/x/text/width"

	"interlock/internal/base/clip"
)

// maxText is the maximum length of the text of a rejected cell or an example, in characters.
const maxText = 100

// rowReader reads the values of rows.
type rowReader struct {
	kind Kind
	// columns are the columns of the kind that the file has, with their indexes in the file.
	columns []usedColumn
	headers []FileColumn
	// groupIndex is the index of the group in the file; -1 for none.
	groupIndex int
	// group is the group of the row before, and inherited has its values.
	group     string
	inherited map[string]string
	// isAfterRejected is true if the line before has no cells: it may belong to the next group.
	isAfterRejected bool
	// hasFirst is true if the first line of the group has cells.
	hasFirst bool
}

// usedColumn is a column of the kind with its indexes in the file, the parts of its text last.
type usedColumn struct {
	Column
	indexes []int
}

func newRowReader(kind Kind, headers []FileColumn) *rowReader {
	r := &rowReader{kind: kind, headers: headers, groupIndex: -1}
	for _, column := range kind.Columns {
		used := usedColumn{Column: column}
		for i, header := range headers {
			if header.Use == column.Name {
				used.indexes = append(used.indexes, i)
			}
		}
		slices.SortStableFunc(used.indexes, func(a, b int) int {
			return count(used.isPart(headers[a].Header)) - count(used.isPart(headers[b].Header))
		})
		switch {
		case len(used.indexes) == 0:
		case column.Name == kind.Group:
			r.groupIndex = used.indexes[0]
		default:
			r.columns = append(r.columns, used)
		}
	}
	return r
}

// numbers returns the cells of the columns with numbers.
func (r *rowReader) numbers(rows []record) (cells []string) {
	for _, column := range r.columns {
		if column.Type != Number && column.Type != Whole {
			continue
		}
		for _, row := range rows {
			if row.code == "" {
				cells = append(cells, row.cells[column.indexes[0]])
			}
		}
	}
	return cells
}

// isPart reports whether a header is that of a part of the text.
func (c usedColumn) isPart(header string) bool { return slices.Contains(c.Parts, headerKey(header)) }

// read returns the values of a row, or its rejection.
func (r *rowReader) read(row record, decimal Decimal) (map[string]string, *Rejected) {
	if row.code != "" {
		r.isAfterRejected = true
		return nil, &Rejected{Span: row.Span, Code: row.code}
	}
	r.startGroup(row)
	if code := r.inherit(row); code != "" {
		return nil, &Rejected{Span: row.Span, Code: code}
	}
	values := map[string]string{}
	for _, column := range r.columns {
		text := r.text(row, column)
		if text == "" {
			continue
		}
		value, code := column.value(text, decimal)
		if code != "" {
			header := r.headers[column.indexes[0]].Header
			return nil, &Rejected{Span: row.Span, Code: code, Column: header, Text: clip.Text(text, maxText)}
		}
		values[column.Name] = value
	}
	if values[r.kind.Columns[0].Name] == "" {
		return nil, &Rejected{Span: row.Span, Code: NoValue}
	}
	return values, nil
}

// startGroup compares the group of a row with that of the row before.
func (r *rowReader) startGroup(row record) {
	if r.groupIndex >= 0 && (row.cells[r.groupIndex] != r.group || r.inherited == nil) {
		r.group, r.inherited, r.hasFirst = row.cells[r.groupIndex], map[string]string{}, !r.isAfterRejected
	}
	r.isAfterRejected = false
}

// inherit stores the texts of a row for the rows after it in its group, even if the row is rejected for
// one of them. It returns NoFirstLine if the row may have values of a rejected line.
func (r *rowReader) inherit(row record) Code {
	for _, column := range r.columns {
		if !column.Inherits || r.group == "" {
			continue
		}
		if text := row.cells[column.indexes[0]]; text != "" {
			r.inherited[column.Name] = text
		} else if r.inherited[column.Name] == "" && !r.hasFirst {
			return NoFirstLine
		}
	}
	return ""
}

// text returns the text of a column: its cell, or that of the row before in the same group, and the
// cells of its parts.
func (r *rowReader) text(row record, column usedColumn) string {
	text := row.cells[column.indexes[0]]
	if text == "" && column.Inherits && r.group != "" {
		text = r.inherited[column.Name]
	}
	var parts []string
	for _, i := range column.indexes[1:] {
		// Shopify writes "Default Title" for a product without variants.
		if part := row.cells[i]; part != "" && part != "Default Title" {
			parts = append(parts, part)
		}
	}
	if text == "" || len(parts) == 0 {
		return text
	}
	return text + " - " + strings.Join(parts, " / ")
}

func (c usedColumn) value(text string, decimal Decimal) (value string, code Code) {
	switch c.Type {
	case Number, Whole:
		return number(text, decimal, c.Type == Whole)
	case Choice:
		value, ok := c.Values[strings.ToLower(width.Fold.String(text))]
		if !ok {
			return "", UnknownValue
		}
		return value, ""
	default:
		return text, ""
	}
}
