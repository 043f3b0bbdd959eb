package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

var built = fstest.MapFS{
	"dist/index.html":           {Data: []byte("<!doctype html><title>index</title>")},
	"dist/pages.json":           {Data: []byte(`["/","/configs","/configs/$key","/aggregates/$type/$id"]`)},
	"dist/favicon.svg":          {Data: []byte("<svg/>")},
	"dist/assets/app-1a2b3c.js": {Data: []byte("export {}")},
	"dist/assets/big.js":        {Data: []byte("plain")},
	"dist/assets/big.js.br":     {Data: []byte("brotli")},
	"dist/assets/big.js.gz":     {Data: []byte("gzipped")},
}

func admin(t *testing.T) *Admin {
	t.Helper()
	a, err := newAdmin(built)
	require.NoError(t, err)
	return a
}

func TestOnlyFilesAndPagesOfTheAdminAreServed(t *testing.T) {
	const browser, script = "text/html,application/xhtml+xml,*/*;q=0.8", "application/json"
	for _, c := range []struct {
		address, accept string
		has             bool
	}{
		{"/", browser, true},
		{"/", script, false},
		{"/configs", browser, true},
		{"/configs/", browser, true},
		{"/configs", script, false},
		{"/configs/checkout.tax?tab=history", browser, true},
		{"/configs/a%2Fb", browser, true},
		{"/configs/a/b", browser, false},
		{"/aggregates/cart/7", browser, true},
		{"/aggregates//7", browser, false},
		{"/favicon.svg", script, true},
		{"/assets/app-1a2b3c.js", script, true},
		{"/assets/app-gone.js", browser, false},
		{"/assets/big.js.br", browser, false},
		{"/assets/", browser, false},
		{"/health", browser, false},
		{"/v1/kv/a", browser, false},
		{"/swagger.json", browser, false},
	} {
		request := httptest.NewRequest(http.MethodGet, c.address, nil)
		request.Header.Set("Accept", c.accept)
		require.Equal(t, c.has, admin(t).Has(request), "%s as %s", c.address, c.accept)
	}
}

func get(t *testing.T, handler http.Handler, address string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, address, nil)
	for name, values := range header {
		request.Header[name] = values
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}

func TestEachPathHasItsFileAndCaching(t *testing.T) {
	for name, c := range map[string]struct {
		address string
		status  int
		caching string
		body    string
	}{
		"the root is the index":            {"/", 200, revalidate, "<title>index</title>"},
		"a page of the admin is the index": {"/configs/checkout.tax?tab=history", 200, revalidate, "<title>index</title>"},
		"a file is itself":                 {"/favicon.svg", 200, revalidate, "<svg/>"},
		"a hashed asset is kept for ever":  {"/assets/app-1a2b3c.js", 200, immutable, "export {}"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := get(t, admin(t), c.address, nil)

			require.Equal(t, c.status, answer.Code)
			require.Equal(t, c.caching, answer.Header().Get("Cache-Control"))
			require.Contains(t, answer.Body.String(), c.body)
		})
	}
}

func TestFileHasTheBestAcceptedEncoding(t *testing.T) {
	for accept, want := range map[string]string{"": "plain", "gzip": "gzipped", "gzip, br": "brotli", "br;q=0, gzip": "gzipped", "zstd": "plain"} {
		answer := get(t, admin(t), "/assets/big.js", http.Header{"Accept-Encoding": {accept}})
		require.Equal(t, want, answer.Body.String(), accept)
		require.Equal(t, map[string]string{"plain": "", "gzipped": "gzip", "brotli": "br"}[want], answer.Header().Get("Content-Encoding"))
		require.Equal(t, "Accept-Encoding", answer.Header().Get("Vary"))
		require.Contains(t, answer.Header().Get("Content-Type"), "javascript")
	}
	require.Empty(t, get(t, admin(t), "/assets/app-1a2b3c.js", nil).Header().Get("Vary"), "there is but one form")
	one := get(t, admin(t), "/assets/big.js", http.Header{"Accept-Encoding": {"br"}}).Header().Get("ETag")
	other := get(t, admin(t), "/assets/big.js", http.Header{"Accept-Encoding": {"gzip"}}).Header().Get("ETag")
	require.NotEqual(t, one, other, "other bytes have another tag")
}

func TestUnchangedFileIsNotModified(t *testing.T) {
	first := get(t, admin(t), "/", nil)

	again := get(t, admin(t), "/", http.Header{"If-None-Match": {first.Header().Get("ETag")}})

	require.Equal(t, http.StatusNotModified, again.Code)
	require.Empty(t, again.Body.String())
}

func TestUnbuiltAdminServesInstructions(t *testing.T) {
	text, err := embedded.ReadFile(fallbackPage)
	require.NoError(t, err)
	unbuilt, err := newAdmin(fstest.MapFS{fallbackPage: {Data: text}})
	require.NoError(t, err)
	answer := get(t, unbuilt, "/", nil)

	require.Equal(t, http.StatusOK, answer.Code)
	require.Contains(t, answer.Header().Get("Content-Type"), "text/html")
	require.Contains(t, answer.Body.String(), "make build")
}
