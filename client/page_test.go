package client_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/client"
)

func TestExactTotalIsRequestedWithEachPage(t *testing.T) {
	var totals []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		totals = append(totals, r.URL.Query().Get("total"))
		next := `"2"`
		if len(totals) > 1 {
			next = "null"
		}
		_, _ = w.Write([]byte(`{"items": [{}], "nextCursor": ` + next + `, "total": 20000, "totalIsExact": true}`))
	}))
	defer server.Close()
	c, err := client.New(server.URL, "token")
	require.NoError(t, err)
	list := c.Items.List(client.ItemFilter{Paging: client.Paging{Limit: 1, ExactTotal: true}})
	require.Len(t, all(t, list), 2)
	require.Equal(t, []string{"exact", "exact"}, totals)
	page, err := c.Items.List(client.ItemFilter{}).Page(t.Context())
	require.NoError(t, err)
	require.True(t, page.TotalIsExact)
	require.Empty(t, totals[2])
}
