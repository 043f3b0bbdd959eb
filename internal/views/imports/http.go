package imports

import (
	"context"
	"net/http"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/base/tablefile"
	"interlock/internal/edge/httpapi"
)

// maxBytes is the maximum size of a file.
const maxBytes = 32 << 20

// Routes registers the preview of an import.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Overview", Noun: "import"})
	httpapi.Act(r, http.MethodPost, "/imports/preview", "", handler{s}.preview, httpapi.Large(maxBytes)).
		Doc("Preview an import", "Reads a table file (CSV, or text with tabs) and returns its rows. It changes nothing: send the rows to the routes of their records. "+
			"The service detects the encoding, the separator, the header and the decimal style; each parameter replaces one detected value. "+
			"A line that cannot be read without doubt is rejected by its number.\n\n"+
			"Requires the permission to write records of that kind.").
		With(httpapi.Contract{ID: "previewImport", Success: "The file as it is read.", Reply: previewExample, Rejections: []httpapi.Rejection{{Code: apperr.UnsupportedMediaType}}})
}

type handler struct{ service *Service }

type previewRequest struct {
	// The file, at most 32 MiB.
	Body []byte
	// The kind of records in the file.
	Kind string `query:"kind" validate:"required" schema:"ImportKind"`
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

func (h handler) preview(ctx context.Context, in previewRequest) (previewView, error) {
	table, err := h.service.Preview(ctx, in.Kind, in.Body, in.options())
	if err != nil {
		return previewView{}, err
	}
	return previewOf(table), nil
}
