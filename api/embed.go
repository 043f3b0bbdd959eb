// Package api contains the HTTP contract, openapi.yaml. Command gen writes it from base.yaml,
// which is written by hand, and from the registered routes. Command clientgen writes the Go client
// from openapi.yaml.
//
// Tests validate the replies of the service against it, and compare it with the routes.
package api

//go:generate go run ./gen base.yaml openapi.yaml
//go:generate go run ./clientgen openapi.yaml ../client

import (
	"bytes"
	_ "embed" // for the contract
	"encoding/json"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"
)

// YAML is the contract, OpenAPI 3.1.
//
//go:embed openapi.yaml
var YAML []byte

// JSON returns the contract as JSON, its members in the order of the YAML, so that
// readers meet operations and fields in the order their authors chose.
var JSON = sync.OnceValues(func() ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(YAML, &document); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	var b bytes.Buffer
	if err := writeJSON(&b, &document); err != nil {
		return nil, fmt.Errorf("convert openapi.yaml: %w", err)
	}
	return b.Bytes(), nil
})

func writeJSON(b *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.DocumentNode:
		return writeJSON(b, node.Content[0])
	case yaml.AliasNode:
		return writeJSON(b, node.Alias)
	case yaml.MappingNode:
		return writeObject(b, node.Content)
	case yaml.SequenceNode:
		return writeArray(b, node.Content)
	}
	if node.Tag == "!!timestamp" {
		return writeValue(b, node.Value)
	}
	var value any
	if err := node.Decode(&value); err != nil {
		return err
	}
	return writeValue(b, value)
}

// writeObject takes keys and values by turns, as a mapping node has them.
func writeObject(b *bytes.Buffer, content []*yaml.Node) error {
	b.WriteByte('{')
	for i := 0; i < len(content); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		// A key such as 200 is a name too.
		if err := writeValue(b, content[i].Value); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := writeJSON(b, content[i+1]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

func writeArray(b *bytes.Buffer, content []*yaml.Node) error {
	b.WriteByte('[')
	for i, element := range content {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeJSON(b, element); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func writeValue(b *bytes.Buffer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	b.Write(text)
	return nil
}
