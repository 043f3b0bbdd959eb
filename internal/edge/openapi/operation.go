package openapi

import (
	"cmp"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

var pathParameter = regexp.MustCompile(`:([A-Za-z]+)`)

// pascal turns "work order" and "claim-next" into WorkOrder and ClaimNext.
func pascal(words string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == ' ' || r == '-' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func (d *document) operation(r httpapi.Route) mapping {
	operation := mapping{{"operationId", operationID(r)}, {"tags", []string{r.Resource.Tag}}, {"summary", r.Contract.Summary}}
	if text := description(r); text != "" {
		operation = append(operation, member{"description", text})
	}
	operation = append(operation, member{"security", security(r)})
	if r.Permission != "" {
		operation = append(operation, member{"x-permission", r.Permission})
	}
	if r.StepUp {
		operation = append(operation, member{"x-step-up", true})
	}
	if parameters := d.parameters(r); len(parameters) > 0 {
		operation = append(operation, member{"parameters", parameters})
	}
	if body, ok := r.In.FieldByName("Body"); ok {
		operation = append(operation, member{"requestBody", d.body(r, body.Type)})
	}
	return append(operation, member{"responses", d.responses(r)})
}

// operationID returns the operationId that follows from a route: listWorkOrders,
// getWorkOrder, listWorkOrderHistory, claimWorkOrder, claimNextWorkOrder.
func operationID(r httpapi.Route) string {
	if r.Contract.ID != "" {
		return r.Contract.ID
	}
	noun := pascal(r.Resource.Noun)
	segments := strings.Split(strings.TrimPrefix(r.Path, "/"), "/")
	last := segments[len(segments)-1]
	switch {
	case r.Method == http.MethodPost && len(segments) == 1:
		return "create" + noun
	case r.Method == http.MethodGet && len(segments) == 1:
		return "list" + pascal(last)
	case strings.HasPrefix(last, ":"):
		return map[string]string{http.MethodGet: "get", http.MethodPatch: "edit", http.MethodDelete: "delete"}[r.Method] + noun
	case r.Method == http.MethodGet:
		return "list" + noun + pascal(last)
	default:
		verb := pascal(last)
		return strings.ToLower(verb[:1]) + verb[1:] + noun
	}
}

// description returns the description of a route. The description of a transition starts with its
// states, as the machine declares them.
func description(r httpapi.Route) string {
	if r.Action == "" || r.Resource.Machine == nil {
		return r.Contract.Description
	}
	for _, action := range r.Resource.Machine.Actions {
		if action.Name != r.Action {
			continue
		}
		from := make([]string, len(action.From))
		for i, state := range action.From {
			from[i] = "`" + state.Name + "`"
		}
		states := strings.Join(from, " or ") + " → `" + action.To.Name + "`"
		for _, state := range action.Within {
			states += ", or unchanged `" + state.Name + "`"
		}
		return strings.TrimSpace(states + ". " + r.Contract.Description)
	}
	panic("openapi: the machine of " + r.Resource.Noun + " has no action " + r.Action)
}

func security(r httpapi.Route) []mapping {
	if r.Public {
		return []mapping{}
	}
	session, bearer := mapping{{"session", []string{}}}, mapping{{"bearer", []string{}}}
	if r.Method != http.MethodGet {
		session = append(session, member{"csrf", []string{}})
	}
	return []mapping{session, bearer}
}

// pageParameters are the parameters of httpapi.Page, in the order of the contract; sort
// follows them.
var pageParameters = []string{"limit", "cursor", "total"}

func (d *document) parameters(r httpapi.Route) (list []mapping) {
	use := func(name string) { list = append(list, ref("parameters", name)) }
	for _, name := range pathParameter.FindAllStringSubmatch(r.Path, -1) {
		list = append(list, d.pathParameter(r, name[1]))
	}
	if _, isList := r.In.FieldByName("Cursor"); isList {
		for _, name := range pageParameters {
			use(name)
		}
		if len(r.Contract.Sorts.Columns) > 0 {
			list = append(list, sortParameter(r.Contract.Sorts))
		}
	}
	if r.Contract.ForCustomers {
		use("onBehalfOf")
	}
	for _, f := range reflect.VisibleFields(r.In) {
		name := f.Tag.Get("query")
		switch {
		case f.Type == reflect.TypeFor[guard.Precondition]():
			use("ifMatch")
		case f.Type == reflect.TypeFor[*guard.Precondition]():
			use("ifMatchOptional")
		case f.Type == reflect.TypeFor[httpapi.LongWait]():
			use("waitLongest")
		case name == "" || name == "sort" || slices.Contains(pageParameters, name):
		case d.isBase(name, "query", name):
			use(name)
		default:
			list = append(list, d.queryParameter(r, f, name))
		}
	}
	if r.Method == http.MethodGet && tagHeader(r.Out) != "" {
		use("ifNoneMatch")
	}
	if storesReply(r) {
		use("idempotencyKey")
	}
	return list
}

// isBase reports whether api/base.yaml describes a parameter under the name of a component.
// Parameters of queries and of paths can have the same name.
func (d *document) isBase(component, in, name string) bool {
	parameter := child(d.base, "components", "parameters", component)
	return parameter != nil && child(parameter, "in").Value == in && child(parameter, "name").Value == name
}

// storesReply reports whether a route stores its reply under an idempotency key. The contract
// does not offer keys for deletions, because If-Match makes them safe to repeat.
func storesReply(r httpapi.Route) bool {
	key, hasKey := r.In.FieldByName("Key")
	return r.Method != http.MethodDelete && (r.Mutates || hasKey && key.Type == reflect.TypeFor[httpapi.Key]())
}

// pathParameter returns a reference to a path parameter in api/base.yaml: to the one of the
// collection, such as couponCode for /coupons/:code, or else to the one called name.
func (d *document) pathParameter(r httpapi.Route, name string) mapping {
	collection, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	special := strings.TrimSuffix(collection, "s") + pascal(name)
	if d.isBase(special, "path", name) {
		name = special
	}
	return ref("parameters", name)
}

func (d *document) queryParameter(r httpapi.Route, f reflect.StructField, name string) mapping {
	parameter := mapping{{"name", name}, {"in", "query"}}
	if isRequired(true, f.Tag.Get("validate"), "") {
		parameter = append(parameter, member{"required", true})
	}
	declaring := r.In
	for _, i := range f.Index[:len(f.Index)-1] {
		declaring = declaring.Field(i).Type
	}
	if text := d.comment(declaring, f.Name); text != "" {
		parameter = append(parameter, member{"description", text})
	}
	for _, need := range r.Needs {
		if need.Parameter == name {
			parameter = append(parameter, member{"x-permission", need.Permission})
			if need.StepUp {
				parameter = append(parameter, member{"x-step-up", true})
			}
		}
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	schema := d.schema(t, f.Tag.Get("validate"), false)
	if name := f.Tag.Get("schema"); name != "" {
		schema = ref("schemas", name)
	}
	if t.Kind() == reflect.Int64 {
		least, _ := strconv.Atoi(cmp.Or(f.Tag.Get("min"), "1"))
		schema = schema.with("minimum", least)
	}
	return append(parameter, member{"schema", withDefault(schema, f)})
}

func sortParameter(sorts storage.Sorts) mapping {
	var names []string
	for name := range sorts.Columns {
		names = append(names, name)
	}
	slices.Sort(names)
	var values []string
	for _, name := range names {
		values = append(values, name, "-"+name)
	}
	return mapping{
		{"name", "sort"}, {"in", "query"}, {"description", "A field, with `-` before it for descending."},
		{"schema", mapping{{"enum", values}, {"default", sorts.Default}}},
	}
}

func (d *document) body(r httpapi.Route, t reflect.Type) mapping {
	isRequired := t.Kind() != reflect.Pointer
	if !isRequired {
		t = t.Elem()
	}
	if parsed, ok := reflect.Zero(t).Interface().(interface{ Content() any }); ok {
		t = reflect.TypeOf(parsed.Content())
	}
	if r.Method == http.MethodPatch {
		return d.patchBody(r, t)
	}
	if t == reflect.TypeFor[[]byte]() {
		file := mapping{{"schema", mapping{{"type", "string"}, {"format", "binary"}}}}
		return mapping{{"required", true}, {"content", mapping{{"application/octet-stream", file}}}}
	}
	if step, ok := t.FieldByName("Step"); ok && strings.HasPrefix(t.Name(), "StepBody[") {
		t = step.Type
		_, names, _ := d.members(t, true)
		isRequired = len(names) > 0
	}
	media := mapping{{"schema", d.schema(t, "", true)}}
	switch {
	case r.Contract.Body != nil:
		media = append(media, member{"example", plainJSON(r.Contract.Body)})
	case !isRequired:
		media = append(media, member{"example", mapping{}})
	}
	return mapping{{"required", isRequired}, {"content", mapping{{"application/json", media}}}}
}

// patchBody describes a merge patch, or JSON Patch, of the members of a type.
func (d *document) patchBody(r httpapi.Route, t reflect.Type) mapping {
	_, _, properties := d.members(t, true)
	for i, property := range properties {
		properties[i].value = property.value.(mapping).without("default")
	}
	name := d.noun + "Patch"
	if d.noun == "" {
		name = d.nameOf(t)
	}
	schema := d.component(name, mapping{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}})
	example := plainJSON(r.Contract.Body)
	patch := mapping{{"schema", schema}, {"example", example}}
	var operations []mapping
	for i := 0; i < len(example.Content); i += 2 {
		operations = append(operations, mapping{{"op", "add"}, {"path", "/" + example.Content[i].Value}, {"value", example.Content[i+1]}})
	}
	return mapping{{"required", true}, {"content", mapping{
		{"application/merge-patch+json", patch}, {"application/json", patch},
		{"application/json-patch+json", mapping{{"schema", ref("schemas", "JSONPatch")}, {"example", operations}}},
	}}}
}

// success is a successful reply of a route.
type success struct {
	status string
	// body is the type of the body; nil for none. alternative is a second type that the body can
	// have; nil for none. line is the type of a row of an export; nil for other replies.
	body, alternative, line reflect.Type
	hasLocation, setsCookie bool
}

// successes returns the successful replies of a type: two for an Either with two statuses.
func successes(t reflect.Type) []success {
	name, _, _ := strings.Cut(t.Name(), "[")
	member := func(name string) reflect.Type {
		f, _ := t.FieldByName(name)
		return f.Type
	}
	switch name {
	case "None":
		return []success{{status: "204"}}
	case "Created":
		return []success{{status: "201", body: member("Body"), hasLocation: true}}
	case "Accepted":
		return []success{{status: "202", body: member("Body"), hasLocation: true}}
	case "File":
		return []success{{status: "200"}}
	case "Fresh", "FreshOrText", "Download":
		return []success{{status: "200", body: member("Body")}}
	case "Exported":
		return []success{{status: "200", line: member("Row")}}
	case "WithCookies":
		list := successes(member("Out"))
		list[0].setsCookie = true
		return list
	case "Either":
		list := append(successes(member("First").Elem()), successes(member("Second").Elem())...)
		if list[0].status == list[1].status {
			list[0].alternative = list[1].body
			return list[:1]
		}
		return list
	default:
		return []success{{status: "200", body: t}}
	}
}

// tagHeader returns the name of the ETag header of a reply; "" unless its body embeds a Stamp.
func tagHeader(t reflect.Type) string {
	body := successes(t)[0].body
	if body == nil || body.Kind() != reflect.Struct {
		return ""
	}
	for stamp, name := range map[string]string{"Stamp": "ETag", "OptionalStamp": "ETagOnceTouched"} {
		if f, ok := body.FieldByName(stamp); ok && f.Anonymous {
			return name
		}
	}
	return ""
}

func (d *document) responses(r httpapi.Route) (all mapping) {
	for i, reply := range successes(r.Out) {
		if _, isNamed := r.Contract.Responses[reply.status]; !isNamed {
			all = append(all, d.success(r, reply, i > 0)...)
		}
	}
	if r.Contract.Proposes {
		all = append(all, member{"202", ref("responses", "Proposed")})
	}
	return append(all, d.errorResponses(r)...)
}

// success describes a successful reply of a route. isSecond is true for the second reply of an
// Either.
func (d *document) success(r httpapi.Route, reply success, isSecond bool) mapping {
	body := reply.body
	headers := mapping{{"X-Request-Id", ref("headers", "X-Request-Id")}}
	if name := tagHeader(r.Out); name != "" {
		headers = append(headers, member{"ETag", ref("headers", name)})
	}
	if reply.hasLocation {
		headers = append(headers, member{"Location", ref("headers", "Location")})
	}
	if strings.HasPrefix(r.Out.Name(), "Accepted[") {
		headers = append(headers, member{"X-Idempotency-Replay", ref("headers", "X-Idempotency-Replay")})
	}
	if reply.setsCookie {
		headers = append(headers, member{"Set-Cookie", ref("headers", "Set-Cookie")})
	}
	description := successText(r, body)
	if isSecond {
		description = r.Contract.Otherwise
	}
	response := mapping{{"description", description}, {"headers", headers}}
	if body != nil {
		media := mapping{{"schema", d.replySchema(body)}}
		if reply.alternative != nil {
			media = mapping{{"schema", mapping{{"oneOf", []mapping{d.replySchema(body), d.replySchema(reply.alternative)}}}}}
		}
		example := r.Contract.Reply
		if example == nil && body == reflect.TypeOf(r.Resource.Example) {
			example = r.Resource.Example
		}
		if example != nil {
			media = append(media, member{"example", plainJSON(example)})
		}
		content := mapping{{"application/json", media}}
		for _, mediaType := range r.Contract.Texts {
			content = append(content, member{mediaType, mapping{{"schema", mapping{{"type", "string"}}}}})
		}
		response = append(response, member{"content", content})
	}
	if reply.line != nil {
		response[0].value = "One row for each " + r.Resource.Noun + "."
		lines := mapping{{"oneOf", []mapping{d.replySchema(reply.line), d.schema(reflect.TypeFor[httpapi.ExportEnd](), "", false)}}}
		return mapping{{"200", append(response, member{"content", mapping{
			{"text/csv", mapping{{"schema", mapping{{"type", "string"}}}}},
			{"application/x-ndjson", mapping{{"schema", lines}}},
		}})}}
	}
	if body == nil && r.Contract.Success == "" {
		return mapping{{reply.status, ref("responses", "NoContent")}}
	}
	if r.Contract.Repeated != "" && !isSecond {
		repeated := mapping{{"description", r.Contract.Repeated}, {"headers", headers[:len(headers)-1]}, {"content", response.get("content")}}
		return mapping{{"200", repeated}, {reply.status, response}}
	}
	return mapping{{reply.status, response}}
}

// replySchema returns the schema of the body of a reply. A repeat under an idempotency key omits
// its secrets.
func (d *document) replySchema(t reflect.Type) mapping {
	d.withMark = t
	return d.schema(t, "", false)
}

func successText(r httpapi.Route, body reflect.Type) string {
	switch {
	case r.Contract.Success != "":
		return r.Contract.Success
	case body != nil && isList(body):
		return "One page."
	case r.Action != "":
		return "The " + r.Resource.Noun + " after the transition."
	case r.Method == http.MethodPatch:
		return "The updated " + r.Resource.Noun + "."
	default:
		return "The " + r.Resource.Noun + "."
	}
}
