package contract_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/contract/validate"
)

// nastyNames look like "Buyer" or like nothing, and are another text.
var nastyNames = []string{
	"Buyer ", " Buyer", "Buyer\t", "Buyer\u00a0", "Buyer\u3000", "Buyer\u200d", "Buyer\n", "Bu\u2028yer", "Buyer\u200e", "\u202eBuyer", "Bu\u2066yer",
	"\ufeffBuyer", "Bu\u200byer", "Bu\u00adyer", "Bu\u0007yer", " ", "\u3000", "\u200f",
}

// namingMembers are the members of bodies that contain names for users or for other programs.
var namingMembers = []string{"name", "title", "displayName", "reference", "clientId", "eventId"}

// Proves G3.13.
func TestNastyNamesAreRejectedInEveryNamingField(t *testing.T) {
	naming := func(route httpapi.Route) bool { return len(withNames(t, operationOf(t, route), "")) > 0 }
	walked := map[string]bool{}
	eachRoute(t, naming, func(t *testing.T, w walk) {
		path, headers := w.ready(t)
		verify := requireNoWrites(t, w.Program)
		for _, name := range nastyNames {
			for _, bad := range withNames(t, operationOf(t, w.route), name) {
				answer := w.owner.Do(t, w.route.Method, path, bad.body, headers...)
				requireRefusal(t, answer, bad.name)
				requirePlace(t, answer, bad)
				walked[bad.at[strings.LastIndex(bad.at, "/")+1:]] = true
			}
		}
		verify()
	})
	for _, member := range namingMembers {
		require.True(t, walked[member], member)
	}
}

// withNames returns the documented example once for each naming member that a body may have, with
// name as its value.
func withNames(t *testing.T, o *validate.Operation, name string) []badBody {
	return withMembers(t, o, name, func(member string, schema *openapi3.Schema) bool {
		return slices.Contains(namingMembers, member) && schema.Type.Includes("string")
	})
}

// Filters compare texts as they are, on both engines: no blank at an end is ignored.
// Proves G3.13.
func TestFiltersMatchExactTextOnly(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		w := walk{Program: p, owner: owner, rows: map[string][]string{}}
		w.haveOfEach(t, 1)
		newIdempotencyKey(t, owner)
		filtered := 0
		for _, route := range p.Routes() {
			if route.Method != http.MethodGet || hasParameter(route) || !pages(t, route) {
				continue
			}
			for _, filter := range textFilters(operationOf(t, route)) {
				for _, value := range filterValues(t, owner, httpapi.Base+route.Path, filter) {
					total := func(value string) any {
						answer := owner.Do(t, http.MethodGet, httpapi.Base+route.Path+"?"+filter+"="+url.QueryEscape(value), nil)
						if answer.Status == http.StatusBadRequest {
							return 0.0
						}
						require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
						return answer.JSON(t)["total"]
					}
					require.NotEqual(t, 0.0, total(value), "%s?%s=%s", route.Path, filter, value)
					for _, nasty := range []string{value + " ", value + "\u00a0", value + "\u200e", value + "\t", " " + value} {
						require.Equal(t, 0.0, total(nasty), "%s?%s=%q", route.Path, filter, nasty)
					}
					filtered++
				}
			}
		}
		require.GreaterOrEqual(t, filtered, 8)
	})
}

// textFilters are the parameters that select rows by a text of theirs.
func textFilters(o *validate.Operation) []string {
	var names []string
	for _, p := range queryParameters(o) {
		schema := p.Schema.Value
		if schema.Type.Is("string") && len(schema.Enum) == 0 && schema.Format == "" && !slices.Contains([]string{"cursor", "sort", "q", "prefix"}, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// filterValues returns a value by which a filter selects a row: the value of the member with the
// name of the filter.
func filterValues(t *testing.T, c *apptest.Caller, path, member string) []string {
	t.Helper()
	items, _ := c.Do(t, http.MethodGet, path, nil).JSON(t)["items"].([]any)
	for _, item := range items {
		if value, ok := item.(map[string]any)[member].(string); ok && value != "" {
			return []string{value}
		}
	}
	return nil
}

// withMembers returns the documented example once for each matching member of its body, with value
// as that member.
func withMembers(t *testing.T, o *validate.Operation, value string, matches func(member string, schema *openapi3.Schema) bool) []badBody {
	if !o.HasJSON() {
		return nil
	}
	var root any
	require.NoError(t, json.Unmarshal(o.Example(), &root))
	var found []badBody
	var descend func(at string, schema *openapi3.Schema, in any)
	descend = func(at string, schema *openapi3.Schema, in any) {
		if list, ok := in.([]any); ok && len(list) > 0 && schema.Items != nil {
			descend(at+"/0", schema.Items.Value, list[0])
		}
		object, ok := in.(map[string]any)
		if !ok {
			return
		}
		for name, property := range schema.Properties {
			was, present := object[name]
			if matches(name, property.Value) {
				object[name] = value
				text, _ := json.Marshal(root) //nolint:errchkjson // decoded from JSON
				found = append(found, badBody{at + "/" + name + " as " + value, string(text), at + "/" + name})
				if object[name] = was; !present {
					delete(object, name)
				}
				continue
			}
			descend(at+"/"+name, property.Value, was)
		}
	}
	descend("", o.RequestBody.Value.Content["application/json"].Schema.Value, root)
	return found
}
