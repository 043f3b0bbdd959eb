package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/tablefile"
)

func TestExportedTextIsReadBack(t *testing.T) {
	kind := tablefile.Kind{Name: "texts", Columns: []tablefile.Column{{Name: "text"}}}
	for _, text := range []string{"=1+1", "+49 30", "-5", "@x", "＝1", "＋1", "－1", "＠x", "tea", "don't", "0049"} {
		table, err := tablefile.Read([]byte("text\r\n"+withoutFormula(text)+"\r\n"), kind, tablefile.Options{})
		require.NoError(t, err)
		require.Equal(t, text, table.Rows[0].Values["text"])
	}
}
