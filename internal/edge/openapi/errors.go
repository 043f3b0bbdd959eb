package openapi

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

// errorResponses returns the error responses of a route. One table of rules applies to all routes;
// the rejections and responses of the route's contract extend or replace its entries.
func (d *document) errorResponses(r httpapi.Route) (list mapping) {
	noun := pascal(r.Resource.Noun)
	match, hasMatch := r.In.FieldByName("IfMatch")
	mustMatch := hasMatch && match.Type == reflect.TypeFor[guard.Precondition]()
	_, hasBody := r.In.FieldByName("Body")
	writes := r.Method != http.MethodGet
	storesReply := storesReply(r)
	checksStatus := r.Action != "" || r.Contract.ChecksStatus
	stepsUp := r.StepUp || slices.ContainsFunc(r.Needs, func(need httpapi.Need) bool { return need.StepUp })
	mayForbid := r.Permission != "" || r.Contract.ForCustomers || writes && !r.Public
	conflict := noun + "Conflict"
	if !mustMatch && d.edited[noun] && r.Resource.Machine != nil {
		conflict = noun + "MovedOn"
	}
	for _, rule := range []struct {
		applies      bool
		status, name string
	}{
		{!writes && tagHeader(r.Out) != "", "304", "NotModified"},
		{true, "400", "BadRequest"},
		{!r.Public, "401", "Unauthenticated"},
		{mayForbid && !stepsUp, "403", "Forbidden"},
		{stepsUp, "403", "ForbiddenOrStepUp"},
		{strings.Contains(r.Path, ":") || r.Contract.MayMiss, "404", "NotFound"},
		{checksStatus, "409", noun + "TransitionRefused"},
		{storesReply && r.Mutates && !checksStatus, "409", "RequestInProgress"},
		{hasMatch, "412", conflict},
		{writes, "413", "PayloadTooLarge"},
		{r.Method == http.MethodPatch, "415", "UnsupportedMediaType"},
		{storesReply || hasBody || hasTimeParameter(r.In), "422", "ValidationFailed"},
		{r.Contract.Locks, "423", "Locked"},
		{mustMatch, "428", "PreconditionRequired"},
		{!r.Public, "429", "RateLimited"},
		{true, "500", "Internal"},
		{true, "503", "Unavailable"},
	} {
		if rule.applies {
			list = append(list, member{rule.status, ref("responses", rule.name)})
		}
	}
	for _, rejection := range r.Contract.Rejections {
		status := strconv.Itoa(rejection.Status())
		list = list.with(status, d.rejected(r, status, checksStatus && status == "409", storesReply && (status == "409" && r.Mutates || status == "422")))
	}
	for status, name := range r.Contract.Responses {
		list = list.with(status, ref("responses", name))
	}
	slices.SortStableFunc(list, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return list
}

// rejected returns the error response of a route for one HTTP status. With isTransition it
// includes the rejections of the status machine, and with storesReply the rejection of the
// idempotency key.
func (d *document) rejected(r httpapi.Route, status string, isTransition, storesReply bool) mapping {
	var sentences, schemas []string
	if isTransition {
		sentences = append(sentences, "`transition_not_allowed`, `status_changed`: the status does not allow it.")
		schemas = append(schemas, d.noun+"TransitionRefused")
	}
	for _, rejection := range r.Contract.Rejections {
		if strconv.Itoa(rejection.Status()) != status {
			continue
		}
		code := string(rejection.Code)
		name := pascal(strings.ReplaceAll(code, "_", " "))
		if rejection.Cause == "" {
			return ref("responses", name)
		}
		sentences = append(sentences, "`"+code+"`: "+rejection.Cause+".")
		codeOnly := mapping{{"code", mapping{{"const", code}}}}
		if codes := sharing(r.Contract.Rejections, rejection.Members); len(codes) > 1 {
			codeOnly = mapping{{"code", mapping{{"enum", codes}}}}
		}
		switch {
		case rejection.Members != nil:
			t := reflect.TypeOf(rejection.Members)
			_, required, members := d.members(t, false)
			if rejection.Code == apperr.ValidationFailed {
				required = append(required, "fields")
			}
			name = d.nameOf(t)
			d.component(name, problem("ProblemMembers", required, append(codeOnly, members...)))
		case !slices.Contains(d.baseSchemas, name):
			d.component(name, problem("ProblemMembers", nil, codeOnly))
		}
		if !slices.Contains(schemas, name) {
			schemas = append(schemas, name)
		}
	}
	if storesReply {
		schemas = append(schemas, map[string]string{"409": "RequestInProgress", "422": "IdempotencyKeyReused"}[status])
	}
	id := operationID(r)
	name := strings.ToUpper(id[:1]) + id[1:] + map[string]string{"409": "Refused", "412": "Stale", "422": "Invalid", "500": "Failed", "503": "Unavailable"}[status]
	d.response(name, strings.Join(sentences, " "), map[string]string{"503": "Retry-After"}[status], schemas...)
	return ref("responses", name)
}

// sharing returns the codes of the rejections with the same members.
func sharing(rejections []httpapi.Rejection, members any) (codes []string) {
	for _, rejection := range rejections {
		if members != nil && reflect.TypeOf(rejection.Members) == reflect.TypeOf(members) {
			codes = append(codes, string(rejection.Code))
		}
	}
	return codes
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

// conflicts adds the responses to conflicts on a resource that is edited or has a status.
func (d *document) conflicts(resource *httpapi.Resource) {
	noun := pascal(resource.Noun)
	if slices.Contains(d.baseResponses, noun+"TransitionRefused") {
		return // api/base.yaml describes the conflicts of this resource
	}
	name := noun
	if example, ok := resource.Example.(named); ok {
		name = example.SchemaName()
	}
	current := member{"current", ref("schemas", name)}
	conflict := noun + "Conflict"
	if d.edited[noun] {
		if resource.Example != nil {
			d.schema(reflect.TypeOf(resource.Example), "", false)
		}
		d.component(conflict, problem("VersionConflictMembers", nil, mapping{{"base", nullable(ref("schemas", name))}, current}))
		d.response(conflict, "`version_conflict`: `If-Match` is not the current version of the "+resource.Noun+". Merge, then repeat with `currentEtag`.", "ETag", conflict)
		conflict = noun + "MovedOn"
	}
	if resource.Machine == nil {
		return
	}
	refused := mapping{{"code", mapping{{"enum", []string{"transition_not_allowed", "status_changed"}}}}, current}
	var required []string
	if resource.Refusal != nil {
		_, names, members := d.members(reflect.TypeOf(resource.Refusal), false)
		required = names
		for _, each := range members {
			refused = refused.with(each.name, each.value)
		}
	}
	d.component(noun+"TransitionRefused", problem("TransitionRefusedMembers", required, refused))
	d.component(conflict, problem("VersionConflictMembers", []string{"currentStatus", "allowedTransitions"}, mapping{
		{"base", mapping{{"type", "null"}}}, current, {"currentStatus", ref("schemas", noun+"Status")},
		{"allowedTransitions", mapping{{"type", "array"}, {"items", mapping{{"type", "string"}}}}},
	}))
	d.response(noun+"TransitionRefused", "`transition_not_allowed`: the "+resource.Noun+" is in a status that does not allow the action, or the caller may not take it. "+
		"`status_changed`: another request changed the status first. `current` is the "+resource.Noun+" now.", "", noun+"TransitionRefused", "RequestInProgress")
	d.response(conflict, "`version_conflict`: the "+resource.Noun+" is not at the version of `If-Match`. Read `current` and decide again.", "ETag", conflict)
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

// response adds an error response, unless api/base.yaml describes it; its body has one of the
// schemas. header is a further header of the response; "" for none.
func (d *document) response(name, description, header string, schemas ...string) {
	if slices.Contains(d.baseResponses, name) {
		return
	}
	headers := mapping{{"X-Request-Id", ref("headers", "X-Request-Id")}}
	if header != "" {
		headers = append(headers, member{header, ref("headers", header)})
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
