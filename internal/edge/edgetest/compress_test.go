package edgetest

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/lock"
)

type anyone struct{}

func (anyone) Authenticate(*http.Request) (principal.Principal, error) {
	return principal.Principal{Kind: principal.Admin, TenantID: 1, UserID: 7, Permissions: []string{"*"}}, nil
}

type letter struct {
	Text string `json:"text"`
	guard.Stamp
}

func TestLongRepliesAreCompressedExceptSecrets(t *testing.T) {
	runner := uow.NewRunner(uow.Options{DB: storagetest.SQLite(t), Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
	server := httpapi.NewServer(httpapi.Options{Runner: runner, Authenticator: anyone{}})
	long := strings.Repeat("all work and no play ", 100)
	say := func(text string) func(context.Context, httpapi.None) (letter, error) {
		return func(context.Context, httpapi.None) (letter, error) {
			return letter{text, guard.Stamp{ETag: `"1-1"`}}, nil
		}
	}
	r := server.Router()
	httpapi.Get(r, "/long", "", say(long))
	httpapi.Get(r, "/short", "", say("short"))
	httpapi.Get(r.Uncompressed(), "/secret", "", say(long))
	get := func(path, accept string) *httptest.ResponseRecorder {
		request := httptest.NewRequest(http.MethodGet, httpapi.Base+path, nil)
		request.Header.Set("Accept-Encoding", accept)
		recorder := httptest.NewRecorder()
		server.ServeHTTP(recorder, request)
		require.Equal(t, http.StatusOK, recorder.Code)
		return recorder
	}

	plain, small := get("/long", ""), get("/long", "br, gzip")
	require.Empty(t, plain.Header().Get("Content-Encoding"))
	require.Equal(t, "gzip", small.Header().Get("Content-Encoding"))
	require.Equal(t, "Accept-Encoding", plain.Header().Get("Vary"))
	require.Less(t, small.Body.Len()*4, plain.Body.Len())
	require.Equal(t, `"1-1"`, small.Header().Get("ETag"), "it names the version, for If-Match")
	reader, err := gzip.NewReader(small.Body)
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, plain.Body.String(), string(text))

	require.Empty(t, get("/short", "gzip").Header().Get("Content-Encoding"))
	require.Empty(t, get("/secret", "gzip").Header().Get("Content-Encoding"))
}
