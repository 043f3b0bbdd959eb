// Package imports reads the table files that people import, and changes nothing.
//
// Invariants:
//
//   - A preview runs no statement. The caller writes the rows with the routes of their domain.
//   - A caller previews only the kinds of records that it may write.
//
// It depends on no domain: each declares its tables.
package imports

import (
	"context"
	"net/http"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/base/tablefile"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// maxBytes is the maximum size of a file.
const maxBytes = 32 << 20

// Routes registers the preview of each kind of import. The router checks the permission before it reads
// the file.
func Routes(r *httpapi.Router, kinds ...module.Import) {
	r = r.About(httpapi.Resource{Tag: "Overview", Noun: "import"})
	for _, kind := range kinds {
		name := strings.ToUpper(kind.Name[:1]) + kind.Name[1:]
		httpapi.Act(r, http.MethodPost, "/imports/"+kind.Name+"/preview", kind.Permission, handler{kind.Kind}.preview, httpapi.Large(maxBytes)).
			Doc("Preview an import of "+kind.Name, "Reads a table file (CSV, or text with tabs) and returns its rows. It changes nothing: send the rows to the routes of their records. "+
				"The service detects the encoding, the separator, the header and the decimal style; each parameter replaces one detected value. "+
				"A line that cannot be read without doubt is rejected by its number.").
			With(httpapi.Contract{ID: "preview" + name + "Import", Success: "The file as it is read.", Reply: previewExample, Rejections: []httpapi.Rejection{{Code: apperr.UnsupportedMediaType}}})
	}
}

type handler struct{ kind tablefile.Kind }

type previewRequest struct {
	// The file, at most 32 MiB.
	Body []byte
	// The encoding of the file.
	Encoding httpapi.OneOf[tablefile.Encoding] `query:"encoding"`
	// The character between the cells.
	Separator httpapi.OneOf[separator] `query:"separator"`
	// The decimal separator of the numbers.
	Decimal httpapi.OneOf[tablefile.Decimal] `query:"decimal"`
	// Whether the first line contains the headers.
	Header httpapi.OneOf[flag] `query:"header"`
	// The use of each column of the file, in the order of the file, separated by commas; empty to ignore a column.
	Mapping string `query:"mapping" validate:"max=4000"`
	// The uses to consider, separated by commas, with the one that identifies a record first; all by default.
	Columns string `query:"columns" validate:"max=4000"`
}

// separator is the name of a separator.
type separator string

var separators = map[separator]rune{"tab": '\t', "semicolon": ';', "comma": ',', "bar": '|'}

// Enum returns the names.
func (separator) Enum() []string { return []string{"tab", "semicolon", "comma", "bar"} }

func separatorOf(r rune) separator {
	for name, found := range separators {
		if found == r {
			return name
		}
	}
	return ""
}

// flag is a decision, which differs from no decision.
type flag string

// Enum returns the decisions.
func (flag) Enum() []string { return []string{"true", "false"} }

func (in previewRequest) options() tablefile.Options {
	options := tablefile.Options{
		Encoding: in.Encoding.Value, Separator: separators[in.Separator.Value], Decimal: in.Decimal.Value, Mapping: list(in.Mapping), Columns: list(in.Columns),
	}
	if in.Header.Value != "" {
		options.Header = new(in.Header.Value == "true")
	}
	return options
}

// list returns the elements of a list; nil for "".
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

func (h handler) preview(_ context.Context, in previewRequest) (previewView, error) {
	table, err := tablefile.Read(in.Body, h.kind, in.options())
	if err != nil {
		return previewView{}, err
	}
	return previewOf(table), nil
}
