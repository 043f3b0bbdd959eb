package openapi

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
)

type teapot struct {
	Size int `json:"size"`
}

// routes returns the routes of one resource.
func routes() []httpapi.Route {
	router := httpapi.NewServer(httpapi.Options{}).Router()
	r := router.About(httpapi.Resource{Tag: "Teapots", Noun: "teapot", Example: teapot{3}})
	httpapi.Get(r, "/teapots/next", "teapots:read", func(context.Context, httpapi.None) (teapot, error) { return teapot{}, nil }).
		Doc("Get the next teapot", "")
	return router.Routes()
}

const empty = "paths: {}\ncomponents: {responses: {}, schemas: {}}\n"

func TestRouteCompletesTheBaseDocument(t *testing.T) {
	text, err := Document([]byte(empty), routes(), "../../..", "interlock")
	require.NoError(t, err)
	require.Contains(t, string(text), "/api/v1/teapots/next:")
	require.Contains(t, string(text), "x-permission: 'teapots:read'")
	require.Contains(t, string(text), "Teapot: {type: object, additionalProperties: false, required: [size], properties: {size: {type: integer}}}")
}

func TestFactStatedTwiceIsAnError(t *testing.T) {
	for _, base := range []string{
		"paths: {/api/v1/teapots/next: {}}\ncomponents: {responses: {}, schemas: {}}\n",
		"paths: {}\ncomponents: {responses: {}, schemas: {Teapot: {}}}\n",
	} {
		_, err := Document([]byte(base), routes(), "../../..", "interlock")
		require.ErrorContains(t, err, "both define")
	}
}
