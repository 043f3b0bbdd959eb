package config

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"interlock/internal/base/apperr"
)

// exportFormat is the format of an export. All formats but JSON contain only keys and values, and a
// comment for each withheld value.
type exportFormat string

// The formats of exports.
const (
	exportJSON       exportFormat = "json"
	exportYAML       exportFormat = "yaml"
	exportProperties exportFormat = "properties"
	exportEnv        exportFormat = "env"
	exportConfigMap  exportFormat = "configmap"
)

// Enum returns the formats.
func (exportFormat) Enum() []string {
	return []string{string(exportJSON), string(exportYAML), string(exportProperties), string(exportEnv), string(exportConfigMap)}
}

// SchemaName returns the name of the schema in the contract.
func (exportFormat) SchemaName() string { return "ConfigFormat" }

// textFormat is a format of keys and values.
type textFormat struct {
	extension, mediaType string
	// name returns the name of a key in the format; nil for the key itself.
	name func(key string) string
	// encode returns the document of the configs, which are sorted by key and have distinct names.
	encode func(configs []namedConfig) ([]byte, error)
}

var textFormats = map[exportFormat]textFormat{
	exportYAML:       {"yaml", "application/yaml", nil, encodeYAML},
	exportProperties: {"properties", "text/plain; charset=us-ascii", nil, encodeProperties},
	exportEnv:        {"env", "text/plain; charset=utf-8", envName, encodeEnv},
	exportConfigMap:  {"configmap.yaml", "application/yaml", configMapName, encodeConfigMap},
}

// maxConfigMapBytes is the limit of Kubernetes for the data of a ConfigMap.
const maxConfigMapBytes = 1 << 20

// namedConfig is a config with a readable value and its name in a format.
type namedConfig struct {
	ExportedConfig
	name string
}

// document returns an export in the format. Errors: ValidationFailed for configs that the format
// cannot contain.
func (f textFormat) document(e Export) ([]byte, error) {
	var out bytes.Buffer
	var configs []namedConfig
	first := map[string]configKey{}
	for _, c := range e.Configs {
		if c.Masked {
			fmt.Fprintf(&out, "# withheld: %s\n", c.Key)
			continue
		}
		named := namedConfig{c, string(c.Key)}
		if f.name != nil {
			named.name = f.name(named.name)
		}
		if other, taken := first[named.name]; taken {
			return nil, inexpressible("unique", "cannot contain both %q and %q, because both have the name %s; export them by prefix", other, c.Key, named.name)
		}
		first[named.name] = c.Key
		configs = append(configs, named)
	}
	text, err := f.encode(configs)
	out.Write(text)
	return out.Bytes(), err
}

func inexpressible(code, message string, args ...any) error {
	return apperr.Invalid(apperr.Field{Pointer: "?format", Code: code, Message: fmt.Sprintf(message, args...)})
}

// text returns the value as text: a string without quotes, any other value as JSON. A value in a
// JSON string of the type number, boolean or json is the text in that string.
func (c ExportedConfig) text() string { return ValueText(c.Value) }

// ValueText returns a JSON value as text: a string without quotes, any other value as JSON.
func ValueText(value json.RawMessage) string {
	var plain string
	if json.Unmarshal(value, &plain) == nil && value[0] == '"' {
		return plain
	}
	return string(value)
}

// plainText returns the value of a config for the context's caller. Errors: Forbidden if the caller
// may not read it, Unavailable if it cannot be decrypted.
func plainText(ctx context.Context, c *Config) (string, error) {
	value, masked := shown(ctx, c)
	switch {
	case !masked:
		return ValueText(value), nil
	case mayReadSecrets(ctx):
		return "", apperr.New(apperr.Unavailable, "The value of %s cannot be decrypted: configure its encryption key again (INTERLOCK_ENCRYPTION_KEYS).", c.label()).After(time.Minute)
	default:
		return "", apperr.New(apperr.Forbidden, "The value of %s is secret. Ask an administrator for the permission %s, or read the config as JSON, without its value.", c.label(), SecretsPermission)
	}
}

// encodeYAML returns a mapping of whole keys to values. Members of objects retain their order and
// numbers their notation.
func encodeYAML(configs []namedConfig) ([]byte, error) {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, c := range configs {
		text := []byte(c.Value)
		if c.ValueType != String {
			text = []byte(c.text())
		}
		value, err := yamlNode(jsontext.NewDecoder(bytes.NewReader(text)))
		if err != nil {
			return nil, fmt.Errorf("export config %q: %w", c.Key, err)
		}
		root.Content = append(root.Content, yamlText(c.name), value)
	}
	return yaml.Marshal(root)
}

// yamlText returns a quoted scalar, so that no parser reads it as another type.
func yamlText(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.DoubleQuotedStyle}
}

// yamlNode reads one JSON value.
func yamlNode(in *jsontext.Decoder) (*yaml.Node, error) {
	token, err := in.ReadToken()
	if err != nil {
		return nil, err
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Value: token.String()}
	switch token.Kind() {
	case '"':
		return yamlText(token.String()), nil
	// Flow mappings are values; readYAML reads block mappings as nested keys.
	case '{':
		node = &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	case '[':
		node = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	default:
		return node, nil
	}
	for in.PeekKind() != '}' && in.PeekKind() != ']' {
		member, err := yamlNode(in)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, member)
	}
	_, err = in.ReadToken()
	return node, err
}

// encodeProperties writes the format of java.util.Properties in ASCII.
func encodeProperties(configs []namedConfig) ([]byte, error) {
	var out bytes.Buffer
	for _, c := range configs {
		propertiesText(&out, c.name, true)
		out.WriteByte('=')
		propertiesText(&out, c.text(), false)
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// propertiesText writes a name or a value with the escapes of java.util.Properties. In a value, only
// leading spaces need one.
func propertiesText(out *bytes.Buffer, text string, isName bool) {
	start := out.Len()
	for _, r := range text {
		switch {
		case r == ' ' && (isName || out.Len() == start), strings.ContainsRune(`\=:#!`, r):
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case r < ' ' || r > '~':
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(out, `\u%04X`, unit)
			}
		default:
			out.WriteRune(r)
		}
	}
}

var notOfEnv = regexp.MustCompile(`[^A-Z0-9]`)

// envName returns the key in capitals with an underscore for each other character, as Spring reads
// environment variables, and before a leading digit.
func envName(key string) string {
	name := notOfEnv.ReplaceAllString(strings.ToUpper(key), "_")
	if name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

var (
	unquotedInEnv = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+$`)
	escapeInEnv   = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace
)

// encodeEnv writes assignments that a POSIX shell reads, and parsers of .env files, which differ
// only in the escapes of text with an apostrophe.
func encodeEnv(configs []namedConfig) ([]byte, error) {
	var out bytes.Buffer
	for _, c := range configs {
		text := c.text()
		switch {
		case strings.ContainsRune(text, 0):
			return nil, inexpressible("range", "cannot contain %q: its value has the character NUL", c.Key)
		case unquotedInEnv.MatchString(text):
		case strings.Contains(text, "'"):
			text = `"` + escapeInEnv(text) + `"`
		default:
			text = "'" + text + "'"
		}
		fmt.Fprintf(&out, "%s=%s\n", c.name, text)
	}
	return out.Bytes(), nil
}

var notOfConfigMap = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// configMapName returns the key with an underscore instead of each character that a name in a
// ConfigMap cannot have, and before a leading "..".
func configMapName(key string) string {
	name := notOfConfigMap.ReplaceAllString(key, "_")
	if strings.HasPrefix(name, "..") {
		return "_" + name
	}
	return name
}

func encodeConfigMap(configs []namedConfig) ([]byte, error) {
	data := &yaml.Node{Kind: yaml.MappingNode}
	bytes := 0
	for _, c := range configs {
		bytes += len(c.name) + len(c.text())
		data.Content = append(data.Content, yamlText(c.name), yamlText(c.text()))
	}
	if bytes > maxConfigMapBytes {
		return nil, apperr.New(apperr.LimitReached, "The configs have %d bytes; a ConfigMap contains at most %d. Export them by prefix.", bytes, maxConfigMapBytes)
	}
	return yaml.Marshal(struct {
		APIVersion string            `yaml:"apiVersion"`
		Kind       string            `yaml:"kind"`
		Metadata   map[string]string `yaml:"metadata"`
		Data       *yaml.Node        `yaml:"data"`
	}{"v1", "ConfigMap", map[string]string{"name": "configs"}, data})
}
