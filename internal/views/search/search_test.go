package search_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/module"
	"interlock/internal/views/search"
)

func caller(t *testing.T, permissions ...string) context.Context {
	return principal.With(t.Context(), principal.Principal{TenantID: 1, UserID: 7, Name: "Li", Permissions: permissions})
}

// named finds hits with these titles for any text.
func named(titles ...string) module.Finder {
	return func(context.Context, string, int) ([]module.Hit, error) {
		hits := make([]module.Hit, len(titles))
		for i, title := range titles {
			hits[i] = module.Hit{ID: title, Title: title, Path: "/x/" + title}
		}
		return hits, nil
	}
}

func shown(found []search.Found) []string {
	shown := []string{}
	for _, f := range found {
		shown = append(shown, f.Kind+" "+f.ID)
	}
	return shown
}

func TestHitsAreGroupedByKindWithExactHitsFirst(t *testing.T) {
	many := make([]string, 20)
	for i := range many {
		many[i] = fmt.Sprintf("tea-%02d", i)
	}
	for name, c := range map[string]struct {
		configs, items module.Finder
		found          []string
	}{
		"in the order of kinds":          {named("tea.a", "tea.b"), named("tea-1"), []string{"config tea.a", "config tea.b", "item tea-1"}},
		"an exact hit first in its kind": {named("tea.a", "TEA"), named(), []string{"config TEA", "config tea.a"}},
		"a kind with an exact hit first": {named("tea.a"), named("tea"), []string{"item tea", "config tea.a"}},
		"of two such the order of kinds": {named("tea"), named("tea"), []string{"config tea", "item tea"}},
		"a row once":                     {named("tea.a", "tea.a"), named(), []string{"config tea.a"}},
		"eight of a kind, also if exact": {named(append(many, "tea")...), named(), []string{"config tea", "config tea-00", "config tea-01", "config tea-02", "config tea-03", "config tea-04", "config tea-05", "config tea-06"}},
		"no result is an empty list":     {named(), named(), []string{}},
	} {
		s := search.New(module.Kind{Name: "config", Permission: "configs:read", Find: c.configs}, module.Kind{Name: "item", Permission: "items:read", Find: c.items})
		found, err := s.Search(caller(t, "*"), "tea")
		require.NoError(t, err, name)
		require.Equal(t, c.found, shown(found), name)
	}
}

func TestItemNameCanBeAnExactHit(t *testing.T) {
	s := search.New(module.Kind{Name: "item", Permission: "items:read", Find: module.Finder(func(context.Context, string, int) ([]module.Hit, error) {
		return []module.Hit{{ID: "A", Title: "A", Subtitle: "Tea pot"}, {ID: "B", Title: "B", Subtitle: "Tea"}}, nil
	})})
	found, err := s.Search(caller(t, "*"), "tea")
	require.NoError(t, err)
	require.Equal(t, []string{"item B", "item A"}, shown(found))
}

func TestSearchSkipsKindsWithoutPermission(t *testing.T) {
	forbidden := module.Finder(func(context.Context, string, int) ([]module.Hit, error) {
		return nil, errors.New("searched without permission")
	})
	s := search.New(module.Kind{Name: "config", Permission: "configs:read", Find: forbidden}, module.Kind{Name: "item", Permission: "items:read", Find: named("tea")})
	found, err := s.Search(caller(t, "items:read"), "tea")
	require.NoError(t, err)
	require.Equal(t, []string{"item tea"}, shown(found))
	found, err = s.Search(caller(t), "tea")
	require.NoError(t, err)
	require.Empty(t, found)
	_, err = s.Search(caller(t, "configs:read"), "tea")
	require.ErrorContains(t, err, "search configs: searched")
	_, err = s.Search(t.Context(), "tea")
	require.Error(t, err, "no callers")
}

func TestSearchTextHasOneToAHundredCharacters(t *testing.T) {
	var looked string
	s := search.New(module.Kind{Name: "config", Permission: "configs:read", Find: module.Finder(func(_ context.Context, text string, limit int) ([]module.Hit, error) {
		looked = text
		require.Equal(t, 8, limit)
		return []module.Hit{{ID: "a", Title: "a b", Subtitle: "why", Path: "/configs/a"}}, nil
	})})
	c := httpapitest.New(caller(t, "*"), nil, func(r *httpapi.Router) { search.Routes(r, s) })
	for name, text := range map[string]string{"none": "", "spaces": "  ", "101": strings.Repeat("茶", 101)} {
		a := c.Send(t, http.MethodGet, "/search?q="+url.QueryEscape(text), nil)
		require.Equal(t, []any{http.StatusBadRequest, "malformed_request", "?q"}, []any{a.Status, a.Body["code"], a.Pointer()}, name)
	}
	require.Equal(t, http.StatusBadRequest, c.Send(t, http.MethodGet, "/search", nil).Status)
	for _, text := range []string{"a", strings.Repeat("茶", 100), " a b "} {
		a := c.Send(t, http.MethodGet, "/search?q="+url.QueryEscape(text), nil)
		require.Equal(t, http.StatusOK, a.Status)
		require.Equal(t, strings.TrimSpace(text), looked)
		require.Equal(t, []map[string]any{{"kind": "config", "id": "a", "title": "a b", "subtitle": "why", "href": "/configs/a"}}, a.Items())
	}
}
