package edgetest

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/api"
	"interlock/internal/edge/httpapi"
)

func docsServer(t *testing.T) *httpapi.Server {
	t.Helper()
	server := httpapi.NewServer(httpapi.Options{})
	require.NoError(t, httpapi.ServeDocs(server))
	return server
}

func get(server *httpapi.Server, path string, header http.Header) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, path, nil)
	for name, values := range header {
		request.Header[name] = values
	}
	reply := httptest.NewRecorder()
	server.ServeHTTP(reply, request)
	return reply
}

func TestContractIsServedAsJSONWithETag(t *testing.T) {
	server := docsServer(t)
	reply := get(server, "/openapi.json", nil)
	require.Equal(t, http.StatusOK, reply.Code)
	require.Equal(t, "application/json", reply.Header().Get("Content-Type"))
	var document struct{ OpenAPI string }
	require.NoError(t, json.Unmarshal(reply.Body.Bytes(), &document))
	require.Equal(t, "3.1.0", document.OpenAPI)

	etag := reply.Header().Get("ETag")
	again := get(server, "/openapi.json", http.Header{"If-None-Match": {etag}})
	require.Equal(t, http.StatusNotModified, again.Code)
	require.Equal(t, etag, again.Header().Get("ETag"))
	require.Zero(t, again.Body.Len())
}

var loads = regexp.MustCompile(`(?:src|href)="([^"]*)"`)

func TestViewerLoadsOnlyFilesOfThisServer(t *testing.T) {
	server := docsServer(t)
	page := get(server, "/docs", nil)
	require.Equal(t, http.StatusOK, page.Code)
	addresses := loads.FindAllStringSubmatch(page.Body.String(), -1)
	require.Len(t, addresses, 5)
	for _, address := range addresses {
		reply := get(server, address[1], nil)
		require.Equal(t, http.StatusOK, reply.Code, address[1])
		require.NotZero(t, reply.Body.Len(), address[1])
		require.Equal(t, "nosniff", reply.Header().Get("X-Content-Type-Options"))
	}
}

func TestViewerRunsNoInlineScript(t *testing.T) {
	policy := get(docsServer(t), "/docs", nil).Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.Contains(t, policy, "script-src 'self';")
	require.NotRegexp(t, `https?:|\*|unsafe`, policy)
}

func TestGraphiQLLoadsOnlyFilesOfThisServer(t *testing.T) {
	server := httpapi.NewServer(httpapi.Options{})
	require.NoError(t, httpapi.ServeGraphiQL(server))
	page := get(server, "/graphiql", nil)
	require.Equal(t, http.StatusOK, page.Code)
	addresses := loads.FindAllStringSubmatch(page.Body.String(), -1)
	require.Len(t, addresses, 7)
	for _, address := range addresses {
		if address[1] == "data:," {
			continue
		}
		plain := get(server, address[1], nil)
		require.Equal(t, http.StatusOK, plain.Code, address[1])
		require.Empty(t, plain.Header().Get("Content-Encoding"), address[1])
		small := get(server, address[1], http.Header{"Accept-Encoding": {"gzip, br"}})
		require.Equal(t, http.StatusOK, small.Code, address[1])
		content := small.Body.String()
		if small.Header().Get("Content-Encoding") == "gzip" {
			require.Less(t, len(content), plain.Body.Len(), address[1])
			reader, err := gzip.NewReader(strings.NewReader(content))
			require.NoError(t, err)
			inflated, err := io.ReadAll(reader)
			require.NoError(t, err)
			content = string(inflated)
		}
		require.Equal(t, plain.Body.String(), content, address[1])
		require.Contains(t, small.Header().Get("Content-Security-Policy"), "connect-src 'self'", address[1])
	}
}

func TestEachErrorCodeHasAPublicPage(t *testing.T) {
	server := httpapi.NewServer(httpapi.Options{})
	require.NoError(t, httpapi.ServeProblems(server))
	list := get(server, "/problems", nil).Body.String()

	text, err := api.JSON()
	require.NoError(t, err)
	var document struct {
		Components struct {
			Schemas struct {
				Code struct{ Enum []string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &document))
	codes := document.Components.Schemas.Code.Enum
	require.Len(t, httpapi.Problems(), len(codes))
	for _, code := range codes {
		page := get(server, "/problems/"+code, nil)
		require.Equal(t, http.StatusOK, page.Code, code)
		require.Equal(t, "text/html; charset=UTF-8", page.Header().Get("Content-Type"))
		require.NotRegexp(t, "<p></p>|`", page.Body.String(), "%s has an empty or badly marked text", code)
		require.Contains(t, list, `href="/problems/`+code+`"`)
	}
	require.Equal(t, http.StatusNotFound, get(server, "/problems/unknown", nil).Code)
}
