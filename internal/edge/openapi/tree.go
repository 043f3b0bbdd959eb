package openapi

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mapping is a YAML mapping with ordered members.
type mapping []member

type member struct {
	name  string
	value any
}

// get returns a member, or nil.
func (m mapping) get(name string) any {
	for _, each := range m {
		if each.name == name {
			return each.value
		}
	}
	return nil
}

// with returns a copy of the mapping with a member, which replaces the one of that name.
func (m mapping) with(name string, value any) mapping {
	copied := make(mapping, 0, len(m)+1)
	replaced := false
	for _, each := range m {
		if each.name == name {
			each.value, replaced = value, true
		}
		copied = append(copied, each)
	}
	if !replaced {
		copied = append(copied, member{name, value})
	}
	return copied
}

// without returns a copy of the mapping without a member.
func (m mapping) without(name string) mapping {
	return slices.DeleteFunc(slices.Clone(m), func(each member) bool { return each.name == name })
}

// MarshalYAML implements yaml.Marshaler.
func (m mapping) MarshalYAML() (any, error) { return m.node() }

func (m mapping) node() (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, each := range m {
		var name, value yaml.Node
		if err := name.Encode(each.name); err != nil {
			return nil, fmt.Errorf("encode the name %q: %w", each.name, err)
		}
		if err := value.Encode(each.value); err != nil {
			return nil, fmt.Errorf("encode %q: %w", each.name, err)
		}
		node.Content = append(node.Content, &name, &value)
	}
	return node, nil
}

// maxInline is the maximum length of a mapping or a list on one line, in characters.
const maxInline = 100

// inline makes the encoder write short mappings and lists below a node on one line. It returns the
// approximate length of the node on one line.
func inline(node *yaml.Node) (length int) {
	if node.Kind != yaml.MappingNode && node.Kind != yaml.SequenceNode {
		if strings.Contains(node.Value, "\n") {
			return maxInline + 1
		}
		return len(node.Value) + 2
	}
	for _, child := range node.Content {
		length += inline(child) + 2
	}
	if length <= maxInline {
		node.Style |= yaml.FlowStyle
	}
	return length
}
