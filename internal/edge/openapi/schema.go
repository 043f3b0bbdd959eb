package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

// shared maps the types that api/base.yaml describes to the names of their schemas there.
var shared = map[reflect.Type]string{
	reflect.TypeFor[guard.Stamp]():          "Stamp",
	reflect.TypeFor[guard.OptionalStamp]():  "OptionalStamp",
	reflect.TypeFor[change.Merged]():        "Merged",
	reflect.TypeFor[apperr.Code]():          "Code",
	reflect.TypeFor[principal.Person]():     "Person",
	reflect.TypeFor[principal.Actor]():      "Actor",
	reflect.TypeFor[principal.TokenRef]():   "TokenRef",
	reflect.TypeFor[principal.CustomerID](): "CustomerId",
	reflect.TypeFor[change.CommentView]():   "CommentMembers",
	reflect.TypeFor[apperr.Field]():         "Field",
}

// Interfaces of types with restrictions or names that Go's type system cannot express.
type (
	enumerated interface{ Enum() []string }
	// named is a type with a schema name that does not follow from its Go name.
	named interface{ SchemaName() string }
	// enumParameter is a query parameter with a value of an enumerated type.
	enumParameter interface{ EnumType() any }
	patterned     interface {
		Pattern() (expression string, maxLength int)
	}
)

var (
	textType = reflect.TypeFor[encoding.TextUnmarshaler]()
	timeType = reflect.TypeFor[time.Time]()
	jsonType = reflect.TypeFor[json.RawMessage]()

	secretType = reflect.TypeFor[httpapi.Secret]()
)

func ref(kind, name string) mapping { return mapping{{"$ref", "#/components/" + kind + "/" + name}} }

// schema returns the schema of a type, and adds the components that it refers to. rules is
// the field's validate tag. isRequest is true for types that callers send.
func (d *document) schema(t reflect.Type, rules string, isRequest bool) mapping {
	if t.Kind() == reflect.Pointer {
		return nullable(d.schema(t.Elem(), rules, isRequest))
	}
	if isRequest && t == reflect.TypeFor[principal.CustomerID]() {
		return ref("schemas", "CustomerIdGiven")
	}
	if name, ok := shared[t]; ok && !strings.Contains(rules, "oneof") {
		return ref("schemas", name)
	}
	if strings.Contains(rules, "reference") {
		return ref("schemas", "Reference")
	}
	if t.Kind() == reflect.Interface {
		return mapping{} // any value
	}
	zero := reflect.Zero(t).Interface()
	if named, ok := zero.(named); ok && slices.Contains(d.baseSchemas, named.SchemaName()) {
		return ref("schemas", named.SchemaName())
	}
	if parameter, ok := zero.(enumParameter); ok {
		return d.schema(reflect.TypeOf(parameter.EnumType()), "", isRequest)
	}
	switch value := zero.(type) {
	case enumerated:
		return d.component(d.nameOf(t), mapping{{"enum", value.Enum()}})
	case patterned:
		expression, longest := value.Pattern()
		schema := mapping{{"type", "string"}, {"pattern", expression}, {"maxLength", longest}}
		if _, isNamed := zero.(named); isNamed {
			return d.component(d.nameOf(t), schema)
		}
		return schema
	case interface{ MaxLength() int }:
		return d.plain(t, fmt.Sprintf("max=%d,%s", value.MaxLength(), rules), isRequest)
	}
	switch {
	case t == reflect.TypeFor[always]():
		return mapping{{"const", true}}
	case t == timeType:
		return mapping{{"type", "string"}, {"format", "date-time"}}
	case t == jsonType && strings.Contains(rules, "json"):
		return mapping{} // any value
	case t == jsonType:
		return mapping{{"type", "object"}}
	case t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(textType):
		return d.object(t, isRequest)
	}
	return d.plain(t, rules, isRequest)
}

// plain returns the schema of a type without a name in the contract.
func (d *document) plain(t reflect.Type, rules string, isRequest bool) mapping {
	own, each, _ := strings.Cut(rules, "dive")
	kind := t.Kind()
	if reflect.PointerTo(t).Implements(textType) && kind == reflect.Slice {
		kind = reflect.String
	}
	switch kind {
	case reflect.String, reflect.Struct:
		return constrained(mapping{{"type", "string"}}, own, "Length")
	case reflect.Float64:
		return constrained(mapping{{"type", "number"}}, own, "imum")
	case reflect.Int, reflect.Int32:
		return constrained(mapping{{"type", "integer"}}, own, "imum")
	case reflect.Int64:
		// Without the format, generators of clients choose 32 bits.
		return constrained(mapping{{"type", "integer"}, {"format", "int64"}}, own, "imum")
	case reflect.Bool:
		return mapping{{"type", "boolean"}}
	case reflect.Slice:
		return constrained(mapping{{"type", "array"}, {"items", d.schema(t.Elem(), strings.Trim(each, ","), isRequest)}}, own, "Items")
	case reflect.Map:
		if _, ofValues, ok := strings.Cut(each, "endkeys"); ok {
			each = ofValues
		}
		return constrained(mapping{{"type", "object"}, {"additionalProperties", d.schema(t.Elem(), strings.Trim(each, ","), isRequest)}}, own, "Properties")
	default:
		panic(fmt.Sprintf("openapi: no schema follows from the type %s: give it Enum or Pattern, or describe it in api/base.yaml", t))
	}
}

// constrained adds the constraints of a validate tag to a schema. suffix completes the keywords min
// and max for the schema's type, such as Length for minLength.
func constrained(schema mapping, rules, suffix string) mapping {
	for rule := range strings.SplitSeq(rules, ",") {
		name, value, _ := strings.Cut(rule, "=")
		number, _ := strconv.Atoi(value)
		switch name {
		case "required":
			if suffix == "Length" {
				schema = schema.with("minLength", 1)
			}
		case "name":
			schema = schema.with("minLength", 1).with("maxLength", number)
		case "min", "gte":
			schema = schema.with("min"+suffix, number)
		case "max", "lte":
			schema = schema.with("max"+suffix, number)
		case "gt":
			schema = schema.with("min"+suffix, number+1)
		case "range":
			least, most, _ := strings.Cut(value, " ")
			schema = constrained(schema, "min="+least+",max="+most, suffix)
		case "eq":
			schema = mapping{{"const", number}}
		case "oneof":
			schema = mapping{{"enum", strings.Fields(value)}}
		case "uri", "uuid", "email":
			schema = schema.with("format", name)
		case "unique":
			schema = schema.with("uniqueItems", true)
		case "datetime":
			schema = schema.with("format", "date")
		}
	}
	return schema
}

// withDefault adds the value of a field's tag default.
func withDefault(schema mapping, f reflect.StructField) mapping {
	text, ok := f.Tag.Lookup("default")
	if ok {
		return schema.with("default", &yaml.Node{Kind: yaml.ScalarNode, Value: text})
	}
	return schema
}

func nullable(schema mapping) mapping {
	if kind, ok := schema.get("type").(string); ok {
		return schema.with("type", []string{kind, "null"})
	}
	return mapping{{"oneOf", []mapping{schema, {{"type", "null"}}}}}
}

// component adds a schema under a name, and returns the reference to it.
func (d *document) component(name string, schema mapping) mapping {
	if existing := d.schemas.get(name); existing != nil && !reflect.DeepEqual(existing, schema) {
		panic(fmt.Sprintf("openapi: two types have the schema name %s; rename one", name))
	}
	d.schemas = d.schemas.with(name, schema)
	return ref("schemas", name)
}

// genericNames maps generic types to the suffixes of their schema names.
var genericNames = map[string]string{"Name": "Status", "Param": "Status", "EventName": "EventName", "ActionName": "Action", "EventView": "Event", "MoneyEventView": "Event", "List": "List"}

// nameOf returns the name of a type's schema: WorkOrder for workOrderView, WorkOrderList for
// List[workOrderView], WorkOrderAssignment for Assignment in package workorders, EditedItem for
// editedView in package catalog; or the result of the type's method SchemaName.
func (d *document) nameOf(t reflect.Type) string {
	if named, ok := reflect.Zero(t).Interface().(named); ok {
		return named.SchemaName()
	}
	name := t.Name()
	if outer, _, isGeneric := strings.Cut(name, "["); isGeneric {
		suffix, ok := genericNames[outer]
		if !ok {
			panic(fmt.Sprintf("openapi: the generic type %s has no schema name", t))
		}
		name = suffix
		if outer == "List" {
			items, _ := t.FieldByName("Items")
			name = d.nameOf(items.Type.Elem()) + suffix
			for _, entry := range []string{"EventList", "RevisionList"} {
				if resource, ok := strings.CutSuffix(name, entry); ok && d.isHistory {
					name = resource + "History"
				}
			}
			return name
		}
	}
	if name == "" {
		panic("openapi: " + d.noun + ": a body is an unnamed struct; give its type a name")
	}
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(name[:1])+name[1:], "View"), "Body")
	if name == "Edited" {
		return name + d.noun
	}
	noun := d.noun
	if ofStatus, ok := reflect.Zero(t).Interface().(interface{ Machine() *status.Machine }); ok {
		noun = pascal(ofStatus.Machine().Name)
	}
	if !strings.Contains(name, noun) {
		name = noun + name
	}
	return name
}

// object adds the schema of a struct as a component, and returns the reference to it. For a struct
// without members, it returns the schema itself and adds no component.
func (d *document) object(t reflect.Type, isRequest bool) mapping {
	if t.NumField() == 0 {
		return mapping{{"type", "object"}, {"additionalProperties", false}}
	}
	if isList(t) {
		page, items := d.list(t)
		return d.component(d.nameOf(t), mapping{{"allOf", []mapping{page}}, {"unevaluatedProperties", false}, {"properties", mapping{items}}})
	}
	parts, required, properties := d.members(t, isRequest)
	if t == d.withMark && hasSecrets(t) {
		properties = append(properties, member{"secretShownOnce", ref("schemas", "SecretShownOnce")})
	}
	schema, closed := mapping{{"type", "object"}}, "additionalProperties"
	if len(parts) > 0 {
		schema, closed = mapping{{"allOf", parts}}, "unevaluatedProperties"
	}
	schema = append(schema, member{closed, false})
	if len(required) > 0 {
		schema = append(schema, member{"required", required})
	}
	return d.component(d.nameOf(t), append(schema, member{"properties", properties}))
}

func isList(t reflect.Type) bool { return strings.HasPrefix(t.Name(), "List[") }

// list returns the common schema Page, and the property items with the schema of the list's items.
func (d *document) list(t reflect.Type) (page mapping, items member) {
	f, _ := t.FieldByName("Items")
	return ref("schemas", "Page"), member{"items", mapping{{"items", d.schema(f.Type.Elem(), "", false)}}}
}

// hasSecrets reports whether a reply contains secrets, at any depth.
func hasSecrets(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return hasSecrets(t.Elem())
	case reflect.Struct:
		return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("json") != "" && hasSecrets(f.Type) })
	default:
		return t == secretType
	}
}

// members returns the schema of a struct as three results: parts, the references to embedded
// structs that api/base.yaml describes; required, the names of the required members; and
// properties, the members. Other embedded structs contribute their members as if the struct
// declared them.
func (d *document) members(t reflect.Type, isRequest bool) (parts []mapping, required []string, properties mapping) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && shared[f.Type] != "":
			parts = append(parts, d.schema(f.Type, "", isRequest))
			continue
		case f.Anonymous && isList(f.Type):
			page, items := d.list(f.Type)
			parts, properties = append(parts, page), append(properties, items)
			continue
		case f.Anonymous:
			isOptional := f.Type.Kind() == reflect.Pointer
			if isOptional {
				f.Type = f.Type.Elem()
			}
			embedded, names, members := d.members(f.Type, isRequest)
			parts, properties = append(parts, embedded...), append(properties, members...)
			if !isOptional {
				required = append(required, names...)
			}
			continue
		case name == "" || name == "-":
			continue
		}
		rules := f.Tag.Get("validate")
		isSecret := f.Type == secretType || f.Type == reflect.SliceOf(secretType)
		if isRequired(isRequest, rules, options) && (isRequest || !isSecret) {
			required = append(required, name)
		}
		if !isRequest && strings.Contains(options, "omit") {
			f.Type = presentType(f.Type)
		}
		properties = append(properties, member{name, d.field(t, f, name, rules, isRequest)})
	}
	return parts, required, properties
}

// entityTag is the type of a member with a name that ends in etag, such as currentEtag.
type entityTag string

// SchemaName implements named.
func (entityTag) SchemaName() string { return "ETag" }

// always is the type of a member that is either true or absent.
type always bool

// presentType returns the type of a member that a reply omits when it is null or false: the type
// without that value.
func presentType(t reflect.Type) reflect.Type {
	switch t.Kind() {
	case reflect.Pointer:
		return t.Elem()
	case reflect.Bool:
		return reflect.TypeFor[always]()
	default:
		return t
	}
}

func (d *document) field(t reflect.Type, f reflect.StructField, name, rules string, isRequest bool) mapping {
	fieldType := f.Type
	switch {
	case name == "currency":
		return ref("schemas", "Currency")
	case strings.HasSuffix(strings.ToLower(name), "etag") && fieldType.Kind() == reflect.Pointer:
		fieldType = reflect.TypeFor[*entityTag]()
	case strings.HasSuffix(strings.ToLower(name), "etag"):
		fieldType = reflect.TypeFor[entityTag]()
	}
	if isRequest && fieldType.Kind() == reflect.Pointer && isRequired(isRequest, rules, "") {
		fieldType = fieldType.Elem()
	}
	if parsed, ok := reflect.Zero(fieldType).Interface().(interface{ Content() any }); ok {
		fieldType = reflect.TypeOf(parsed.Content())
	}
	var schema mapping
	switch name := f.Tag.Get("schema"); {
	case name == "":
		schema = d.schema(fieldType, rules, isRequest)
	case fieldType.Kind() == reflect.Pointer:
		schema = nullable(ref("schemas", name))
	default:
		schema = ref("schemas", name)
	}
	isID := name == "id" || name == "version" || strings.HasSuffix(name, "Id")
	if isID && isInteger(schema) && schema.get("minimum") == nil {
		schema = schema.with("minimum", 1)
	}
	// No validate tag checks these bounds: min is the minimum of a number, max the maximum length
	// of a text.
	if least, err := strconv.Atoi(f.Tag.Get("min")); err == nil {
		schema = schema.with("minimum", least)
	}
	if longest, err := strconv.Atoi(f.Tag.Get("max")); err == nil {
		schema = schema.with("maxLength", longest)
	}
	if pattern := f.Tag.Get("pattern"); pattern != "" {
		schema = schema.with("pattern", pattern)
	}
	if types := f.Tag.Get("types"); types != "" {
		schema = schema.with("type", strings.Fields(types))
	}
	if isRequest {
		schema = withDefault(schema, f)
	}
	if text := d.comment(t, f.Name); text != "" {
		schema = schema.with("description", text)
	}
	return schema
}

// isInteger reports whether a schema allows an integer, or an integer and null.
func isInteger(schema mapping) bool {
	types, _ := schema.get("type").([]string)
	return schema.get("type") == "integer" || slices.Contains(types, "integer")
}

// isRequired reports whether the schema lists a member as required: in a reply if its json tag
// does not omit it, in a request if its validate tag rejects its absence.
func isRequired(isRequest bool, rules, options string) bool {
	if isRequest {
		return rejectsZero(rules)
	}
	return !strings.Contains(options, "omit")
}

// rejectsZero reports whether a validate tag rejects an absent member.
func rejectsZero(rules string) bool {
	own, _, _ := strings.Cut(rules, "dive")
	for rule := range strings.SplitSeq(own, ",") {
		name, value, _ := strings.Cut(rule, "=")
		switch name {
		case "omitempty":
			return false
		case "required", "name", "range", "pattern", "enum", "oneof", "reference", "gt":
			return true
		case "min", "gte":
			return value != "0"
		}
	}
	return false
}
