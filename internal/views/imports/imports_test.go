package imports_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/tablefile"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/module"
	"interlock/internal/views/imports"
)

var items = module.Import{Permission: "items:write", Kind: tablefile.Kind{Name: "items", Columns: []tablefile.Column{
	{Name: "sku"}, {Name: "name"}, {Name: "price", Type: tablefile.Number},
}}}

func caller(t *testing.T, permissions ...string) *httpapitest.Caller {
	ctx := principal.With(t.Context(), principal.Principal{TenantID: 1, UserID: 7, Name: "Li", Permissions: permissions})
	return httpapitest.New(ctx, nil, func(r *httpapi.Router) { imports.Routes(r, items) })
}

// Proves G6.6.
func TestAPreviewStatesHowTheFileIsRead(t *testing.T) {
	a := caller(t, "items:write").Send(t, http.MethodPost, "/imports/items/preview", "sep=;\r\nSKU;Name;Price;Note\r\nTEA;M\xfcller;12,50;x\r\nCUP;\"Cup;1\r\nPOT;Pot;five;\r\n")
	require.Equal(t, http.StatusOK, a.Status, a.Text)
	require.Equal(t, "windows-1252", a.Body["encoding"])
	require.Contains(t, a.Body["encodings"], "gb18030")
	delete(a.Body, "encoding")
	delete(a.Body, "encodings")
	require.Equal(t, map[string]any{
		"separator": "semicolon", "decimal": "comma", "hasHeader": true, "isMapped": true,
		"columns": []any{
			map[string]any{"header": "SKU", "use": "sku", "example": "TEA"},
			map[string]any{"header": "Name", "use": "name", "example": "Müller"},
			map[string]any{"header": "Price", "use": "price", "example": "12,50"},
			map[string]any{"header": "Note", "use": nil, "example": "x"},
		},
		"rows": []any{map[string]any{"line": 3.0, "lastLine": 3.0, "values": map[string]any{"sku": "TEA", "name": "Müller", "price": "12.5"}}},
		"rejected": []any{
			map[string]any{"line": 4.0, "lastLine": 4.0, "code": "quote", "message": "A quote is not closed, or is inside a cell.", "column": "", "text": ""},
			map[string]any{"line": 5.0, "lastLine": 5.0, "code": "number", "message": `Price: "five" is not a number in the style of the file.`, "column": "Price", "text": "five"},
		},
	}, a.Body)
}

func TestEachDetectedValueCanBeReplaced(t *testing.T) {
	c := caller(t, "items:write")
	for query, values := range map[string]map[string]any{
		"":                                       {"sku": "A;B", "name": "Müller"},
		"?encoding=gb18030":                      {"sku": "A;B", "name": "M黮ler"},
		"?header=false&mapping=sku,name,":        {"sku": "sku", "name": "name"},
		"?mapping=name,sku,":                     {"sku": "Müller", "name": "A;B"},
		"?columns=sku":                           {"sku": "A;B"},
		"?decimal=comma&columns=sku,price":       {"sku": "A;B", "price": "1200"},
		"?decimal=point&columns=sku,price":       {"sku": "A;B", "price": "1.2"},
		"?separator=bar&mapping=sku&header=true": {"sku": "A;B,Müller,1.200"},
	} {
		text := "sku,name,price\nA;B,M\xfcller,1.200\n"
		if !strings.Contains(query, "decimal") {
			text = strings.ReplaceAll(text, "price", "weight")
		}
		a := c.Send(t, http.MethodPost, "/imports/items/preview"+query, text)
		require.Equal(t, http.StatusOK, a.Status, "%s: %s", query, a.Text)
		require.Equal(t, values, a.Body["rows"].([]any)[0].(map[string]any)["values"], query)
	}
}

func TestAPreviewNeedsThePermissionToWrite(t *testing.T) {
	for _, permissions := range [][]string{nil, {"items:read"}, {"coupons:write"}} {
		a := caller(t, permissions...).Send(t, http.MethodPost, "/imports/items/preview", "sku\nTEA\n")
		require.Equal(t, []any{http.StatusForbidden, "forbidden"}, []any{a.Status, a.Body["code"]})
		a = caller(t, permissions...).Send(t, http.MethodPost, "/imports/items/preview", strings.Repeat("x", 32<<20+1))
		require.Equal(t, http.StatusForbidden, a.Status, "the permission is checked before the file is read")
	}
}

func TestAnUnreadableRequestReturnsItsReason(t *testing.T) {
	c := caller(t, "*")
	for query, location := range map[string]string{
		"?kind=items": "?kind", "?encoding=latin1": "?encoding", "?separator=%3B": "?separator", "?header=yes": "?header",
		"?decimal=.": "?decimal", "?mapping=sku,sku": "?mapping", "?columns=weight": "?columns", "?sheet=1": "?sheet",
	} {
		a := c.Send(t, http.MethodPost, "/imports/items/preview"+query, "sku,name\nTEA,Tea\n")
		require.Equal(t, []any{http.StatusBadRequest, "malformed_request", location}, []any{a.Status, a.Body["code"], a.Pointer()}, query)
	}
	a := c.Send(t, http.MethodPost, "/imports/items/preview", "PK\x03\x04\x14\x00\x00\x00")
	require.Equal(t, []any{http.StatusUnsupportedMediaType, "unsupported_media_type"}, []any{a.Status, a.Body["code"]})
	a = c.Send(t, http.MethodPost, "/imports/items/preview", "")
	require.Equal(t, []any{http.StatusOK, []any{}}, []any{a.Status, a.Body["rows"]})
}

func TestAFileHasAtMost32MiB(t *testing.T) {
	c := caller(t, "*")
	cell := strings.Repeat("x", 1<<20)
	a := c.Send(t, http.MethodPost, "/imports/items/preview?columns=sku", "sku,note\nTEA,"+cell+"\n")
	require.Equal(t, http.StatusOK, a.Status)
	a = c.Send(t, http.MethodPost, "/imports/items/preview", strings.Repeat(cell, 32)+"x")
	require.Equal(t, []any{http.StatusRequestEntityTooLarge, "payload_too_large"}, []any{a.Status, a.Body["code"]})
}
