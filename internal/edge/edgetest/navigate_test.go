package edgetest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/edge/httpapi"
)

func TestNavigationRedirectsAlsoOnErrors(t *testing.T) {
	server := httpapi.NewServer(httpapi.Options{})
	type request struct{ Query url.Values }
	find := httpapi.Named("door", func(_ context.Context, door string) (string, error) {
		if door != "front" {
			return "", apperr.MissingRow("door", door)
		}
		return door, nil
	})
	enter := func(_ context.Context, _ string, in request) (httpapi.WithCookies[httpapi.Redirect], error) {
		out := httpapi.WithCookies[httpapi.Redirect]{Out: httpapi.Redirect{To: "/in"}, Cookies: []*http.Cookie{{Name: "been", Value: "here"}}}
		if in.Query.Get("code") != "right" {
			return out, apperr.New(apperr.InvalidCredentials, "That is wrong.")
		}
		return out, nil
	}
	failed := func(_ context.Context, err error) string { return "/out#" + string(httpapi.Visible(err).Code) }
	httpapi.Navigate(server.Router(), "/doors/:door", find, enter, failed)
	ask := func(path string) *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		server.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, httpapi.Base+path, nil))
		return recorder
	}

	entered := ask("/doors/front?code=right&whatever=a&whatever=b")
	require.Equal(t, http.StatusSeeOther, entered.Code)
	require.Equal(t, "/in", entered.Header().Get("Location"))
	require.Equal(t, "been=here", entered.Header().Get("Set-Cookie"))
	require.Empty(t, entered.Body.String())

	refused := ask("/doors/front?code=wrong")
	require.Equal(t, http.StatusSeeOther, refused.Code)
	require.Equal(t, "/out#invalid_credentials", refused.Header().Get("Location"))
	require.Empty(t, refused.Header().Get("Set-Cookie"), "a rejection sets no cookie")

	require.Equal(t, http.StatusNotFound, ask("/doors/back").Code, "a missing resource is a problem")
}
