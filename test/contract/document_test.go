package contract_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"interlock/api"
	"interlock/internal/edge/httpapi"
	"interlock/test/contract/validate"
)

func load(t *testing.T) *validate.Contract {
	t.Helper()
	contract, err := validate.Load()
	require.NoError(t, err)
	return contract
}

func TestDocumentIsValidOpenAPIWithValidExamples(t *testing.T) {
	require.NoError(t, load(t).Document.Validate(t.Context()))
}

var camelCase = regexp.MustCompile(`^[a-z][a-zA-Z]+$`)

func TestEveryOperationIsDescribedInFull(t *testing.T) {
	contract := load(t)
	var tags []string
	for _, tag := range contract.Document.Tags {
		require.NotEmpty(t, tag.Description, tag.Name)
		tags = append(tags, tag.Name)
	}
	ids := map[string]string{}
	for _, o := range contract.Operations() {
		t.Run(o.Name, func(t *testing.T) {
			require.Regexp(t, camelCase, o.OperationID)
			require.Empty(t, ids[o.OperationID], "operationId %s is used twice", o.OperationID)
			ids[o.OperationID] = o.Name
			require.NotEmpty(t, o.Summary)
			require.Len(t, o.Tags, 1)
			require.Contains(t, tags, o.Tags[0])
			require.NotNil(t, o.Security, "state who may call: security, or [] for all callers")
			for status, response := range o.Responses.Map() {
				require.NotEmpty(t, *response.Value.Description, status)
			}
			for _, p := range o.Parameters {
				require.NotNil(t, p.Schema, p.Name)
			}
			if o.HasJSON() {
				require.NotEmpty(t, o.Example(), "a request body needs an example")
			}
			for _, status := range owed(o) {
				require.NotNil(t, o.Responses.Value(status), "status %s is not documented", status)
			}
		})
	}
}

// owed are the statuses that an operation must document because of its kind.
func owed(o *validate.Operation) []string {
	if !strings.HasPrefix(o.Path, httpapi.Base+"/") {
		return nil
	}
	statuses := []string{"400", "500", "503"}
	if len(*o.Security) > 0 {
		statuses = append(statuses, "401", "429")
	}
	if o.Extensions["x-permission"] != nil {
		statuses = append(statuses, "403")
	}
	if strings.Contains(o.Path, "{") {
		statuses = append(statuses, "404")
	}
	if o.Method != http.MethodGet {
		statuses = append(statuses, "413")
	}
	if o.RequestBody != nil {
		statuses = append(statuses, "422")
	}
	for _, p := range o.Parameters {
		if p.Name == "If-Match" {
			statuses = append(statuses, "412")
		}
		if p.Name == "If-Match" && p.Required {
			statuses = append(statuses, "428")
		}
		if p.Name == "If-None-Match" {
			statuses = append(statuses, "304")
		}
	}
	return statuses
}

func TestObjectsAreClosedSoThatDriftShows(t *testing.T) {
	contract := load(t)
	for name, ref := range contract.Document.Components.Schemas {
		schema := ref.Value
		if !schema.Type.Is(openapi3.TypeObject) && len(schema.AllOf) == 0 {
			continue
		}
		if isBase(contract, name) || schema.Extensions["x-open"] != nil {
			continue
		}
		closed := isFalse(schema.AdditionalProperties) || isFalse(schema.UnevaluatedProperties)
		require.True(t, closed, "schema %s: set additionalProperties or unevaluatedProperties to false, or say x-open: why", name)
	}
}

func isFalse(s openapi3.BoolSchema) bool { return s.Has != nil && !*s.Has }

// isBase reports whether a schema is only used as part of a closed schema.
func isBase(contract *validate.Contract, name string) bool {
	for _, other := range contract.Document.Components.Schemas {
		for _, part := range other.Value.AllOf {
			if part.Ref == "#/components/schemas/"+name {
				return true
			}
		}
	}
	return false
}

var references = regexp.MustCompile(`"\$ref":"#/components/([^"]*)"`)

func TestEveryComponentIsUsed(t *testing.T) {
	text, err := api.JSON()
	require.NoError(t, err)
	var used []string
	for _, reference := range references.FindAllStringSubmatch(string(text), -1) {
		used = append(used, reference[1])
	}
	var document struct {
		Components map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(text, &document))
	for kind, components := range document.Components {
		for name := range components {
			if kind != "securitySchemes" {
				require.True(t, slices.Contains(used, kind+"/"+name), "nothing refers to %s/%s", kind, name)
			}
		}
	}
}
