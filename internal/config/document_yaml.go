package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// maxNodes bounds the nodes of a source in YAML, because the parser needs about 200 bytes for each, and
// the values in an export of flags.
const maxNodes = 1 << 20

// readYAML reads ConfigMaps, or mappings of keys to values, which are separated by ---.
func readYAML(in *document) error {
	if err := checkNodes(in.Text); err != nil {
		return in.fault(1, "%w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(in.Text))
	var mappings []*yaml.Node
	for {
		var root yaml.Node
		err := decoder.Decode(&root)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return in.fault(1, "%w", err)
		}
		switch top := root.Content[0]; {
		case top.Kind == yaml.ScalarNode && top.Tag == "!!null":
		case top.Kind != yaml.MappingNode:
			return in.fault(top.Line, "must be a mapping of keys to values")
		default:
			mappings = append(mappings, top)
		}
	}
	if slices.ContainsFunc(mappings, isKubernetes) {
		in.setFormat(formatConfigMap)
		for _, mapping := range mappings {
			in.readObject(mapping)
		}
		return nil
	}
	if in.Format == formatConfigMap {
		return in.otherFormat()
	}
	in.setFormat(formatYAML)
	parts := make([]profilePart, len(mappings))
	for i, mapping := range mappings {
		parts[i] = profilePart{in.part(in.prefix), mapping.Line}
		if err := parts[i].readMapping(mapping, ""); err != nil {
			return err
		}
	}
	in.includeProfiles(parts)
	return nil
}

// nodeMarks precede a node of YAML: its line breaks, and punctuation.
var nodeMarks = []string{"\n", "\r", "\u0085", "\u2028", "\u2029", ",", "[", "{", "- ", "? "}

// checkNodes estimates the nodes of YAML or JSON by the marks.
func checkNodes(text []byte) error {
	nodes := 0
	for _, mark := range nodeMarks {
		nodes += bytes.Count(text, []byte(mark))
	}
	if nodes > maxNodes {
		return fmt.Errorf("may have more than %d values; split it, or convert it to an object of keys and values in JSON", maxNodes)
	}
	return nil
}

func memberOfYAML(mapping *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// textIn returns the text at a path of members; "" if there is none.
func textIn(mapping *yaml.Node, names ...string) string {
	for _, name := range names {
		if mapping == nil {
			return ""
		}
		mapping = memberOfYAML(mapping, name)
	}
	if mapping == nil || mapping.Kind != yaml.ScalarNode {
		return ""
	}
	return mapping.Value
}

func isKubernetes(mapping *yaml.Node) bool {
	return textIn(mapping, "kind") != "" && textIn(mapping, "apiVersion") != ""
}

// readObject reads an object of Kubernetes: a ConfigMap, or a list of objects.
func (in *document) readObject(object *yaml.Node) {
	kind, items := textIn(object, "kind"), memberOfYAML(object, "items")
	switch {
	case kind == "ConfigMap":
		in.readConfigMap(object)
	case (kind == "List" || kind == "ConfigMapList") && items != nil && items.Kind == yaml.SequenceNode:
		for _, item := range items.Content {
			in.readObject(item)
		}
	default:
		name := strings.TrimSpace(kind + " " + textIn(object, "metadata", "name"))
		in.note(in.at(object.Line), "", "ignored", "%s is not a ConfigMap and is not read", cmp.Or(name, "an object without kind and name"))
	}
}

// readConfigMap reads the data of a ConfigMap of Kubernetes.
func (in *document) readConfigMap(object *yaml.Node) {
	isRead := map[string]bool{}
	for i := 0; i+1 < len(object.Content); i += 2 {
		name, data := object.Content[i], object.Content[i+1]
		switch member := name.Value; {
		case member != "data" && member != "binaryData", data.Kind == yaml.ScalarNode && data.ShortTag() == "!!null":
		case data.Kind != yaml.MappingNode:
			in.reject(in.at(name.Line), "", "type", "%s is not a mapping; aliases are not supported", member)
		case isRead[member]:
			in.reject(in.at(name.Line), "", "unique", "%s is repeated in the ConfigMap; merge both", member)
		case member == "data":
			isRead[member] = true
			in.readData(data)
		default:
			isRead[member] = true
			for i := 0; i+1 < len(data.Content); i += 2 {
				in.reject(in.at(data.Content[i].Line), data.Content[i].Value, "binary", "is binaryData, which configs cannot contain")
			}
		}
	}
}

func (in *document) readData(data *yaml.Node) {
	for i := 0; i+1 < len(data.Content); i += 2 {
		name, value := data.Content[i], data.Content[i+1]
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" || isAmbiguous(value) {
			in.reject(in.at(value.Line), name.Value, "type", "is not a string; write it in quotes")
			continue
		}
		in.add(name.Line, Setting{Name: name.Value, Text: value.Value, Format: string(exportConfigMap)})
	}
}

// readMapping reads the members of a mapping; their keys start with path.
func (in *document) readMapping(mapping *yaml.Node, path string) error {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		name, value := mapping.Content[i], mapping.Content[i+1]
		key := path + name.Value
		if name.Kind != yaml.ScalarNode || name.Anchor != "" || name.ShortTag() == "!!merge" {
			in.reject(in.at(name.Line), key, "unsupported", "has a key that is not plain text; anchors, aliases and merge keys are not supported")
			continue
		}
		isBlock := value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle == 0
		var err error
		switch {
		case isBlock && len(in.prefix+key) > maxKey:
			in.reject(in.at(name.Line), key, "pattern", "is not a key: a key has at most %d characters", maxKey)
		case isBlock && !in.fits():
		case isBlock && !in.IsJSON(in.prefix+key):
			err = in.readNested(value, key)
		default:
			err = in.readValue(name.Line, value, key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (in *document) readNested(mapping *yaml.Node, key string) error {
	if err := unsupported(mapping); err != nil {
		in.reject(in.at(mapping.Line), key, "unsupported", "%s", err)
		return nil
	}
	return in.readMapping(mapping, key+".")
}

// readValue adds a value as JSON.
func (in *document) readValue(line int, value *yaml.Node, key string) error {
	var text bytes.Buffer
	encoder := jsontext.NewEncoder(&text, jsontext.AllowDuplicateNames(false))
	if err := writeJSON(encoder, value); err != nil {
		var at *yamlError
		if !errors.As(err, &at) {
			return in.fault(value.Line, "%w", err)
		}
		in.reject(in.at(at.line), key, at.code, "%s", at.message)
		return nil
	}
	in.add(line, Setting{Name: key, Value: json.RawMessage(bytes.TrimSpace(text.Bytes()))})
	return nil
}

// yamlError is a value that JSON cannot express.
type yamlError struct {
	line          int
	code, message string
}

func (e *yamlError) Error() string { return e.message }

func inexact(node *yaml.Node, code, message string, args ...any) error {
	return &yamlError{node.Line, code, fmt.Sprintf(message, args...)}
}

// unsupported returns a yamlError for an anchor, an alias, and a collection with another tag than that of
// mappings and sequences.
func unsupported(node *yaml.Node) error {
	switch tag := node.ShortTag(); {
	case node.Anchor != "" || node.Kind == yaml.AliasNode:
		return inexact(node, "unsupported", "has an anchor or alias, which is not supported; repeat the value")
	case node.Kind == yaml.MappingNode && tag != "!!map", node.Kind == yaml.SequenceNode && tag != "!!seq":
		return inexact(node, "unsupported", "has the unsupported type %s", tag)
	}
	return nil
}

// writeJSON writes a node as JSON. Numbers retain their notation. Errors: yamlError.
func writeJSON(out *jsontext.Encoder, node *yaml.Node) error {
	err := unsupported(node)
	if err != nil {
		return err
	}
	switch node.Kind {
	case yaml.MappingNode:
		err = out.WriteToken(jsontext.BeginObject)
		for i := 0; i+1 < len(node.Content) && err == nil; i += 2 {
			name := node.Content[i]
			if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
				return inexact(name, "unsupported", "has a key that is not plain text")
			}
			if err = out.WriteToken(jsontext.String(name.Value)); err != nil {
				return inexact(name, "unique", "has the key %s twice", name.Value)
			}
			err = writeJSON(out, node.Content[i+1])
		}
		if err == nil {
			err = out.WriteToken(jsontext.EndObject)
		}
	case yaml.SequenceNode:
		err = out.WriteToken(jsontext.BeginArray)
		for _, element := range node.Content {
			if err == nil {
				err = writeJSON(out, element)
			}
		}
		if err == nil {
			err = out.WriteToken(jsontext.EndArray)
		}
	default:
		err = writeScalar(out, node)
	}
	return err
}

// yaml11 matches plain texts that are booleans or numbers in YAML 1.1, which Spring and kubectl read.
var yaml11 = regexp.MustCompile(`^(?:(?i:yes|no|on|off)|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)$`)

// isAmbiguous reports whether a plain text is a boolean or a number in YAML 1.1.
func isAmbiguous(node *yaml.Node) bool { return node.Style == 0 && yaml11.MatchString(node.Value) }

func writeScalar(out *jsontext.Encoder, node *yaml.Node) error {
	switch tag := node.ShortTag(); {
	case tag == "!!str" && isAmbiguous(node):
		return inexact(node, "ambiguous", "has the value %s, which is a boolean or a number in YAML 1.1; write true, false or the number, or use quotes", node.Value)
	case tag == "!!str":
		return out.WriteToken(jsontext.String(node.Value))
	case tag == "!!null":
		return out.WriteToken(jsontext.Null)
	case tag == "!!bool" && strings.EqualFold(node.Value, "true"):
		return out.WriteToken(jsontext.True)
	case tag == "!!bool" && strings.EqualFold(node.Value, "false"):
		return out.WriteToken(jsontext.False)
	case tag == "!!int", tag == "!!float":
		number := jsontext.Value(node.Value)
		if number.Kind() == '0' && number.IsValid() {
			return out.WriteValue(number)
		}
		return inexact(node, "number", "has the number %s, which JSON cannot express; write it as a JSON number or in quotes", node.Value)
	}
	return inexact(node, "unsupported", "has the value %s of the unsupported type %s; write it in quotes", node.Value, node.ShortTag())
}
