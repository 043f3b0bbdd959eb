// Package openapi derives the HTTP contract from the registered routes: paths, parameters,
// bodies, replies, error responses and permissions follow from their Go types, and the
// descriptions of fields are the comments above them.
//
// Document completes api/base.yaml, which has the parts that belong to no route. A name that
// both define is an error, so that each fact is stated once.
package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"interlock/internal/base/strictjson"
	"interlock/internal/edge/httpapi"
)

// document collects the contributions of the routes to the contract.
type document struct {
	comments *comments
	// err is the first error of reading comments.
	err error
	// noun is the prefix of the schemas of the current route: WorkOrder.
	noun string
	// baseParameters are the names of the parameters that api/base.yaml describes.
	baseParameters []string

	paths, schemas, responseComponents mapping
}

// Document returns the contract as YAML: base, completed by the routes that
// have a Resource. root is the folder of the Go module and module its import path.
func Document(base []byte, routes []httpapi.Route, root, module string) ([]byte, error) {
	var tree yaml.Node
	if err := yaml.Unmarshal(base, &tree); err != nil {
		return nil, fmt.Errorf("parse api/base.yaml: %w", err)
	}
	d := &document{comments: newComments(root, module)}
	if parameters := child(tree.Content[0], "components", "parameters"); parameters != nil {
		for i := 0; i < len(parameters.Content); i += 2 {
			d.baseParameters = append(d.baseParameters, parameters.Content[i].Value)
		}
	}
	for _, r := range routes {
		if r.Resource == nil {
			continue
		}
		d.noun = pascal(r.Resource.Noun)
		path := httpapi.Base + pathParameter.ReplaceAllString(r.Path, "{$1}")
		operations, _ := d.paths.get(path).(mapping)
		d.paths = d.paths.with(path, operations.with(strings.ToLower(r.Method), d.operation(r)))
		d.conflicts(r.Resource)
	}
	err := errors.Join(d.err,
		complete(&tree, d.paths, "paths"),
		complete(&tree, d.responseComponents, "components", "responses"),
		complete(&tree, d.schemas, "components", "schemas"))
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.WriteString("# Written by make generate from base.yaml and the registered routes. Do not edit.\n")
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(&tree); err != nil {
		return nil, fmt.Errorf("encode the contract: %w", err)
	}
	return text.Bytes(), nil
}

// complete appends members to a mapping of the tree. Error: the mapping has one already.
func complete(tree *yaml.Node, members mapping, path ...string) error {
	target := child(tree.Content[0], path...)
	added, err := members.node()
	if err != nil {
		return err
	}
	for i := 0; i < len(added.Content); i += 2 {
		name := added.Content[i].Value
		if child(target, name) != nil {
			return fmt.Errorf("api/base.yaml and the routes both define %s/%s: remove it from api/base.yaml", strings.Join(path, "/"), name)
		}
		inline(added.Content[i+1])
	}
	target.Content = append(target.Content, added.Content...)
	return nil
}

// child returns a node below a mapping, or nil.
func child(node *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		var next *yaml.Node
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == name {
				next = node.Content[i+1]
			}
		}
		if next == nil {
			return nil
		}
		node = next
	}
	return node
}

// comment returns the comment above a field.
func (d *document) comment(t reflect.Type, field string) string {
	text, err := d.comments.of(t, field)
	d.err = errors.Join(d.err, err)
	return text
}

// plainJSON returns a value as the API would encode it.
func plainJSON(value any) any {
	text, err := strictjson.Encode(value)
	if err != nil {
		panic(fmt.Sprintf("openapi: an example cannot be encoded: %v", err))
	}
	var plain yaml.Node
	if err := yaml.Unmarshal(text, &plain); err != nil || !json.Valid(text) {
		panic(fmt.Sprintf("openapi: an example cannot be read: %v", err))
	}
	return plain.Content[0]
}
