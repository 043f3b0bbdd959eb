package main

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// group is the part of the client for one resource.
type group struct {
	// Name is the field of the client, and Type its type.
	Name, Type, Doc string
}

type method struct{ Doc, Receiver, Name, Parameters, Result, Body string }

// route is an operation with its method and path.
type route struct {
	*operation
	verb, path string
}

const base = "/api/v1"

// ofTheBrowser are operations for sessions of the web admin, and GraphQL, which has other clients.
var ofTheBrowser = regexp.MustCompile(`^\w+ /(session|presence|graphql)(/|$)|^\w+ /me/|^PATCH /me$|^DELETE /sessions$`)

// routes returns the operations that the client has.
func (g *generator) routes() (all []route) {
	for _, path := range g.document.Paths.names {
		item := g.document.Paths.values[path]
		short, ok := strings.CutPrefix(path, base)
		for i, o := range []*operation{item.Get, item.Post, item.Patch, item.Put, item.Delete} {
			verb := []string{"Get", "Post", "Patch", "Put", "Delete"}[i]
			if o == nil || !ok || ofTheBrowser.MatchString(strings.ToUpper(verb)+" "+short) || g.isStream(o) {
				continue
			}
			all = append(all, route{o, verb, short})
		}
	}
	return all
}

func (g *generator) isStream(o *operation) bool {
	for _, status := range o.Responses.names {
		content := g.response(o.Responses.values[status]).Content
		if status[0] == '2' && len(content.names) > 0 && jsonOf(content) == nil {
			return true
		}
	}
	return false
}

func (g *generator) response(r response) response {
	if r.Ref != "" {
		return g.document.Components.Responses[nameOf(r.Ref)]
	}
	return r
}

// reply returns the schema of a successful reply; nil if it has no body. The engine handles the
// shared reply Proposed.
func (g *generator) reply(o *operation) *schema {
	for _, status := range o.Responses.names {
		r := o.Responses.values[status]
		if status[0] == '2' && nameOf(r.Ref) != "Proposed" {
			return jsonOf(g.response(r).Content)
		}
	}
	return nil
}

// rows returns the schema of the rows of a list; nil for a schema that is no page.
func (g *generator) rows(s *schema) *schema {
	if s != nil && s.Ref != "" {
		s = g.schema(nameOf(s.Ref))
	}
	if s == nil || !slices.ContainsFunc(s.AllOf, func(part *schema) bool { return nameOf(part.Ref) == "Page" }) {
		return nil
	}
	return s.Properties.values["items"].Items
}

func collection(path string) string { return strings.Split(path, "/")[1] }

// groupOf returns the group of an operation: that of its tag, or, if the tag has several
// collections, that of its collection. The group is nil for an operation outside these collections,
// which becomes a method of the client. noun is the collection's name in operation ids.
func (g *generator) groupOf(r route) (of *group, noun string) {
	nouns := map[string]string{}
	for _, other := range g.routes() {
		if other.Tags[0] == r.Tags[0] && other.path == "/"+collection(other.path) && g.rows(g.reply(other.operation)) != nil {
			nouns[collection(other.path)] = strings.TrimPrefix(other.OperationID, "list")
		}
	}
	switch own := nouns[collection(r.path)]; {
	case len(nouns) == 1:
		of = &group{Name: goName(r.Tags[0]), Doc: g.document.tag(r.Tags[0])}
		noun = slices.Collect(maps.Values(nouns))[0]
	case own != "":
		of, noun = &group{Name: own}, own
	default:
		return nil, ""
	}
	of.Type = of.Name
	if g.schema(of.Name) != nil {
		of.Type += "Records"
	}
	of.Doc = fmt.Sprintf("%s calls the operations on %s.\n\n%s", of.Type, strings.ToLower(strings.Join(words(of.Name), " ")), of.Doc)
	return of, noun
}

// methodName returns the name of an operation without the noun of its group.
func methodName(id, noun string) string {
	name := strings.ToUpper(id[:1]) + id[1:]
	if noun != "" {
		for _, n := range []string{noun, singular(noun)} {
			if before, after, ok := strings.Cut(name, n); ok {
				name = before + after
				break
			}
		}
	}
	for _, verb := range []string{"List", "Get", "Read"} {
		if rest, ok := strings.CutPrefix(name, verb); ok && rest != "" {
			return rest
		}
	}
	return name
}

// call collects the parameters of a method, and the path and other fields of its request.
type call struct {
	parameters []string
	path       string
	fields     []string
}

func (g *generator) method(r route) {
	of, noun := g.groupOf(r)
	m := method{Name: methodName(r.OperationID, noun), Receiver: "c *Client"}
	client, link := "c", "[Client."
	if of != nil {
		m.Receiver, client, link = "s *"+of.Type, "s.client", "["+of.Type+"."
		g.addGroup(of)
	}
	edits := r.verb == "Patch" && g.hasParameter(r, "merge")
	if edits {
		m.Name = "Save" + strings.TrimPrefix(m.Name, "Edit")
	}
	if g.declared[receiver(m.Receiver)+"."+m.Name] != nil {
		return
	}
	m.Doc = sentence(m.Name, r.Summary) + "\n\n" + r.Description
	link += m.Name + "]"
	reply := g.reply(r.operation)
	switch item := g.rows(reply); {
	case edits:
		g.save(&m, r, client, link)
	case item != nil:
		g.list(&m, r, client, link, item)
	default:
		g.single(&m, r, client, link, reply)
	}
	g.file.Methods = append(g.file.Methods, m)
}

func receiver(of string) string { return of[strings.IndexByte(of, '*')+1:] }

// maxArguments is the maximum of query parameters that are separate arguments of a method.
const maxArguments = 2

// single generates the method of an operation on one thing.
func (g *generator) single(m *method, r route, client, link string, reply *schema) {
	c := call{fields: []string{"method: http.Method" + r.verb}}
	if g.hasParameter(r, "ifMatch") {
		read := g.resourceOf(r, link)
		c.parameters = append(c.parameters, "read "+read)
		c.path = g.path(r, func(name string) string { return "read." + goName(name) })
		c.fields = append(c.fields, "ifMatch: read.ETag")
	} else {
		c.arguments(g, r)
	}
	if body := jsonOf(r.RequestBody.Content); body != nil && len(g.resolve(body).Properties.names)+len(g.resolve(body).AllOf) > 0 {
		of, _ := g.typeOf(body, goName(r.OperationID)+"Body", "the request body of "+link)
		c.parameters = append(c.parameters, "body "+of)
		c.fields = append(c.fields, "body: body")
	}
	if _, isFile := r.RequestBody.Content.values["application/octet-stream"]; isFile {
		c.parameters = append(c.parameters, "file []byte")
		c.fields = append(c.fields, "body: file")
	}
	query := ""
	if queries := g.queries(r); len(queries) > maxArguments {
		of, _ := g.typeOf(reply, "", "returned by "+link)
		t := &goType{Name: of + "Query", Doc: of + "Query contains parameters of " + link + "."}
		query = g.queryType(t, "q", queries)
		c.parameters = append(c.parameters, "q "+t.Name)
	} else {
		for _, p := range queries {
			of, _ := g.typeOf(p.Schema, m.Name+goName(p.Name), "a parameter of "+link)
			c.parameters = append(c.parameters, argument(p.Name)+" "+of)
			query += fmt.Sprintf(".set(%q, %s)", p.Name, argument(p.Name))
		}
	}
	if query != "" {
		c.fields = append(c.fields, "query: parameters{}"+query)
	}
	c.fields = slices.Insert(c.fields, 1, "path: "+c.path)
	m.Parameters = strings.Join(append([]string{"ctx context.Context"}, append(c.parameters, "options ...CallOption")...), ", ")
	request := "request{" + strings.Join(c.fields, ", ") + "}"
	if reply == nil {
		m.Result, m.Body = "error", fmt.Sprintf("return %s.do(ctx, %s, nil, options)", client, request)
		return
	}
	of, _ := g.typeOf(reply, goName(r.OperationID)+"Reply", "returned by "+link)
	m.Result = "(" + of + ", error)"
	m.Body = fmt.Sprintf("return call[%s](ctx, %s, %s, options)", of, client, request)
	if g.resolve(reply).Properties.values["secretShownOnce"] != nil {
		m.Doc += "\n\nA repeat of the request returns [ErrSecretLost] together with the value, without its secret."
		m.Body = fmt.Sprintf("value, err := call[%s](ctx, %s, %s, options)\nreturn value, secretLost(err, value.SecretShownOnce)", of, client, request)
	}
}

// list generates the method of a list, with a filter if it has parameters besides the page.
func (g *generator) list(m *method, r route, client, link string, item *schema) {
	of, _ := g.typeOf(item, goName(r.OperationID)+"Row", "a row of "+link)
	var c call
	c.arguments(g, r)
	query := "nil"
	if filters := g.queries(r); len(filters) > 0 {
		filter := &goType{Name: of + "Filter", Doc: of + "Filter selects rows of " + link + ".", Embeds: []string{"Paging"}}
		query = "f.parameters()" + g.queryType(filter, "f", filters)
		c.parameters = append(c.parameters, "f "+filter.Name)
	} else if g.hasParameter(r, "limit") {
		c.parameters = append(c.parameters, "p Paging")
		query = "p.parameters()"
	}
	m.Parameters, m.Result = strings.Join(c.parameters, ", "), "List["+of+"]"
	m.Body = fmt.Sprintf("return List[%s]{%s, %s, %s}", of, client, c.path, query)
}

// queryType generates a struct with query parameters as its fields, and returns the Go expression
// that adds those of a variable to other parameters. Operations with equal parameters share it.
func (g *generator) queryType(t *goType, variable string, all []parameter) (query string) {
	for _, p := range all {
		f := g.field(t.Name, p.Name, p.Schema, true)
		f.Doc, f.Tag = strings.TrimSpace(p.Description), ""
		if s := g.resolve(p.Schema); f.Type == "bool" || f.Type == "int64" && s.Minimum < 1 && s.Default != 0 {
			f.Type = "*" + f.Type
		}
		t.Fields = append(t.Fields, f)
		query += fmt.Sprintf(".set(%q, %s.%s)", p.Name, variable, f.Name)
	}
	if shared := g.types[t.Name]; shared == nil || !reflect.DeepEqual(shared.Fields, t.Fields) {
		g.add(t)
	}
	return query
}

// save generates the method that sends the changes of a value since it was read.
func (g *generator) save(m *method, r route, client, link string) {
	of := g.resourceOf(r, link)
	g.typeOf(g.reply(r.operation), of, "")
	t := g.types[of]
	if t == nil {
		g.errs = append(g.errs, fmt.Errorf("%s saves a type that is not generated", r.OperationID))
		return
	}
	for _, name := range g.resolve(jsonOf(r.RequestBody.Content)).Properties.names {
		if slices.ContainsFunc(t.Fields, func(f field) bool { return f.Name == goName(name) }) {
			t.Editable = append(t.Editable, name)
		}
	}
	path := g.path(r, func(name string) string { return "value." + goName(name) })
	m.Parameters, m.Result = "ctx context.Context, value *"+of+", options ...CallOption", "error"
	m.Body = fmt.Sprintf("return save(ctx, %s, %s, value, options)", client, path)
	m.Doc += "\n\nIt sends the changes of value since it was read, and replaces value with the reply. If another writer was first, it returns a [Conflict]."
}

// arguments adds the parameters of the path.
func (c *call) arguments(g *generator, r route) {
	c.path = g.path(r, argument)
	for _, p := range r.Parameters {
		if p = g.document.parameter(p); p.In == "path" {
			of, _ := g.typeOf(p.Schema, "", "")
			c.parameters = append(c.parameters, argument(p.Name)+" "+of)
		}
	}
}

// path returns the Go expression of a path.
func (g *generator) path(r route, value func(name string) string) string {
	var parts []string
	literal := ""
	for _, part := range strings.Split(r.path[1:], "/") {
		literal += "/"
		if name, ok := strings.CutPrefix(part, "{"); ok {
			parts = append(parts, fmt.Sprintf("%q", literal), "segment("+value(strings.TrimSuffix(name, "}"))+")")
			literal = ""
		} else {
			literal += part
		}
	}
	if literal != "" {
		parts = append(parts, fmt.Sprintf("%q", literal))
	}
	return strings.Join(parts, " + ")
}

// resourceOf returns the type that a GET of the same path, or of the path above it, returns.
func (g *generator) resourceOf(r route, link string) string {
	for path := r.path; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		if get := g.document.Paths.values[base+path].Get; get != nil {
			of, _ := g.typeOf(g.reply(get), "", "the resource of "+link)
			return of
		}
	}
	g.errs = append(g.errs, fmt.Errorf("no GET returns the resource of %s", r.OperationID))
	return ""
}

// ofTheEngine are parameters that the engine and its call options set. It reads JSON only, so that
// it sends no format.
var ofTheEngine = []string{"format", "limit", "cursor", "sort", "total", "merge", "overwrite", "bypass", "effectiveTime", "manager", "revision", "takeOver", "wait"}

func (g *generator) queries(r route) (all []parameter) {
	for _, p := range r.Parameters {
		if p = g.document.parameter(p); p.In == "query" && !slices.Contains(ofTheEngine, p.Name) {
			all = append(all, p)
		}
	}
	return all
}

// hasParameter reports whether an operation has a shared parameter.
func (g *generator) hasParameter(r route, name string) bool {
	return slices.ContainsFunc(r.Parameters, func(p parameter) bool { return nameOf(p.Ref) == name })
}
