// Package tablefile reads tables that people export from spreadsheets and shops.
//
// Invariants:
//
//   - A value never contains a replacement character. A line with bytes that are invalid in the
//     encoding is rejected.
//   - A header is never a row, even if it is unknown: a table has rows only if its header, or the
//     caller, maps the column that identifies a row.
//   - Each line of the file is part of one row, part of one rejected line, or empty.
package tablefile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
)

// MaxRows is the maximum number of rows of a file with its header, because a reply contains all of them.
const MaxRows = 20_000

// Type is the type of the values of a column.
type Type int

// The types. Values of Number have a decimal point, such as 12.5, and those of Whole are integers.
const (
	Text Type = iota
	Number
	Whole
	Choice
)

// Column is a column that a kind of table can have.
type Column struct {
	// Name is the key of the values.
	Name string
	Type Type
	// Headers are the known headers in files, the most specific first, as headerKey returns them.
	Headers []string
	// Fallbacks are headers that are used only if the file has none of Headers and none of Doubtful.
	Fallbacks []string
	// Doubtful are headers of columns that may contain the value of this column, or another one.
	Doubtful []string
	// Parts are the headers of columns with text that follows the text of this column.
	Parts []string
	// Inherits is true if an empty cell has the value of the row before it in the same group.
	Inherits bool
	// Values are the values of a Choice, by their names in files, in small letters.
	Values map[string]string
}

// Kind is a kind of table. Its first column identifies a row.
type Kind struct {
	Name    string
	Columns []Column
	// Group is the name of the column with equal values in the rows of one group; "" for none.
	Group string
}

// Names returns the names of the columns.
func (k Kind) Names() []string {
	names := make([]string, len(k.Columns))
	for i, column := range k.Columns {
		names[i] = column.Name
	}
	return names
}

func (k Kind) column(name string) (Column, bool) {
	i := slices.IndexFunc(k.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return k.Columns[i], true
}

// limited returns the kind with only the named columns. Errors: MalformedRequest.
func (k Kind) limited(names []string) (Kind, error) {
	if len(names) == 0 {
		return k, nil
	}
	columns := make([]Column, 0, len(names))
	for _, name := range names {
		column, ok := k.column(name)
		if !ok {
			return k, apperr.Malformed("?columns", fmt.Sprintf("contains %q; the columns are %s", name, strings.Join(k.Names(), ", ")))
		}
		columns = append(columns, column)
	}
	k.Columns = columns
	return k, nil
}

// Options are decisions of the caller. Read detects those that are absent.
type Options struct {
	Encoding Encoding
	// Separator is 0, a tab, a semicolon, a comma or a vertical bar.
	Separator rune
	Decimal   Decimal
	// Header states whether the first line contains the headers.
	Header *bool
	// Mapping has the name of a column for each column of the file; "" ignores it.
	Mapping []string
	// Columns are the columns to read, the one that identifies a row first; nil for all.
	Columns []string
}

// Table is the content of a file.
type Table struct {
	Encoding Encoding
	// Encodings are all encodings in which the file is valid, the most likely first.
	Encodings []Encoding
	Separator rune
	// Decimal is "" if the numbers of the file prove no style.
	Decimal   Decimal
	HasHeader bool
	// Columns is empty for a list of names.
	Columns []FileColumn
	// IsMapped is true if a column identifies the rows. If it is false, Columns is a proposal, and
	// no line is read.
	IsMapped bool
	Rows     []Row
	Rejected []Rejected
}

// FileColumn is a column of the file.
type FileColumn struct {
	// Header is "" without a header.
	Header string
	// Use is the name of the column of the kind; "" if the column is ignored.
	Use string
	// Example is the start of the first cell of the column that is not in the header.
	Example string
}

// Row is a row of the file. Values contains no empty values.
type Row struct {
	Span
	Values map[string]string
}

// Read reads a file as a table of a kind. Errors: UnsupportedMediaType if the file is not text,
// MalformedRequest for wrong options, PayloadTooLarge for too many rows.
func Read(content []byte, kind Kind, options Options) (*Table, error) {
	kind, err := kind.limited(options.Columns)
	if err != nil {
		return nil, err
	}
	// Programs of DOS end a file with this character.
	content = bytes.TrimSuffix(content, []byte{0x1a})
	table := &Table{Encodings: byKnownHeaders(encodingsOf(content), content, kind), Encoding: options.Encoding}
	if table.Encoding == "" {
		if len(table.Encodings) == 0 {
			return nil, notText(content)
		}
		table.Encoding = table.Encodings[0]
	}
	g := split(decode(content, table.Encoding), options.Separator)
	if len(g.records) > MaxRows {
		return nil, apperr.New(apperr.PayloadTooLarge, "The file has more than %d rows. Split it.", MaxRows)
	}
	table.Separator = g.separator
	if len(kind.Columns) == 1 && options.Mapping == nil && table.readList(g, kind, options) {
		return table, nil
	}
	return table, table.readColumns(g, kind, options)
}

func notText(content []byte) error {
	if bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		return apperr.New(apperr.UnsupportedMediaType, "The file is a workbook. Save the table as CSV, in UTF-8, and send that file.")
	}
	return apperr.New(apperr.UnsupportedMediaType, "The file is not text. Save the table as CSV, in UTF-8, and send that file.")
}

// readColumns maps the columns of the file and reads its rows.
func (t *Table) readColumns(g grid, kind Kind, options Options) error {
	if len(g.records) == 0 {
		return nil
	}
	head := g.records[0]
	if head.code != "" {
		t.Rejected = []Rejected{{Span: head.Span, Code: head.code}}
		return nil
	}
	m, err := mappingOf(g.records, kind, options)
	if err != nil {
		return err
	}
	t.HasHeader, t.IsMapped = m.hasHeader, m.isComplete
	rows := g.records
	if m.hasHeader {
		rows = rows[1:]
	}
	t.Columns = fileColumns(head, rows, m)
	if !t.IsMapped {
		return nil
	}
	r := newRowReader(kind, t.Columns)
	t.Decimal = options.Decimal
	if t.Decimal == "" {
		t.Decimal = decimalOf(r.numbers(rows))
	}
	for _, row := range rows {
		values, rejected := r.read(row, t.Decimal)
		if rejected != nil {
			t.Rejected = append(t.Rejected, *rejected)
			continue
		}
		t.Rows = append(t.Rows, Row{Span: row.Span, Values: values})
	}
	return nil
}

func fileColumns(head record, rows []record, m mapping) []FileColumn {
	columns := make([]FileColumn, len(head.cells))
	for i, cell := range head.cells {
		columns[i] = FileColumn{Use: m.uses[i]}
		if m.hasHeader {
			columns[i].Header = cell
		}
		for _, row := range rows {
			if row.code == "" && row.cells[i] != "" {
				columns[i].Example = clip.Text(row.cells[i], maxText)
				break
			}
		}
	}
	return columns
}
