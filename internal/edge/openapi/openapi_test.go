package openapi

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"interlock/internal/edge/httpapi"
)

type teapot struct {
	Size int `json:"size"`
}

// key is a reply with a secret.
type key struct {
	ID    int64          `json:"id"`
	Token httpapi.Secret `json:"token"`
}

// lid has a member that api/base.yaml describes.
type lid struct {
	Colour string `json:"colour" schema:"Colour"`
}

// routes returns the routes of one resource.
func routes() []httpapi.Route {
	router := httpapi.NewServer(httpapi.Options{}).Router()
	r := router.About(httpapi.Resource{Tag: "Teapots", Noun: "teapot", Example: teapot{3}})
	httpapi.Get(r, "/teapots/next", "teapots:read", func(context.Context, httpapi.None) (teapot, error) { return teapot{}, nil }).
		Doc("Get the next teapot", "")
	type lidOrKey = httpapi.Either[httpapi.WithCookies[httpapi.Created[lid]], httpapi.Accepted[key]]
	httpapi.Open(r, http.MethodPost, "/teapots/unlock", func(context.Context, httpapi.None) (lidOrKey, error) { return lidOrKey{}, nil }).
		Doc("Unlock a teapot", "").With(httpapi.Contract{Success: "The lid.", Otherwise: "A key."})
	return router.Routes()
}

const empty = "paths: {}\ncomponents: {responses: {}, schemas: {}}\n"

func TestRouteCompletesTheBaseDocument(t *testing.T) {
	text, err := Document([]byte(empty), routes(), nil, "../../..", "interlock")
	require.NoError(t, err)
	require.Contains(t, string(text), "/api/v1/teapots/next:")
	require.Contains(t, string(text), "x-permission: 'teapots:read'")
	require.Contains(t, string(text), "Teapot: {type: object, additionalProperties: false, required: [size], properties: {size: {type: integer}}}")
}

func TestReplyHasBothResultsAndTheMarkOfOmittedSecrets(t *testing.T) {
	text, err := Document([]byte(empty), routes(), nil, "../../..", "interlock")
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Description string
				Headers     map[string]any
			}
		}
		Components struct {
			Schemas map[string]struct {
				Required   []string
				Properties map[string]any
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &document))
	replies := document.Paths["/api/v1/teapots/unlock"]["post"].Responses
	require.Equal(t, "The lid.", replies["201"].Description)
	require.Contains(t, replies["201"].Headers, "Set-Cookie")
	require.Equal(t, "A key.", replies["202"].Description)
	require.NotContains(t, replies["202"].Headers, "Set-Cookie")
	key := document.Components.Schemas["TeapotKey"]
	require.Equal(t, []string{"id"}, key.Required)
	require.Contains(t, key.Properties, "secretShownOnce")
	require.Equal(t, map[string]any{"$ref": "#/components/schemas/Colour"}, document.Components.Schemas["TeapotLid"].Properties["colour"])
}

func TestFactStatedTwiceIsAnError(t *testing.T) {
	for _, base := range []string{
		"paths: {/api/v1/teapots/next: {}}\ncomponents: {responses: {}, schemas: {}}\n",
		"paths: {}\ncomponents: {responses: {}, schemas: {Teapot: {}}}\n",
	} {
		_, err := Document([]byte(base), routes(), nil, "../../..", "interlock")
		require.ErrorContains(t, err, "both define")
	}
}
