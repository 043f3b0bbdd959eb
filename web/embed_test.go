package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

var built = fstest.MapFS{
	"index.html":           {Data: []byte("<!doctype html><title>index</title>")},
	"favicon.svg":          {Data: []byte("<svg/>")},
	"assets/app-1a2b3c.js": {Data: []byte("export {}")},
	"assets/big.js":        {Data: []byte("plain")},
	"assets/big.js.br":     {Data: []byte("brotli")},
	"assets/big.js.gz":     {Data: []byte("gzipped")},
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

func TestEachAddressIsServedWithItsFileAndItsCaching(t *testing.T) {
	for name, c := range map[string]struct {
		address string
		status  int
		caching string
		body    string
	}{
		"the root is the index":               {"/", 200, revalidate, "<title>index</title>"},
		"a page of the admin is the index":    {"/configs/checkout.tax?tab=history", 200, revalidate, "<title>index</title>"},
		"a file is itself":                    {"/favicon.svg", 200, revalidate, "<svg/>"},
		"a hashed asset is kept for ever":     {"/assets/app-1a2b3c.js", 200, immutable, "export {}"},
		"a missing asset is not the index":    {"/assets/app-gone.js", 404, "", "404 page not found"},
		"an unknown API route is not a page":  {"/api/v1/nothing", 404, "", "404 page not found"},
		"the folder of assets has no listing": {"/assets/", 200, revalidate, "<title>index</title>"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := get(t, admin{built}, c.address, nil)

			require.Equal(t, c.status, answer.Code)
			require.Equal(t, c.caching, answer.Header().Get("Cache-Control"))
			require.Contains(t, answer.Body.String(), c.body)
		})
	}
}

func TestAFileIsSentInTheBestFormThatTheClientTakes(t *testing.T) {
	for accept, want := range map[string]string{"": "plain", "gzip": "gzipped", "gzip, br": "brotli", "br;q=0, gzip": "gzipped", "zstd": "plain"} {
		answer := get(t, admin{built}, "/assets/big.js", http.Header{"Accept-Encoding": {accept}})
		require.Equal(t, want, answer.Body.String(), accept)
		require.Equal(t, map[string]string{"plain": "", "gzipped": "gzip", "brotli": "br"}[want], answer.Header().Get("Content-Encoding"))
		require.Equal(t, "Accept-Encoding", answer.Header().Get("Vary"))
		require.Contains(t, answer.Header().Get("Content-Type"), "javascript")
	}
	require.Empty(t, get(t, admin{built}, "/assets/app-1a2b3c.js", nil).Header().Get("Vary"), "there is but one form")
	require.Equal(t, http.StatusNotFound, get(t, admin{built}, "/assets/big.js.br", nil).Code)
	one := get(t, admin{built}, "/assets/big.js", http.Header{"Accept-Encoding": {"br"}}).Header().Get("ETag")
	other := get(t, admin{built}, "/assets/big.js", http.Header{"Accept-Encoding": {"gzip"}}).Header().Get("ETag")
	require.NotEqual(t, one, other, "other bytes have another tag")
}

func TestAnUnchangedFileIsNotSentAgain(t *testing.T) {
	first := get(t, admin{built}, "/", nil)

	again := get(t, admin{built}, "/", http.Header{"If-None-Match": {first.Header().Get("ETag")}})

	require.Equal(t, http.StatusNotModified, again.Code)
	require.Empty(t, again.Body.String())
}

func TestWithoutABuiltAdminAPageSaysWhatToDo(t *testing.T) {
	answer := get(t, page{embedded, fallbackPage}, "/", nil)

	require.Equal(t, http.StatusOK, answer.Code)
	require.Contains(t, answer.Header().Get("Content-Type"), "text/html")
	require.Contains(t, answer.Body.String(), "make build")
}
