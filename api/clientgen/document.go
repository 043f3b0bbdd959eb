package main

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is the part of the contract that the generator reads.
type document struct {
	Tags       []struct{ Name, Description string }
	Paths      ordered[pathItem]
	Components struct {
		Parameters map[string]parameter
		Responses  map[string]response
		Schemas    ordered[*schema]
	}
}

type pathItem struct{ Get, Post, Patch, Put, Delete *operation }

type operation struct {
	OperationID string `yaml:"operationId"`
	Tags        []string
	Summary     string
	Description string
	Security    []any
	Parameters  []parameter
	RequestBody struct{ Content ordered[media] } `yaml:"requestBody"`
	Responses   ordered[response]
}

type parameter struct {
	Ref         string `yaml:"$ref"`
	Name        string
	In          string
	Description string
	Schema      *schema
}

type response struct {
	Ref     string `yaml:"$ref"`
	Content ordered[media]
}

type media struct{ Schema *schema }

type schema struct {
	Ref                  string `yaml:"$ref"`
	Description          string
	Type                 texts
	Format               string
	Enum                 []string
	Const                any
	Default              any
	Minimum              float64
	Properties           ordered[*schema]
	Required             []string
	Items                *schema
	AllOf                []*schema `yaml:"allOf"`
	OneOf                []*schema `yaml:"oneOf"`
	AnyOf                []*schema `yaml:"anyOf"`
	AdditionalProperties *schema   `yaml:"additionalProperties"`
}

// UnmarshalYAML also reads the schemas true and false, which have no members.
func (s *schema) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return nil
	}
	type members schema
	return node.Decode((*members)(s))
}

// texts is one text or a list of them.
type texts []string

// UnmarshalYAML reads both forms.
func (t *texts) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*t = texts{node.Value}
		return nil
	}
	return node.Decode((*[]string)(t))
}

// ordered is a mapping in the order of the document.
type ordered[T any] struct {
	names  []string
	values map[string]T
}

// UnmarshalYAML reads the mapping.
func (o *ordered[T]) UnmarshalYAML(node *yaml.Node) error {
	o.values = map[string]T{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		var value T
		if err := node.Content[i+1].Decode(&value); err != nil {
			return err
		}
		o.names = append(o.names, node.Content[i].Value)
		o.values[node.Content[i].Value] = value
	}
	return nil
}

func nameOf(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

func (d *document) parameter(p parameter) parameter {
	if p.Ref != "" {
		return d.Components.Parameters[nameOf(p.Ref)]
	}
	return p
}

// tag returns the description of a tag.
func (d *document) tag(name string) string {
	for _, tag := range d.Tags {
		if tag.Name == name {
			return tag.Description
		}
	}
	return ""
}

// jsonOf returns the JSON schema of a body; nil if the body has none.
func jsonOf(content ordered[media]) *schema {
	for _, name := range []string{"application/merge-patch+json", "application/json"} {
		if m, ok := content.values[name]; ok {
			return m.Schema
		}
	}
	return nil
}
