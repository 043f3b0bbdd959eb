package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// readYAML reads a ConfigMap, or a mapping of keys to values.
func readYAML(in document, isJSON func(string) bool) error {
	decoder := yaml.NewDecoder(bytes.NewReader(in.text))
	var root, second yaml.Node
	switch err := decoder.Decode(&root); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return in.fault(1, "%w", err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return in.fault(second.Line, "starts a second document; write each document into its own file")
	case !errors.Is(err, io.EOF):
		return in.fault(1, "%w", err)
	}
	top := root.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return nil
	}
	if top.Kind != yaml.MappingNode {
		return in.fault(top.Line, "must be a mapping of keys to values")
	}
	if kind := memberOfYAML(top, "kind"); kind != nil && kind.Value == "ConfigMap" && memberOfYAML(top, "apiVersion") != nil {
		return in.readConfigMap(top)
	}
	return in.readMapping(top, "", isJSON)
}

func memberOfYAML(mapping *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// readConfigMap reads the data of a ConfigMap of Kubernetes.
func (in document) readConfigMap(top *yaml.Node) error {
	if binary := memberOfYAML(top, "binaryData"); binary != nil && len(binary.Content) > 0 {
		return in.fault(binary.Line, "has binaryData, which configs cannot contain")
	}
	data := memberOfYAML(top, "data")
	if data == nil || data.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(data.Content); i += 2 {
		name, value := data.Content[i], data.Content[i+1]
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
			return in.fault(value.Line, "%s is no string; write it in quotes", name.Value)
		}
		if err := in.addName(name.Line, Setting{Name: name.Value, Text: value.Value, Format: string(exportConfigMap)}); err != nil {
			return err
		}
	}
	return nil
}

// readMapping reads the members of a mapping; their keys start with prefix.
func (in document) readMapping(mapping *yaml.Node, prefix string, isJSON func(string) bool) error {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		name, value := mapping.Content[i], mapping.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.Anchor != "" || name.ShortTag() == "!!merge" {
			return in.fault(name.Line, "has a key that is no plain text; anchors, aliases and merge keys are not supported")
		}
		key := prefix + name.Value
		if value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle == 0 && !isJSON(key) {
			if value.Anchor != "" {
				return in.fault(value.Line, "%s has an anchor, which is not supported", key)
			}
			if err := in.readMapping(value, key+".", isJSON); err != nil {
				return err
			}
			continue
		}
		var text bytes.Buffer
		encoder := jsontext.NewEncoder(&text, jsontext.AllowDuplicateNames(false))
		if err := in.writeJSON(encoder, value); err != nil {
			return err
		}
		if err := in.addName(name.Line, Setting{Name: key, Value: json.RawMessage(bytes.TrimSpace(text.Bytes()))}); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes a node as JSON. Numbers retain their notation.
func (in document) writeJSON(out *jsontext.Encoder, node *yaml.Node) error {
	if node.Anchor != "" || node.Kind == yaml.AliasNode {
		return in.fault(node.Line, "has an anchor or alias, which is not supported; repeat the value")
	}
	var err error
	switch node.Kind {
	case yaml.MappingNode:
		err = out.WriteToken(jsontext.BeginObject)
		for i := 0; i+1 < len(node.Content) && err == nil; i += 2 {
			name := node.Content[i]
			if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
				return in.fault(name.Line, "has a key that is no plain text")
			}
			if err = out.WriteToken(jsontext.String(name.Value)); err != nil {
				return in.fault(name.Line, "has the key %s twice", name.Value)
			}
			if err := in.writeJSON(out, node.Content[i+1]); err != nil {
				return err
			}
		}
		if err == nil {
			err = out.WriteToken(jsontext.EndObject)
		}
	case yaml.SequenceNode:
		err = out.WriteToken(jsontext.BeginArray)
		for _, element := range node.Content {
			if err := in.writeJSON(out, element); err != nil {
				return err
			}
		}
		if err == nil {
			err = out.WriteToken(jsontext.EndArray)
		}
	default:
		err = in.writeScalar(out, node)
	}
	return err
}

func (in document) writeScalar(out *jsontext.Encoder, node *yaml.Node) error {
	switch node.ShortTag() {
	case "!!str":
		return out.WriteToken(jsontext.String(node.Value))
	case "!!null":
		return out.WriteToken(jsontext.Null)
	case "!!bool":
		return out.WriteToken(jsontext.Bool(strings.EqualFold(node.Value, "true")))
	case "!!int", "!!float":
		number := jsontext.Value(node.Value)
		if number.Kind() == '0' && number.IsValid() {
			return out.WriteValue(number)
		}
		return in.fault(node.Line, "has the number %s, which JSON cannot express; write it as a JSON number or in quotes", node.Value)
	}
	return in.fault(node.Line, "has the value %s of the unsupported type %s; write it in quotes", node.Value, node.ShortTag())
}
