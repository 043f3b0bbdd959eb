package contract_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/contract/validate"
)

// badBody is a body that must be rejected.
type badBody struct {
	name string
	body string
	// at is the JSON Pointer that the error must name, or "" for the whole body.
	at string
}

func writes(route httpapi.Route) bool { return route.Method != http.MethodGet }

func TestBadBodiesAreRejectedAndChangeNothing(t *testing.T) {
	withBody := func(route httpapi.Route) bool { return operationOf(t, route).HasJSON() }
	eachRoute(t, withBody, func(t *testing.T, w walk) {
		operation := operationOf(t, w.route)
		path, headers := w.ready(t)
		verify := requireNoWrites(t, w.Program)
		for _, bad := range slices.Concat(badTexts(operation), badMembers(t, operation)) {
			answer := w.owner.Do(t, w.route.Method, path, bad.body, headers...)
			requireRefusal(t, answer, bad.name)
			if w.route.MaxBody > 0 && int64(len(bad.body)) > w.route.MaxBody {
				require.Equal(t, "payload_too_large", answer.Code(), bad.name)
				continue
			}
			requirePlace(t, answer, bad)
		}
		verify()
	})
}

// ready returns the route's path on a row of the owner, and the headers with which a valid
// request would succeed.
func (w walk) ready(t *testing.T) (path string, headers []string) {
	t.Helper()
	path = w.path(t)
	if !w.route.Guarded {
		return path, w.asCustomer(t)
	}
	resource := rowOf(w.route, path)
	etag := w.owner.Do(t, http.MethodGet, resource, nil).Header.Get("ETag")
	require.NotEmpty(t, etag, resource)
	return path, []string{"If-Match", etag}
}

// asCustomer returns the headers with which an admin calls a route for customers: the admin
// acts for a customer.
func (w walk) asCustomer(t *testing.T) []string {
	t.Helper()
	if parameter(operationOf(t, w.route), openapi3.ParameterInHeader, "X-On-Behalf-Of") == nil {
		return nil
	}
	if ofCustomers(w.route) {
		return []string{"X-On-Behalf-Of", "7"} // the customer of newOrder
	}
	return []string{"X-On-Behalf-Of", "12"}
}

func requireRefusal(t *testing.T, answer apptest.Answer, what string) {
	t.Helper()
	require.GreaterOrEqual(t, answer.Status, 400, "%s: %s", what, answer.Body)
	require.Less(t, answer.Status, 500, "%s: %s", what, answer.Body)
	require.Equal(t, "application/problem+json", answer.Header.Get("Content-Type"), what)
}

func requirePlace(t *testing.T, answer apptest.Answer, bad badBody) {
	t.Helper()
	var refusal struct {
		Code   string
		Fields []struct{ Pointer, Message string }
	}
	require.NoError(t, json.Unmarshal(answer.Body, &refusal))
	require.Contains(t, []string{"malformed_request", "precondition_malformed", "validation_failed"}, refusal.Code, "%s: %s", bad.name, answer.Body)
	require.NotEmpty(t, refusal.Fields, "%s: %s", bad.name, answer.Body)
	for _, field := range refusal.Fields {
		if field.Pointer == bad.at || strings.HasPrefix(field.Pointer, bad.at+"/") {
			return
		}
	}
	require.Fail(t, "the rejection has another pointer", "%s: want %q in %s", bad.name, bad.at, answer.Body)
}

// badTexts are invalid bodies.
func badTexts(o *validate.Operation) []badBody {
	sound := string(o.Example())
	opened := strings.TrimSuffix(sound, "}")
	if opened != "{" {
		opened += ","
	}
	long := strings.Repeat("k", 10_000)
	texts := []badBody{
		{"data after the JSON", sound + "{}", ""},
		{"JSON that ends too early", strings.TrimSuffix(sound, "}"), ""},
		{"no JSON", "name=value", ""},
		{"an array", "[" + sound + "]", ""},
		{"a string", `"text"`, ""},
		{"null", "null", ""},
		{"an unknown field", opened + `"unknownField":1}`, "/unknownField"},
		{"a duplicate field", opened + `"twice":1,"twice":1}`, "/twice"},
		{"a key of 10,000 characters", opened + `"` + long + `":1}`, "/" + long[:100] + "…"},
		{"invalid UTF-8", opened + "\"text\":\"\xff\"}", "/text"},
		{"an escaped NUL", opened + `"text":"\u0000"}`, "/text"},
		{"a raw NUL", opened + "\"text\":\"\x00\"}", "/text"},
		{"half a surrogate pair", opened + `"text":"\ud800"}`, "/text"},
		{"10,000 levels", opened + `"deep":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}", "/deep"},
	}
	if o.RequestBody.Value.Required {
		texts = append(texts, badBody{"nothing", "", ""})
	}
	return texts
}

// badMembers replaces each member of the documented example, at every depth, by values that
// its schema forbids.
func badMembers(t *testing.T, o *validate.Operation) []badBody {
	var example any
	require.NoError(t, json.Unmarshal(o.Example(), &example))
	m := mutator{root: example}
	m.descend("", o.RequestBody.Value.Content["application/json"].Schema.Value, example, func(v any) { m.root = v })
	return m.bad
}

type mutator struct {
	root any
	bad  []badBody
}

// descend replaces the value at a JSON Pointer, by set, and then the values below it.
func (m *mutator) descend(at string, schema *openapi3.Schema, value any, set func(any)) {
	if at != "" {
		for name, wrong := range wrongFor(schema) {
			set(wrong)
			text, _ := json.Marshal(m.root) //nolint:errchkjson // decoded from JSON
			m.bad = append(m.bad, badBody{at + " as " + name, string(text), at})
		}
		set(value)
	}
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if property := propertyOf(schema, name); property != nil {
				m.descend(at+"/"+name, property, member, func(to any) { v[name] = to })
			}
		}
	case []any:
		if len(v) > 0 && schema.Items != nil {
			m.descend(at+"/0", schema.Items.Value, v[0], func(to any) { v[0] = to })
		}
	}
}

func propertyOf(schema *openapi3.Schema, name string) *openapi3.Schema {
	if property := schema.Properties[name]; property != nil {
		return property.Value
	}
	for _, part := range schema.AllOf {
		if property := propertyOf(part.Value, name); property != nil {
			return property
		}
	}
	return nil
}

// strangeText does not match most patterns.
const strangeText = "a %|"

// wrongFor returns values that a schema forbids, by their descriptions. A schema without a
// type allows everything.
func wrongFor(schema *openapi3.Schema) map[string]any {
	takes := func(kind string) bool { return schema.Type.Includes(kind) }
	wrong := map[string]any{}
	if schema.Type == nil && len(schema.Enum) == 0 {
		return wrong
	}
	add := func(allowed bool, name string, value any) {
		if !allowed {
			wrong[name] = value
		}
	}
	text := takes("string") || len(schema.Enum) > 0
	add(text, "a string", "text")
	add(takes("integer"), "a number", 7)
	add(takes("boolean"), "a boolean", true)
	add(takes("array"), "an array", []any{})
	add(takes("object"), "an object", map[string]any{})
	add(takes("null"), "null", nil)
	add(!text, "10,000 characters", strings.Repeat("x", 10_000))
	add(len(schema.Enum) == 0, "a word that is none of its", "nonesuch")
	if takes("integer") {
		wrong["a fraction"] = json.Number("1.5")
		wrong["an exponent"] = json.Number("1e2")
	}
	// A member that may also be a string accepts integers of any size, such as a shop's
	// customer id.
	if takes("integer") && !text {
		wrong["beyond int64"] = json.Number("9223372036854775808")
		wrong["below int64"] = json.Number("-9223372036854775809")
	}
	if pattern := regexp.MustCompile(schema.Pattern); !pattern.MatchString(strangeText) {
		wrong["characters that are not of its pattern"] = strangeText
	}
	return wrong
}

func TestBodiesOverTheLimitAreRejectedUnread(t *testing.T) {
	eachRoute(t, writes, func(t *testing.T, w walk) {
		limit := 1 << 20
		if w.route.MaxBody > 0 {
			limit = int(w.route.MaxBody)
		}
		path, headers := w.ready(t)
		verify := requireNoWrites(t, w.Program)
		over := bytes.Repeat([]byte(" "), limit+1)
		answer := w.owner.Do(t, w.route.Method, path, over, headers...)
		require.Equal(t, http.StatusRequestEntityTooLarge, answer.Status, "%s", answer.Body)
		require.Equal(t, "payload_too_large", answer.Code())

		// Without a Content-Length the server detects the limit while it reads.
		request, err := http.NewRequestWithContext(t.Context(), w.route.Method, w.URL+path, io.MultiReader(bytes.NewReader(over)))
		require.NoError(t, err)
		w.owner.Authenticate(request)
		reply, err := apptest.Client.Do(request)
		require.NoError(t, err)
		defer reply.Body.Close()
		require.Equal(t, http.StatusRequestEntityTooLarge, reply.StatusCode)
		verify()
	})
}

var nameable = regexp.MustCompile(`^[a-z0-9][a-z0-9.]{0,49}$`)

func TestAddressesWithoutAResourceAreRejected(t *testing.T) {
	eachRoute(t, hasParameter, func(t *testing.T, w walk) {
		verify := requireNoWrites(t, w.Program)
		for _, value := range []string{
			"0", "-1", "1e3", "1.5", "9223372036854775808", "99999999999999999999999999", "nonesuch",
			"%00", "a%00b", "%FF", "a%2Fb", "%2e%2e", "'%20OR%201=1--", "%E2%80%AE", "%20", strings.Repeat("x", 10_000),
		} {
			// A route that creates on first use creates a thing with a valid name.
			if makes(w.route) && nameable.MatchString(value) {
				continue
			}
			plain, err := url.PathUnescape(value)
			require.NoError(t, err)
			if everybodys(w.route) && principal.CustomerID(plain).Valid() {
				continue
			}
			path := fill(t, w.route, func(string) string { return value })
			answer := w.owner.Do(t, w.route.Method, path, example(t, w.route), w.asCustomer(t)...)
			requireRefusal(t, answer, value)
			require.Contains(t, []int{http.StatusBadRequest, http.StatusNotFound}, answer.Status, "%s: %s", value, answer.Body)
		}
		verify()
	})
}

func TestUnknownTransitionsAreRejected(t *testing.T) {
	// A path below a flag is the path of another flag, with an unescaped slash in its key.
	ofAPI := func(route httpapi.Route) bool { return hasParameter(route) && route.Prefix == httpapi.Base }
	eachRoute(t, ofAPI, func(t *testing.T, w walk) {
		path := w.path(t)
		verify := requireNoWrites(t, w.Program)
		answer := w.owner.Do(t, http.MethodPost, path+"/nonesuch", map[string]any{})
		requireRefusal(t, answer, "POST …/nonesuch")
		require.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, answer.Status)
		verify()
	})
}

func TestBadQueriesAreRejectedByName(t *testing.T) {
	queried := func(route httpapi.Route) bool {
		return len(queryParameters(operationOf(t, route))) > 0
	}
	eachRoute(t, queried, func(t *testing.T, w walk) {
		operation := operationOf(t, w.route)
		path, headers := w.ready(t)
		verify := requireNoWrites(t, w.Program)
		for _, p := range queryParameters(operation) {
			for _, value := range badValues(p) {
				query := "?" + p.Name + "=" + value
				answer := w.owner.Do(t, w.route.Method, path+query, example(t, w.route), headers...)
				require.Equal(t, http.StatusBadRequest, answer.Status, "%s: %s", query, answer.Body)
				require.Equal(t, "malformed_request", answer.Code(), query)
				requirePlace(t, answer, badBody{name: query, at: "?" + p.Name})
			}
		}
		verify()
	})
}

// timesOutOfRange are sound RFC 3339; the last two are in the years 1999 and 10000 in UTC.
var timesOutOfRange = []string{"0001-01-01T00:00:00Z", "1999-12-31T23:59:59.999999Z", "2000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-14:00"}

func TestTimesOutOfRangeAreRejectedEverywhere(t *testing.T) {
	timed := func(route httpapi.Route) bool {
		return len(timeParameters(operationOf(t, route)))+len(timeMembers(t, operationOf(t, route), "")) > 0
	}
	eachRoute(t, timed, func(t *testing.T, w walk) {
		operation := operationOf(t, w.route)
		path, headers := w.ready(t)
		verify := requireNoWrites(t, w.Program)
		for _, value := range timesOutOfRange {
			for _, name := range timeParameters(operation) {
				query := "?" + name + "=" + url.QueryEscape(value)
				requireRange(t, w.owner.Do(t, w.route.Method, path+query, example(t, w.route), headers...), badBody{name: query, at: "?" + name})
			}
			for _, bad := range timeMembers(t, operation, value) {
				requireRange(t, w.owner.Do(t, w.route.Method, path, bad.body, headers...), bad)
			}
		}
		verify()
	})
}

func requireRange(t *testing.T, answer apptest.Answer, bad badBody) {
	t.Helper()
	require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", bad.name, answer.Body)
	requirePlace(t, answer, bad)
	require.Contains(t, string(answer.Body), `"code":"range"`, bad.name)
}

func timeParameters(o *validate.Operation) []string {
	var names []string
	for _, p := range queryParameters(o) {
		if p.Schema.Value.Format == "date-time" {
			names = append(names, p.Name)
		}
	}
	return names
}

// timeMembers returns the documented example once for each time that a body may have, with value
// as that time.
func timeMembers(t *testing.T, o *validate.Operation, value string) []badBody {
	return withMembers(t, o, value, func(_ string, schema *openapi3.Schema) bool { return schema.Format == "date-time" })
}

func TestUnknownParametersAreRejectedByName(t *testing.T) {
	// A provider may add parameters to our address that we must not reject (RFC 6749,
	// 4.1.2).
	ofOurs := func(route httpapi.Route) bool { return route.Path != "/session/oidc/:provider/callback" }
	eachRoute(t, ofOurs, func(t *testing.T, w walk) {
		path, headers := w.ready(t)
		verify := requireNoWrites(t, w.Program)
		answer := w.owner.Do(t, w.route.Method, path+"?nonesuch=1", example(t, w.route), headers...)
		require.Equal(t, http.StatusBadRequest, answer.Status, "%s", answer.Body)
		require.Equal(t, "malformed_request", answer.Code())
		requirePlace(t, answer, badBody{name: "an unknown parameter", at: "?nonesuch"})
		verify()
	})
}

func queryParameters(o *validate.Operation) []*openapi3.Parameter {
	var found []*openapi3.Parameter
	for _, p := range o.Parameters {
		if p.In == openapi3.ParameterInQuery {
			found = append(found, p)
		}
	}
	return found
}

// badValues are values of a query parameter that its schema forbids, escaped.
func badValues(p *openapi3.Parameter) []string {
	schema := p.Schema.Value
	bad := []string{"%00", "%FF"}
	switch {
	case p.Name == "cursor":
		bad = append(bad, "x", "%21%21", "bnVsbA", "e30", "eyJzIjoiaWQiLCJ2IjoieCIsImkiOjF9", strings.Repeat("A", 10_000))
	case len(schema.Enum) > 0:
		bad = append(bad, "nonesuch", "-", url.QueryEscape("id; DROP TABLE users"))
	case schema.Type.Is("integer"):
		bad = append(bad, "abc", "-1", "1.5", "9223372036854775808")
	case schema.Type.Is("boolean"):
		bad = append(bad, "maybe", "1")
	case schema.Format == "date-time":
		bad = append(bad, "yesterday", "2026-13-01T00:00:00Z")
	}
	if schema.Min != nil && *schema.Min > 0 {
		bad = append(bad, "0")
	}
	if schema.Max != nil {
		bad = append(bad, strconv.FormatFloat(*schema.Max+1, 'f', 0, 64))
	}
	return bad
}

// pages reports whether a route returns a page of a list.
func pages(t *testing.T, route httpapi.Route) bool {
	return parameter(operationOf(t, route), openapi3.ParameterInQuery, "cursor") != nil
}

func TestCursorIsRejectedUnderAnotherSort(t *testing.T) {
	sorted := func(route httpapi.Route) bool {
		return pages(t, route) && route.Path != "/audit-log" && !ofCustomers(route) && parameter(operationOf(t, route), openapi3.ParameterInQuery, "sort") != nil
	}
	eachRoute(t, sorted, func(t *testing.T, w walk) {
		path := w.path(t)
		w.haveOfEach(t, 2)
		sorts := parameter(operationOf(t, w.route), openapi3.ParameterInQuery, "sort").Schema.Value.Enum
		first := w.owner.Do(t, http.MethodGet, path+"?limit=1&sort="+sorts[0].(string), nil).JSON(t)
		cursor, _ := first["nextCursor"].(string)
		if cursor == "" {
			require.EqualValues(t, 1, first["total"], "only a list of one row has no second page")
			return
		}
		answer := w.owner.Do(t, http.MethodGet, path+"?limit=1&sort="+sorts[1].(string)+"&cursor="+cursor, nil)
		require.Equal(t, http.StatusBadRequest, answer.Status, "%s", answer.Body)
		requirePlace(t, answer, badBody{name: "cursor", at: "?cursor"})
	})
}
