// Package contract_test checks the running program against api/openapi.yaml and against the
// guarantees for every route: which callers it admits, which requests it rejects, and that
// a rejection changes nothing.
//
// The suites are generated from the registered routes and from the document, so that a new
// route is covered as soon as it exists. It only needs a documented example and, for a new
// kind of path parameter, an entry in fixtures.
package contract_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/contract/validate"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }

var echoParameter = regexp.MustCompile(`:([A-Za-z]+)`)

// documentedAs returns the name of a route's operation in the document.
func documentedAs(route httpapi.Route) string {
	return route.Method + " " + route.Prefix + echoParameter.ReplaceAllString(route.Path, "{$1}")
}

// operationOf returns a route's operation in the document.
func operationOf(t *testing.T, route httpapi.Route) *validate.Operation {
	t.Helper()
	o := load(t).Operation(documentedAs(route))
	require.NotNil(t, o, "%s is registered and not in api/openapi.yaml", documentedAs(route))
	return o
}

// serviceOperations are served outside the API's router.
var serviceOperations = []string{"GET /healthz", "GET /health", "GET /readyz", "GET /metrics", "GET /openapi.json", "GET /docs", "GET /graphiql", "GET /problems", "GET /problems/{code}"}

func TestRoutesAndDocumentedOperationsMatch(t *testing.T) {
	contract := load(t)
	var registered []string
	for _, route := range apptest.Shared(t, "sqlite").Routes() {
		registered = append(registered, documentedAs(route))
	}
	var documented []string
	for _, o := range contract.Operations() {
		documented = append(documented, o.Name)
	}
	require.ElementsMatch(t, append(registered, serviceOperations...), documented)
}

func TestDocumentStatesTheRequirementsOfEachRoute(t *testing.T) {
	for _, route := range apptest.Shared(t, "sqlite").Routes() {
		t.Run(documentedAs(route), func(t *testing.T) {
			o := operationOf(t, route)
			permission, _ := o.Extensions["x-permission"].(string)
			require.Equal(t, route.Permission, permission, "x-permission")
			require.Equal(t, route.Public, len(*o.Security) == 0, "security: [] is for public routes only")
			require.Equal(t, route.Guarded, requiresIfMatch(o), "guarded routes require If-Match")
			stepUp, _ := o.Extensions["x-step-up"].(bool)
			require.Equal(t, route.StepUp, stepUp, "x-step-up")
			asksForFactor := stepUp
			for _, need := range route.Needs {
				p := parameter(o, openapi3.ParameterInQuery, need.Parameter)
				require.NotNil(t, p, need.Parameter)
				require.Equal(t, need.Permission, p.Extensions["x-permission"], need.Parameter)
				stepUp, _ := p.Extensions["x-step-up"].(bool)
				require.Equal(t, need.StepUp, stepUp, need.Parameter)
				asksForFactor = asksForFactor || stepUp
			}
			require.Len(t, route.Needs, countParameters(o, "x-permission"))
			require.Equal(t, asksForFactor, refusesForStepUp(o), "403 step_up_required is for routes and parameters that ask for a fresh factor")
			require.Equal(t, route.Stream, streams(o), "text/event-stream is for streams")
		})
	}
}

// everybodysRoutes are the operations that require credentials but no permission. A new
// operation without a permission must be added here deliberately.
var everybodysRoutes = []string{
	"GET /api/v1/session", "DELETE /api/v1/session", "POST /api/v1/session/step-up", "POST /api/v1/session/step-up/challenge",
	"GET /api/v1/me", "PATCH /api/v1/me", "POST /api/v1/me/password", "GET /api/v1/sessions", "DELETE /api/v1/sessions", "DELETE /api/v1/sessions/{id}",
	"GET /api/v1/me/factors", "POST /api/v1/me/factors", "POST /api/v1/me/factors/{id}/confirm", "POST /api/v1/me/factors/{id}/rename",
	"DELETE /api/v1/me/factors/{id}", "POST /api/v1/me/factors/recovery-codes",
	"GET /api/v1/me/links", "POST /api/v1/me/links", "DELETE /api/v1/me/links/{id}",
	// These responses contain only data that the caller may read.
	"GET /api/v1/menus", "GET /api/v1/events", "POST /api/v1/presence", "GET /api/v1/search", "GET /api/v1/dashboard",
	// These are for customers.
	"POST /api/v1/flash-sales/{id}/orders", "GET /api/v1/flash-sales/{id}/tickets/{ticket}",
	"GET /api/v1/my/orders", "GET /api/v1/my/orders/{id}", "GET /api/v1/my/wallet", "GET /api/v1/my/coupons",
	"GET /api/v1/my/tickets", "GET /api/v1/my/orders/{id}/returns", "POST /api/v1/my/orders/{id}/returns",
}

func TestRoutesWithoutPermissionAreListed(t *testing.T) {
	var without []string
	for _, route := range apptest.Shared(t, "sqlite").Routes() {
		if !route.Public && route.Permission == "" {
			without = append(without, documentedAs(route))
		}
	}
	require.ElementsMatch(t, everybodysRoutes, without)
}

// The declaration of a route for money or orders states the longer retention.
func TestCriticalRoutesHaveLongerReplyRetention(t *testing.T) {
	about := regexp.MustCompile(`^/(my/orders|wallets|wallet-transfers|inventory|orders|order-batches|payments|refunds|returns|flash-sales)(/|$)|^/coupons/:code/redeem$`)
	for _, route := range apptest.Shared(t, "sqlite").Routes() {
		switch route.Method {
		case http.MethodPost, http.MethodPut, http.MethodPatch:
			require.Equal(t, about.MatchString(route.Path), route.Critical, documentedAs(route))
		}
	}
}

// stepUp are the operations that require a recent second factor. An operation must be
// removed here deliberately.
var stepUp = []string{
	"POST /api/v1/users", "PATCH /api/v1/users/{id}", "POST /api/v1/users/{id}/disable", "POST /api/v1/users/{id}/enable",
	"POST /api/v1/users/{id}/reset-password", "POST /api/v1/users/{id}/invite", "POST /api/v1/users/{id}/reset-factors",
	"POST /api/v1/roles", "PATCH /api/v1/roles/{id}", "DELETE /api/v1/roles/{id}",
	"POST /api/v1/tokens", "DELETE /api/v1/tokens/{id}", "PATCH /api/v1/settings",
	"POST /api/v1/me/factors", "DELETE /api/v1/me/factors/{id}", "POST /api/v1/me/factors/{id}/confirm", "POST /api/v1/me/factors/{id}/rename", "POST /api/v1/me/factors/recovery-codes",
	"POST /api/v1/me/links", "DELETE /api/v1/me/links/{id}", "DELETE /api/v1/users/{id}/links/{linkId}",
	"POST /api/v1/payments/{id}/refund", "POST /api/v1/refunds/{id}/approve", "POST /api/v1/approvals/{id}/approve",
}

// Proves G7.17.
func TestDangerousOperationsRequireStepUp(t *testing.T) {
	var declared []string
	for _, route := range apptest.Shared(t, "sqlite").Routes() {
		if route.StepUp {
			declared = append(declared, documentedAs(route))
		}
	}
	require.ElementsMatch(t, stepUp, declared)
}

func refusesForStepUp(o *validate.Operation) bool {
	forbidden := o.Responses.Value("403")
	return forbidden != nil && strings.Contains(forbidden.Ref, "StepUp")
}

func requiresIfMatch(o *validate.Operation) bool {
	p := parameter(o, openapi3.ParameterInHeader, "If-Match")
	return p != nil && p.Required
}

// countParameters returns how many parameters of an operation have an extension.
func countParameters(o *validate.Operation, extension string) (n int) {
	for _, p := range o.Parameters {
		if p.Extensions[extension] != nil {
			n++
		}
	}
	return n
}

func parameter(o *validate.Operation, in, name string) *openapi3.Parameter {
	for _, p := range o.Parameters {
		if p.In == in && p.Name == name {
			return p
		}
	}
	return nil
}

func streams(o *validate.Operation) bool {
	ok := o.Responses.Value("200")
	return ok != nil && ok.Value.Content["text/event-stream"] != nil
}
