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
