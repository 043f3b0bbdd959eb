package openapi

import (
	"net/http"
	"reflect"
	"strings"

	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type errorResponse struct{ status, name string }

// errorResponses returns the error responses that follow from a route. The rule is the same
// for the whole contract.
func errorResponses(r httpapi.Route) (list []errorResponse) {
	noun := pascal(r.Resource.Noun)
	match, hasMatch := r.In.FieldByName("IfMatch")
	mustMatch := hasMatch && match.Type == reflect.TypeFor[guard.Precondition]()
	_, hasBody := r.In.FieldByName("Body")
	_, isList := r.In.FieldByName("Cursor")
	writes := r.Method != http.MethodGet
	checksStatus := r.Action != "" || r.Contract.ChecksStatus
	for _, rule := range []struct {
		applies      bool
		status, name string
	}{
		{!writes && hasTag(r.Out), "304", "NotModified"},
		{true, "400", "BadRequest"},
		{!r.Public, "401", "Unauthenticated"},
		{r.Permission != "" && !r.StepUp, "403", "Forbidden"},
		{r.StepUp, "403", "ForbiddenOrStepUp"},
		{strings.Contains(r.Path, ":") || r.Contract.MayMiss, "404", "NotFound"},
		{checksStatus, "409", noun + "TransitionRefused"},
		{r.Mutates && !checksStatus, "409", "RequestInProgress"},
		{hasMatch, "412", noun + "Conflict"},
		{writes, "413", "PayloadTooLarge"},
		{r.Mutates || hasBody || isList && hasTimeParameter(r.In), "422", "ValidationFailed"},
		{r.Contract.Locks, "423", "Locked"},
		{mustMatch, "428", "PreconditionRequired"},
		{!r.Public, "429", "RateLimited"},
		{true, "500", "Internal"},
		{true, "503", "Unavailable"},
	} {
		if rule.applies {
			list = append(list, errorResponse{rule.status, rule.name})
		}
	}
	return list
}

// hasTimeParameter reports whether a query can contain a time. A time out of range is 422.
func hasTimeParameter(in reflect.Type) bool {
	for _, f := range reflect.VisibleFields(in) {
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if f.Tag.Get("query") != "" && t == timeType {
			return true
		}
	}
	return false
}

// conflicts adds the responses to conflicts on a resource with a status.
func (d *document) conflicts(resource *httpapi.Resource) {
	noun := pascal(resource.Noun)
	if resource.Machine == nil || d.responseComponents.get(noun+"Conflict") != nil {
		return
	}
	current := member{"current", ref("schemas", noun)}
	refused := mapping{{"code", mapping{{"enum", []string{"transition_not_allowed", "status_changed"}}}}, current}
	var required []string
	if resource.Refusal != nil {
		_, names, members := d.members(reflect.TypeOf(resource.Refusal), false)
		required, refused = names, append(refused, members...)
	}
	d.component(noun+"TransitionRefused", problem("TransitionRefusedMembers", required, refused))
	d.component(noun+"Conflict", problem("VersionConflictMembers", []string{"currentStatus", "allowedTransitions"}, mapping{
		{"base", mapping{{"type", "null"}}}, current, {"currentStatus", ref("schemas", noun+"Status")},
		{"allowedTransitions", mapping{{"type", "array"}, {"items", mapping{{"type", "string"}}}}},
	}))
	d.response(noun+"TransitionRefused", "`transition_not_allowed`: the "+resource.Noun+" is in a status that does not allow the action, or the caller may not take it. "+
		"`status_changed`: another request changed the status first. `current` is the "+resource.Noun+" now.", false, noun+"TransitionRefused", "RequestInProgress")
	d.response(noun+"Conflict", "`version_conflict`: the "+resource.Noun+" is not at the version of `If-Match`. Read `current` and decide again.", true, noun+"Conflict")
}

// problem returns the schema of an error reply that has the members of another schema and
// properties.
func problem(members string, required []string, properties mapping) mapping {
	schema := mapping{{"allOf", []mapping{ref("schemas", members)}}, {"unevaluatedProperties", false}}
	if len(required) > 0 {
		schema = append(schema, member{"required", required})
	}
	return append(schema, member{"properties", properties})
}

// response adds an error response; its body has one of the schemas.
func (d *document) response(name, description string, hasETag bool, schemas ...string) {
	headers := mapping{{"X-Request-Id", ref("headers", "X-Request-Id")}}
	if hasETag {
		headers = append(headers, member{"ETag", ref("headers", "ETag")})
	}
	schema := ref("schemas", schemas[0])
	if len(schemas) > 1 {
		any := make([]mapping, len(schemas))
		for i, each := range schemas {
			any[i] = ref("schemas", each)
		}
		schema = mapping{{"anyOf", any}}
	}
	d.responseComponents = d.responseComponents.with(name, mapping{
		{"description", description}, {"headers", headers}, {"content", mapping{{"application/problem+json", mapping{{"schema", schema}}}}},
	})
}
