package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// goType is a type of the client.
type goType struct {
	Name, Doc string
	// Of is the underlying type of an enumeration; "" for a struct.
	Of     string
	Values []string
	Embeds []string
	Fields []field
	// Editable are the members that a Save sends; nil for a type without Save.
	Editable []string
}

type field struct{ Doc, Name, Type, Tag string }

const raw = "json.RawMessage"

// canonical returns the name of a schema's Go type. Several schemas of one resource, such as
// Config, ConfigRead and EditedConfig, share the type with the shortest name. A schema belongs to
// the resource if its name contains the shortest name and sameResource is true.
func (g *generator) canonical(name string) string {
	shortest := name
	for _, other := range g.document.Components.Schemas.names {
		if len(other) < len(shortest) && strings.Contains(name, other) && g.sameResource(name, other) {
			shortest = other
		}
	}
	return shortest
}

// sameResource reports whether one of two schemas with ETags has all members of the other.
func (g *generator) sameResource(a, b string) bool {
	x, y := g.members(g.schema(a)), g.members(g.schema(b))
	both := 0
	for name := range x {
		if y[name] {
			both++
		}
	}
	return x["etag"] && y["etag"] && both == min(len(x), len(y))
}

func (g *generator) members(s *schema) map[string]bool {
	all := map[string]bool{}
	for _, part := range s.AllOf {
		if part.Ref != "" {
			part = g.schema(nameOf(part.Ref))
		}
		maps.Copy(all, g.members(part))
	}
	for _, name := range s.Properties.names {
		all[name] = true
	}
	return all
}

func (g *generator) schema(name string) *schema { return g.document.Components.Schemas.values[name] }

// typeNamed returns the Go type of a named schema, and generates it unless the client declares it.
func (g *generator) typeNamed(name, use string) string {
	s, of := g.schema(name), g.canonical(name)
	switch {
	case g.declared[of] != nil:
		g.compare(of, name)
	case len(s.Enum) > 0:
		g.enumeration(of, s, use)
	case s.Properties.names == nil && len(s.AllOf) == 0:
		scalar, _ := g.typeOf(s, of, use)
		return scalar
	default:
		g.resource(of, name, use)
	}
	return of
}

// compare adds an error for each member of a schema that the type declared by hand drops.
func (g *generator) compare(name, version string) {
	if g.read[version] || !g.declared[name].isStruct {
		return
	}
	g.read[version] = true
	for _, member := range slices.Sorted(maps.Keys(g.members(g.schema(version)))) {
		if !g.declares(name, member) {
			g.errs = append(g.errs, fmt.Errorf("the type %s, declared by hand, lacks the member %s of the schema %s; add it, or rename one of them", name, member, version))
		}
	}
}

// declares reports whether the type declared by hand, or a type that it embeds, has a JSON member.
func (g *generator) declares(name, member string) bool {
	of := g.declared[name]
	if of == nil {
		return g.schema(name) != nil && g.members(g.schema(name))[member]
	}
	return of.members[member] || slices.ContainsFunc(of.embeds, func(part string) bool { return g.declares(part, member) })
}

func (g *generator) enumeration(name string, s *schema, use string) {
	if t := g.types[name]; t != nil {
		if !slices.Equal(t.Values, s.Enum) {
			g.errs = append(g.errs, fmt.Errorf("two enumerations have the name %s and different values; name one of them in the contract", name))
		}
		return
	}
	g.add(&goType{Name: name, Doc: describe(name, s.Description, use), Of: "string", Values: s.Enum})
}

// resource generates the struct name from the schema of the same name, or adds to it the members of
// the schema version, another schema of the same resource.
func (g *generator) resource(name, version, use string) {
	if g.read[version] {
		return
	}
	g.read[version] = true
	t := g.types[name]
	if t == nil {
		t = &goType{Name: name, Doc: describe(name, g.schema(name).Description, use)}
		g.add(t)
		g.fill(t, g.schema(name), false)
	}
	if version != name {
		g.fill(t, g.schema(version), true)
	}
}

// fill adds the members of a schema to a type. A part that the client declares by hand is embedded.
func (g *generator) fill(t *goType, s *schema, optional bool) {
	for _, part := range s.AllOf {
		name := nameOf(part.Ref)
		switch {
		case g.declared[name] == nil:
			g.fill(t, g.schema(name), optional)
		case !slices.Contains(t.Embeds, name):
			t.Embeds = append(t.Embeds, name)
		}
	}
	for _, name := range s.Properties.names {
		if slices.ContainsFunc(t.Fields, func(f field) bool { return f.Name == goName(name) }) || g.isEmbedded(t, name) {
			continue
		}
		t.Fields = append(t.Fields, g.field(t.Name, name, s.Properties.values[name], !optional && slices.Contains(s.Required, name)))
	}
}

func (g *generator) isEmbedded(t *goType, member string) bool {
	return slices.ContainsFunc(t.Embeds, func(name string) bool { return g.schema(name).Properties.values[member] != nil })
}

func (g *generator) field(of, name string, s *schema, required bool) field {
	f := field{Name: goName(name), Doc: g.description(s)}
	var nullable bool
	f.Type, nullable = g.typeOf(s, of+f.Name, "part of ["+of+"]")
	f.Tag = name
	if !required {
		f.Tag += ",omitzero"
	}
	if nullable || !required && g.absentDiffers(s, f.Type) {
		f.Type = pointer(f.Type)
	}
	return f
}

// absentDiffers reports whether the zero value of a type is not the same as an absent member.
func (g *generator) absentDiffers(s *schema, name string) bool {
	switch name {
	case "int64", "float64":
		return g.resolve(s).Default != 0
	case "string", "bool", "time.Time":
		return false
	}
	t := g.types[name]
	return t == nil || t.Of == ""
}

func pointer(name string) string {
	if name == raw || strings.HasPrefix(name, "[]") || strings.HasPrefix(name, "map[") {
		return name
	}
	return "*" + name
}

// resolve follows references to a schema without a Go type, and single alternatives.
func (g *generator) resolve(s *schema) *schema {
	if s.Ref != "" {
		return g.resolve(g.schema(nameOf(s.Ref)))
	}
	if one, _ := alternative(s); one != nil {
		return g.resolve(one)
	}
	return s
}

// description returns the description of a member or, if it has none, of its scalar type.
func (g *generator) description(s *schema) string {
	if one, _ := alternative(s); s.Description == "" && one != nil {
		s = one
	}
	if s.Description == "" && s.Ref != "" {
		if of := g.schema(nameOf(s.Ref)); len(of.Enum) == 0 && of.Properties.names == nil && len(of.AllOf) == 0 {
			return of.Description
		}
	}
	return s.Description
}

// alternative returns the only alternative of a schema besides null; nil if there are others.
func alternative(s *schema) (one *schema, nullable bool) {
	if s.Properties.names != nil {
		return nil, false
	}
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		switch {
		case slices.Equal(part.Type, texts{"null"}):
			nullable = true
		case one != nil:
			return nil, nullable
		default:
			one = part
		}
	}
	return one, nullable
}

// typeOf returns the Go type of a schema and whether null is one of its values. Structs and
// enumerations without a name in the contract are named after their parent.
func (g *generator) typeOf(s *schema, name, use string) (of string, nullable bool) {
	if s.Ref != "" {
		of := g.schema(nameOf(s.Ref))
		_, nullable = g.kind(of)
		return g.typeNamed(nameOf(s.Ref), use), nullable
	}
	if one, nullable := alternative(s); one != nil {
		of, also := g.typeOf(one, name, use)
		return of, nullable || also
	}
	kind, nullable := g.kind(s)
	switch {
	case s.Properties.names != nil:
		t := &goType{Name: name, Doc: describe(name, "", use)}
		g.add(t)
		g.fill(t, s, false)
		return name, nullable
	case kind == "array":
		of, _ := g.typeOf(s.Items, singular(name), use)
		return "[]" + of, nullable
	case kind == "object" && s.AdditionalProperties != nil && len(s.AdditionalProperties.Type) > 0:
		of, _ := g.typeOf(s.AdditionalProperties, name, use)
		return "map[string]" + of, nullable
	case kind == "string" && s.Format == "date-time":
		return "time.Time", nullable
	case kind == "string" && len(s.Enum) > 0 && name != "":
		g.enumeration(name, &schema{Enum: s.Enum}, use) // the member has the description
		return name, nullable
	}
	scalars := map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}
	if scalar := scalars[kind]; scalar != "" {
		return scalar, nullable
	}
	return raw, nullable
}

// kind returns the JSON type of a schema: "" for more than one, except that an id which may be a
// number or a text is a text.
func (g *generator) kind(s *schema) (kind string, nullable bool) {
	kinds := slices.DeleteFunc(slices.Clone(s.Type), func(k string) bool { return k == "null" })
	switch {
	case len(kinds) == 1:
		kind = kinds[0]
	case slices.Contains(kinds, "string"):
		kind = "string"
	case s.Properties.names != nil:
		kind = "object"
	case len(s.Enum) > 0:
		kind = "string"
	case s.Const != nil:
		kind = map[string]string{"bool": "boolean", "string": "string", "int": "integer"}[fmt.Sprintf("%T", s.Const)]
	}
	return kind, len(kinds) < len(s.Type)
}

// describe returns the doc comment of a type.
func describe(name, description, use string) string {
	return name + " is " + use + ".\n\n" + description
}
