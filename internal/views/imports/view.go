package imports

import "interlock/internal/base/tablefile"

type previewView struct {
	Encoding tablefile.Encoding `json:"encoding"`
	// All encodings in which the file is valid, the most likely first. A file in Unicode usually has
	// one.
	Encodings []tablefile.Encoding `json:"encodings"`
	Separator separator            `json:"separator"`
	// The decimal separator; null if the numbers prove none, or both.
	Decimal *tablefile.Decimal `json:"decimal"`
	// Whether the first line contains the headers. A header is never a row.
	HasHeader bool `json:"hasHeader"`
	// Whether a header or the request names the column that identifies a record. If it is false, `columns` is a
	// proposal, and no line is read.
	IsMapped bool `json:"isMapped"`
	// The columns of the file, in its order; empty for a list of names.
	Columns []columnView `json:"columns"`
	Rows    []rowView    `json:"rows"`
	// Lines that are not read. If the first line is rejected, no line is read.
	Rejected []rejectedView `json:"rejected"`
}

type columnView struct {
	// Empty without a header.
	Header string `json:"header"`
	// The name of the value that the column contains; null if the column is ignored.
	Use *string `json:"use"`
	// The first cell below the header that is not empty.
	Example string `json:"example"`
}

type rowView struct {
	// The number of its first line in the file, from 1.
	Line int `json:"line"`
	// The number of its last line: cells can contain line breaks.
	LastLine int `json:"lastLine"`
	// The values by name, without empty ones. Numbers have a decimal point, and no digit groups.
	Values map[string]string `json:"values"`
}

type rejectedView struct {
	Line     int            `json:"line"`
	LastLine int            `json:"lastLine"`
	Code     tablefile.Code `json:"code"`
	// The reason in a sentence.
	Message string `json:"message"`
	// The header and the content of the cell; empty if the line as a whole is rejected.
	Column string `json:"column"`
	Text   string `json:"text"`
}

// SchemaName returns the name of the type in the contract.
func (rejectedView) SchemaName() string { return "ImportRejectedLine" }

var previewExample = previewOf(&tablefile.Table{
	Encoding: "windows-1252", Encodings: []tablefile.Encoding{"windows-1252", "macintosh"}, Separator: ';', Decimal: tablefile.Comma, HasHeader: true, IsMapped: true,
	Columns: []tablefile.FileColumn{{Header: "Artikelnummer", Use: "sku", Example: "TEA-100"}, {Header: "Preis", Use: "price", Example: "19,90"}, {Header: "Notiz"}},
	Rows:    []tablefile.Row{{Span: tablefile.Span{Line: 2, Last: 2}, Values: map[string]string{"sku": "TEA-100", "price": "19.9"}}},
	Rejected: []tablefile.Rejected{
		{Span: tablefile.Span{Line: 3, Last: 3}, Code: tablefile.NotANumber, Column: "Preis", Text: "auf Anfrage"},
	},
})

func previewOf(t *tablefile.Table) previewView {
	view := previewView{
		Encoding: t.Encoding, Encodings: t.Encodings, Separator: separatorOf(t.Separator), HasHeader: t.HasHeader, IsMapped: t.IsMapped,
		Columns: make([]columnView, len(t.Columns)), Rows: make([]rowView, len(t.Rows)), Rejected: make([]rejectedView, len(t.Rejected)),
	}
	if t.Decimal != "" {
		view.Decimal = &t.Decimal
	}
	for i, c := range t.Columns {
		view.Columns[i] = columnView{Header: c.Header, Example: c.Example}
		if c.Use != "" {
			view.Columns[i].Use = &c.Use
		}
	}
	for i, row := range t.Rows {
		view.Rows[i] = rowView{Line: row.Line, LastLine: row.Last, Values: row.Values}
	}
	for i, r := range t.Rejected {
		view.Rejected[i] = rejectedView{Line: r.Line, LastLine: r.Last, Code: r.Code, Message: r.Reason(), Column: r.Column, Text: r.Text}
	}
	return view
}
