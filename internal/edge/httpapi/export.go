package httpapi

import (
	"bufio"
	"context"
	"encoding"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/strictjson"
	"interlock/internal/base/tablefile"
)

// ExportFormat is the format of an export.
type ExportFormat string

// The formats of exports.
const (
	CSV       ExportFormat = "csv"
	JSONLines ExportFormat = "jsonl"
)

// Enum returns the values in the contract.
func (ExportFormat) Enum() []string { return []string{string(CSV), string(JSONLines)} }

// ExportRequest is embedded in the request of an export.
type ExportRequest struct {
	Format OneOf[ExportFormat] `query:"format" default:"csv"`
}

func (r ExportRequest) format() ExportFormat { return r.Format.Value }

// Exported is the reply of an export with rows of V, for the contract.
type Exported[V any] struct{ Row V }

// ExportEnd is the last line of an export as JSON lines. An export without it is incomplete.
type ExportEnd struct {
	// The number of preceding lines.
	Rows int64 `json:"rows" validate:"min=0"`
}

// SchemaName returns the name of the type in the contract.
func (ExportEnd) SchemaName() string { return "ExportEnd" }

// ExportDoc describes the formats of an export in the contract.
const ExportDoc = "CSV (RFC 4180, UTF-8) has a header and a column for each member; a member of an object has a column such as `payment.method`, lists and maps are JSON, " +
	"and text that starts like a formula has an apostrophe before it. JSON lines end with the number of rows. " +
	"If the export fails, the connection is closed before the end of the body. HEAD is not possible."

// Export registers a GET that streams all rows of a list to a file with that name, without an
// extension. fn calls write for each row; it must hold no transaction, because a client can read
// slowly. The export is not limited by the time of a request; it ends when the caller loses the
// permission, and when the server shuts down. If it ends early, the connection is closed before the
// end of the body, so that the client detects the cut.
//
// CSV (RFC 4180, UTF-8, with a header) has a column for each member of V; a member of an object has
// the column "payment.method"; lists and maps are JSON. Text that a spreadsheet would evaluate as a
// formula gets an apostrophe before it.
func Export[In interface{ format() ExportFormat }, V any](
	r *Router, path, permission, name string, fn func(ctx context.Context, in In, write func(V) error) error,
) *Route {
	shape := shapeOf[In]()
	columns := columnsOf(reflect.TypeFor[V](), "", nil)
	return add[In, Exported[V]](r, Route{Method: http.MethodGet, Path: path, Permission: permission, Export: true, Needs: shape.needs}, func(c echo.Context) error {
		_, in, err := receive[None, In](c, shape, nothing)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(c.Request().Context())
		defer cancel()
		s, leave, err := r.open(ctx, cancel, c, permission)
		if err != nil {
			return err
		}
		defer leave()
		e := newExport(s, name, in.format(), columns)
		err = fn(ctx, in, func(row V) error { return e.write(reflect.ValueOf(row)) })
		if err == nil {
			err = e.finish()
		}
		if err == nil || !s.started {
			return err
		}
		if ctx.Err() == nil {
			slog.ErrorContext(ctx, "export failed; closing the connection", "path", path, "error", err)
		}
		panic(http.ErrAbortHandler)
	})
}

// export writes rows to a stream.
type export struct {
	stream  *Stream
	columns []column
	// csv is nil for JSON lines.
	csv  *csv.Writer
	out  *bufio.Writer
	rows int64
}

// exportBuffer is the size of the parts in which an export is sent, in bytes.
const exportBuffer = 64 << 10

func newExport(s *Stream, name string, format ExportFormat, columns []column) *export {
	e := &export{stream: s, columns: columns, out: bufio.NewWriterSize(s, exportBuffer)}
	s.contentType, s.fileName = "application/x-ndjson", name+".jsonl"
	if format != JSONLines {
		s.contentType, s.fileName = "text/csv; charset=utf-8; header=present", name+".csv"
		e.csv = csv.NewWriter(e.out)
		e.csv.UseCRLF = true
	}
	return e
}

func (e *export) write(row reflect.Value) error {
	if e.rows++; e.csv == nil {
		return e.line(row.Interface())
	}
	if err := e.header(); err != nil {
		return err
	}
	cells := make([]string, len(e.columns))
	for i, column := range e.columns {
		cell, err := column.cell(row)
		if err != nil {
			return err
		}
		cells[i] = cell
	}
	return e.csv.Write(cells)
}

// header writes the names of the columns before the first row.
func (e *export) header() error {
	if e.rows > 1 {
		return nil
	}
	names := make([]string, len(e.columns))
	for i, column := range e.columns {
		names[i] = column.name
	}
	return e.csv.Write(names)
}

func (e *export) line(value any) error {
	text, err := strictjson.Encode(value)
	if err != nil {
		return err
	}
	_, err = e.out.Write(append(text, '\n'))
	return err
}

// finish writes the header of an export without rows, or the last line, and sends the rest.
func (e *export) finish() error {
	switch {
	case e.csv == nil:
		if err := e.line(ExportEnd{e.rows}); err != nil {
			return err
		}
	case e.rows == 0:
		if err := e.header(); err != nil {
			return err
		}
	}
	if e.csv != nil {
		e.csv.Flush()
		if err := e.csv.Error(); err != nil {
			return err
		}
	}
	return e.out.Flush()
}

// column is a column of a CSV export: a member of the view, or of an object in it.
type column struct {
	name  string
	index []int
}

// columnsOf returns the columns of a struct in the order of its fields.
func columnsOf(t reflect.Type, prefix string, at []int) (columns []column) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(at[:len(at):len(at)], i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		plain := f.Type
		if plain.Kind() == reflect.Pointer {
			plain = plain.Elem()
		}
		switch isObject := plain.Kind() == reflect.Struct && !encodesItself(plain); {
		case f.Anonymous && name == "" && isObject:
			columns = append(columns, columnsOf(plain, prefix, index)...)
		case name == "" || name == "-":
		case isObject:
			columns = append(columns, columnsOf(plain, prefix+name+".", index)...)
		default:
			columns = append(columns, column{prefix + name, index})
		}
	}
	return columns
}

// encodesItself reports whether a type is a single JSON value although it is a struct.
func encodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t == reflect.TypeFor[time.Time]() || p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// cell returns the column's text of a row; "" if an object that contains it is null.
func (c column) cell(row reflect.Value) (string, error) {
	value, err := row.FieldByIndexErr(c.index)
	if err != nil {
		return "", nil //nolint:nilerr // a nil pointer on the path
	}
	text, err := strictjson.Encode(value.Interface())
	if err != nil {
		return "", fmt.Errorf("encode %s: %w", c.name, err)
	}
	switch text[0] {
	case 'n':
		return "", nil
	case '"':
		var plain string
		err := json.Unmarshal(text, &plain)
		return withoutFormula(plain), err
	default:
		return string(text), nil
	}
}

// withoutFormula adds an apostrophe to text that a spreadsheet would evaluate (OWASP, CSV
// injection).
func withoutFormula(text string) string {
	if text != "" && strings.ContainsRune(tablefile.FormulaStarts, []rune(text)[0]) {
		return "'" + text
	}
	return text
}
