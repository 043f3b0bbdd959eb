// Package validate checks every request and response of a test against api/openapi.yaml.
//
// A response passes only if its status, media type and headers are documented for its
// operation and its body matches the schema. An accepted request passes only if its query
// and body are documented too. So the document and the program cannot diverge.
//
// kin-openapi parses the document. The underlying JSON Schema library compiles the schemas
// once, because kin-openapi compiles an OpenAPI 3.1 schema again for each response, which
// is too slow for a test with thousands of racing requests.
package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"interlock/api"
)

// Contract is the parsed document with its compiled schemas.
type Contract struct {
	Document   *openapi3.T
	operations map[string]*Operation
	// routes finds the operation of a request, by the patterns of net/http.
	routes   *http.ServeMux
	compiler *jsonschema.Compiler
}

// Operation is one operation of the document.
type Operation struct {
	*openapi3.Operation
	// Name is the method and the path template: "GET /api/v1/configs/{key}".
	Name   string
	Method string
	Path   string
	// Parameters are the parameters of the operation and of its path.
	Parameters []*openapi3.Parameter

	requests map[string]*jsonschema.Schema
	replies  map[string]*reply
}

// reply is one documented status of an operation.
type reply struct {
	bodies  map[string]*jsonschema.Schema
	headers map[string]*header
}

type header struct {
	required bool
	schema   *jsonschema.Schema
}

const root = "https://interlock.invalid/openapi.json"

// Load reads the contract and compiles its schemas, once.
var Load = sync.OnceValues(load)

func load() (*Contract, error) {
	text, err := api.JSON()
	if err != nil {
		return nil, err
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("load the contract: %w", err)
	}
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("load the contract: %w", err)
	}
	c := &Contract{
		Document: document, operations: make(map[string]*Operation),
		routes: http.NewServeMux(), compiler: jsonschema.NewCompiler(),
	}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	if err := c.compiler.AddResource(root, raw); err != nil {
		return nil, fmt.Errorf("load the contract: %w", err)
	}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			if err := c.add(method, path, item, operation); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
		}
	}
	return c, nil
}

func (c *Contract) add(method, path string, item *openapi3.PathItem, operation *openapi3.Operation) error {
	o := &Operation{Operation: operation, Name: method + " " + path, Method: method, Path: path}
	for _, p := range append(slices.Clone(item.Parameters), operation.Parameters...) {
		o.Parameters = append(o.Parameters, p.Value)
	}
	at := "/paths/" + token(path) + "/" + strings.ToLower(method)
	var err error
	if body := operation.RequestBody; body != nil {
		if o.requests, err = c.bodies(place(body.Ref, at+"/requestBody"), body.Value.Content); err != nil {
			return err
		}
	}
	o.replies = make(map[string]*reply)
	for status, response := range operation.Responses.Map() {
		if o.replies[status], err = c.reply(place(response.Ref, at+"/responses/"+status), response.Value); err != nil {
			return err
		}
	}
	c.operations[o.Name] = o
	c.routes.HandleFunc(o.Name, func(http.ResponseWriter, *http.Request) {})
	return nil
}

func (c *Contract) reply(at string, response *openapi3.Response) (*reply, error) {
	bodies, err := c.bodies(at, response.Content)
	if err != nil {
		return nil, err
	}
	r := &reply{bodies: bodies, headers: make(map[string]*header)}
	for name, ref := range response.Headers {
		schema, err := c.compile(place(ref.Ref, at+"/headers/"+token(name)) + "/schema")
		if err != nil {
			return nil, err
		}
		r.headers[name] = &header{required: ref.Value.Required, schema: schema}
	}
	return r, nil
}

func (c *Contract) bodies(at string, content openapi3.Content) (map[string]*jsonschema.Schema, error) {
	schemas := make(map[string]*jsonschema.Schema)
	for mediaType, of := range content {
		if of.Schema == nil {
			schemas[mediaType] = nil
			continue
		}
		schema, err := c.compile(at + "/content/" + token(mediaType) + "/schema")
		if err != nil {
			return nil, err
		}
		schemas[mediaType] = schema
	}
	return schemas, nil
}

func (c *Contract) compile(pointer string) (*jsonschema.Schema, error) {
	return c.compiler.Compile(root + "#" + pointer)
}

// place returns the location of a part of the document: the target of its reference, or its
// position.
func place(ref, here string) string {
	if ref != "" {
		return strings.TrimPrefix(ref, "#")
	}
	return here
}

// token escapes a name for a JSON Pointer (RFC 6901) in a URL fragment.
func token(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
}

// Operations returns the operations, sorted by path and method.
func (c *Contract) Operations() []*Operation {
	all := make([]*Operation, 0, len(c.operations))
	for _, o := range c.operations {
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *Operation) int { return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method) })
	return all
}

// Operation returns the operation with a name such as "GET /api/v1/configs/{key}",
// or nil.
func (c *Contract) Operation(name string) *Operation { return c.operations[name] }

// Find returns the operation of a request, or nil.
func (c *Contract) Find(request *http.Request) *Operation {
	probe := httptest.NewRequest(request.Method, "http://"+request.URL.Host+"/", nil)
	probe.URL = request.URL
	_, pattern := c.routes.Handler(probe)
	return c.operations[pattern]
}

// HasJSON reports whether the operation has a request body, and the body is not a file.
func (o *Operation) HasJSON() bool {
	return o.RequestBody != nil && o.RequestBody.Value.Content["application/octet-stream"] == nil
}

// Example returns the operation's documented JSON request, or nil.
func (o *Operation) Example() json.RawMessage {
	if o.RequestBody == nil {
		return nil
	}
	media := o.RequestBody.Value.Content["application/json"]
	if media == nil {
		media = o.RequestBody.Value.Content["application/merge-patch+json"]
	}
	if media == nil {
		return nil
	}
	example := media.Example
	for _, named := range media.Examples {
		example = named.Value.Value
	}
	if example == nil {
		return nil
	}
	text, err := json.Marshal(example)
	if err != nil {
		return nil
	}
	return text
}
