package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// maxYAMLNodes bounds the nodes of a YAML source, because the parser needs about 200 bytes for each.
const maxYAMLNodes = 1 << 20

// readYAML reads ConfigMaps, or mappings of keys to values, which are separated by ---.
func readYAML(in *document) error {
	if err := in.checkNodes(); err != nil {
		return err
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
	in.setFormat(formatYAML)
	return in.readProfiles(mappings)
}

// checkNodes estimates the nodes of a YAML source by its punctuation.
func (in *document) checkNodes() error {
	nodes := 0
	for _, mark := range []string{"\n", ",", "[", "{", "- "} {
		nodes += bytes.Count(in.Text, []byte(mark))
	}
	if nodes > maxYAMLNodes {
		return in.fault(1, "may have more than %d values; split it, or convert it to JSON", maxYAMLNodes)
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
	case (kind == "List" || kind == "ConfigMapList") && items != nil:
		for _, item := range items.Content {
			in.readObject(item)
		}
	default:
		in.note(in.at(object.Line), "", "%s %s is no ConfigMap and is not read", kind, textIn(object, "metadata", "name"))
	}
}

// readConfigMap reads the data of a ConfigMap of Kubernetes.
func (in *document) readConfigMap(object *yaml.Node) {
	if binary := memberOfYAML(object, "binaryData"); binary != nil {
		for i := 0; i+1 < len(binary.Content); i += 2 {
			in.reject(in.at(binary.Content[i].Line), binary.Content[i].Value, "is binaryData, which configs cannot contain")
		}
	}
	data := memberOfYAML(object, "data")
	if data == nil || data.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(data.Content); i += 2 {
		name, value := data.Content[i], data.Content[i+1]
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
			in.reject(in.at(value.Line), name.Value, "is no string; write it in quotes")
			continue
		}
		in.add(name.Line, Setting{Name: name.Value, Text: value.Value, Format: string(exportConfigMap)})
	}
}

// profileKeys bind a YAML document to profiles of Spring; the second is that before Spring Boot 2.4.
var profileKeys = []string{"spring.config.activate.on-profile", "spring.profiles"}

// readProfiles reads the documents of a YAML file as Spring does: those without a profile, and those of
// the selected profile. Each document overrides the documents before it.
func (in *document) readProfiles(mappings []*yaml.Node) error {
	for _, mapping := range mappings {
		later := &document{Source: in.Source, prefix: in.prefix, out: &Document{Format: in.out.Format}}
		if err := later.readMapping(mapping, ""); err != nil {
			return err
		}
		profiles := later.takeProfiles()
		in.out.Environments = append(in.out.Environments, profiles...)
		switch {
		case slices.Contains(profiles, in.Environment):
			in.out.Environment = in.Environment
		case len(profiles) > 0:
			in.note(in.at(mapping.Line), "", "the values of the profile %s are not read", strings.Join(profiles, ", "))
			continue
		}
		in.override(later.out)
	}
	slices.Sort(in.out.Environments)
	in.out.Environments = slices.Compact(in.out.Environments)
	return nil
}

// takeProfiles removes the profiles of a document from its settings and returns them.
func (in *document) takeProfiles() (profiles []string) {
	in.out.Settings = slices.DeleteFunc(in.out.Settings, func(s Setting) bool {
		isProfile := slices.Contains(profileKeys, strings.TrimPrefix(s.Name, in.prefix))
		if list := []string(nil); isProfile && json.Unmarshal(s.Value, &list) == nil {
			profiles = append(profiles, list...)
		} else if isProfile {
			for name := range strings.SplitSeq(ValueText(s.Value), ",") {
				profiles = append(profiles, strings.TrimSpace(name))
			}
		}
		return isProfile
	})
	return profiles
}

// override adds the settings of a later YAML document, which replace earlier ones with the same name.
func (in *document) override(later *Document) {
	isReplaced := map[string]bool{}
	for _, s := range later.Settings {
		isReplaced[s.Name] = true
	}
	in.out.Settings = slices.DeleteFunc(in.out.Settings, func(s Setting) bool { return isReplaced[s.Name] })
	in.out.Settings = append(in.out.Settings, later.Settings...)
	in.out.Notes = append(in.out.Notes, later.Notes...)
	in.out.Rejected = append(in.out.Rejected, later.Rejected...)
}

// readMapping reads the members of a mapping; their keys start with path.
func (in *document) readMapping(mapping *yaml.Node, path string) error {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		name, value := mapping.Content[i], mapping.Content[i+1]
		key := path + name.Value
		if name.Kind != yaml.ScalarNode || name.Anchor != "" || name.ShortTag() == "!!merge" {
			in.reject(in.at(name.Line), key, "has a key that is no plain text; anchors, aliases and merge keys are not supported")
			continue
		}
		if value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle == 0 && !in.IsJSON(in.prefix+key) {
			if value.Anchor != "" {
				in.reject(in.at(value.Line), key, "has an anchor, which is not supported")
			} else if err := in.readMapping(value, key+"."); err != nil {
				return err
			}
			continue
		}
		var text bytes.Buffer
		encoder := jsontext.NewEncoder(&text, jsontext.AllowDuplicateNames(false))
		if err := writeJSON(encoder, value); err != nil {
			var at *yamlError
			if !errors.As(err, &at) {
				return in.fault(value.Line, "%w", err)
			}
			in.reject(in.at(at.line), key, "%s", at.message)
			continue
		}
		in.add(name.Line, Setting{Name: key, Value: json.RawMessage(bytes.TrimSpace(text.Bytes()))})
	}
	return nil
}

// yamlError is a value that JSON cannot express.
type yamlError struct {
	line    int
	message string
}

func (e *yamlError) Error() string { return e.message }

func inexact(node *yaml.Node, message string, args ...any) error {
	return &yamlError{node.Line, fmt.Sprintf(message, args...)}
}

// writeJSON writes a node as JSON. Numbers retain their notation. Errors: yamlError.
func writeJSON(out *jsontext.Encoder, node *yaml.Node) error {
	if node.Anchor != "" || node.Kind == yaml.AliasNode {
		return inexact(node, "has an anchor or alias, which is not supported; repeat the value")
	}
	var err error
	switch node.Kind {
	case yaml.MappingNode:
		err = out.WriteToken(jsontext.BeginObject)
		for i := 0; i+1 < len(node.Content) && err == nil; i += 2 {
			name := node.Content[i]
			if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
				return inexact(name, "has a key that is no plain text")
			}
			if err = out.WriteToken(jsontext.String(name.Value)); err != nil {
				return inexact(name, "has the key %s twice", name.Value)
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

func writeScalar(out *jsontext.Encoder, node *yaml.Node) error {
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
		return inexact(node, "has the number %s, which JSON cannot express; write it as a JSON number or in quotes", node.Value)
	}
	return inexact(node, "has the value %s of the unsupported type %s; write it in quotes", node.Value, node.ShortTag())
}
