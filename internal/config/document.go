package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"interlock/internal/base/strictjson"
)

// Setting is the content of one config in a document. ReadDocument is the reverse of the export.
type Setting struct {
	// Name is the key, or its name in Format.
	Name string
	// Format is the format of the name; "" if names are keys.
	Format string
	// Value is JSON; nil if the format has only text, which is then in Text.
	Value json.RawMessage
	Text  string
	// Config has the other fields of a config; nil if the format has only values.
	Config *ExportedConfig
	// Withheld is set if the document omits the value, which is secret.
	Withheld bool
	// At is the file and the line.
	At string
}

// NameOf returns the name of a key in the format of the setting.
func (s Setting) NameOf(key string) string {
	if name := textFormats[exportFormat(s.Format)].name; name != nil {
		return name(key)
	}
	return key
}

// documentFormat reads one format. isJSON reports whether a key is known to have a value of the type json.
type documentFormat func(in document, isJSON func(key string) bool) error

var documentFormats = map[string]documentFormat{
	".json": readJSON, ".yaml": readYAML, ".yml": readYAML, ".properties": readProperties, ".env": readEnv,
}

// IsDocument reports whether ReadDocument knows the format of a file by its name.
func IsDocument(file string) bool { return documentFormats[filepath.Ext(file)] != nil }

// document is a file that is read into settings.
type document struct {
	file string
	text []byte
	into *[]Setting
}

// ReadDocument reads a file of configs: JSON (an export, or an object of keys and values), YAML, a
// ConfigMap, properties or env, by the extension of its name. It is strict: all that it cannot read
// exactly is an error with the file and the line. In YAML, block mappings are nested keys, except
// for keys with isJSON; flow mappings are values.
func ReadDocument(file string, text []byte, isJSON func(key string) bool) ([]Setting, error) {
	read := documentFormats[filepath.Ext(file)]
	if read == nil {
		return nil, fmt.Errorf("%s: its format is unknown; name it .json, .yaml, .yml, .properties or .env", file)
	}
	in := document{file, text, new([]Setting)}
	if !utf8.Valid(text) {
		return nil, in.fault(1, "is not UTF-8; save it as UTF-8")
	}
	if err := read(in, isJSON); err != nil {
		return nil, err
	}
	in.addWithheld()
	return *in.into, nil
}

func (in document) fault(line int, message string, args ...any) error {
	return fmt.Errorf("%s:%d: "+message, append([]any{in.file, line}, args...)...)
}

func (in document) add(line int, s Setting) {
	s.At = in.file + ":" + strconv.Itoa(line)
	*in.into = append(*in.into, s)
}

// addName adds a text under a name that the document may contain once.
func (in document) addName(line int, s Setting) error {
	same := func(other Setting) bool { return other.Name == s.Name }
	if i := slices.IndexFunc(*in.into, same); i >= 0 {
		return in.fault(line, "%s is also set at %s; remove one of them", s.Name, (*in.into)[i].At)
	}
	in.add(line, s)
	return nil
}

// lineAt returns the line of an offset.
func (in document) lineAt(offset int64) int { return 1 + bytes.Count(in.text[:offset], []byte("\n")) }

var withheldComment = regexp.MustCompile(`(?m)^# withheld: (.+)$`)

// addWithheld adds the configs without a value in the export.
func (in document) addWithheld() {
	if filepath.Ext(in.file) == ".json" {
		return
	}
	for _, at := range withheldComment.FindAllSubmatchIndex(in.text, -1) {
		in.add(in.lineAt(int64(at[0])), Setting{Name: strings.TrimSpace(string(in.text[at[2]:at[3]])), Withheld: true})
	}
}

// readJSON reads an export, or an object of keys and values.
func readJSON(in document, _ func(string) bool) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(in.text))
	fault := func(err error) error {
		line := in.lineAt(min(decoder.InputOffset(), int64(len(in.text))))
		var syntax *jsontext.SyntacticError
		if errors.As(err, &syntax) {
			line = in.lineAt(min(syntax.ByteOffset, int64(len(in.text))))
		}
		return in.fault(line, "%w", err)
	}
	if decoder.PeekKind() != '{' {
		return in.fault(1, "must be an object of keys and values, or an export of configs")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return fault(err)
	}
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return fault(err)
		}
		key, line := name.String(), in.lineAt(decoder.InputOffset())
		if key == "configs" && decoder.PeekKind() == '[' {
			if err := in.readExport(decoder, fault); err != nil {
				return err
			}
			continue
		}
		value, err := decoder.ReadValue()
		if err != nil {
			return fault(err)
		}
		in.add(line, Setting{Name: key, Value: json.RawMessage(value.Clone())})
	}
	if _, err := decoder.ReadToken(); err != nil {
		return fault(err)
	}
	if rest := bytes.TrimSpace(in.text[decoder.InputOffset():]); len(rest) > 0 {
		return in.fault(in.lineAt(decoder.InputOffset()), "has text after its end")
	}
	*in.into = slices.DeleteFunc(*in.into, func(s Setting) bool {
		return s.Name == "exportedTime" && slices.ContainsFunc(*in.into, func(other Setting) bool { return other.Config != nil })
	})
	return nil
}

// readExport reads the rows of an export.
func (in document) readExport(decoder *jsontext.Decoder, fault func(error) error) error {
	if _, err := decoder.ReadToken(); err != nil {
		return fault(err)
	}
	for decoder.PeekKind() != ']' {
		text, err := decoder.ReadValue()
		if err != nil {
			return fault(err)
		}
		end := decoder.InputOffset()
		var c ExportedConfig
		if err := strictjson.Decode(text, &c); err != nil {
			return in.fault(in.lineAt(end-int64(len(text))), "%w", err)
		}
		setting := SettingOf(c)
		if err := in.addName(in.lineAt(end-int64(len(text))), setting); err != nil {
			return err
		}
	}
	_, err := decoder.ReadToken()
	return err
}

// SettingOf returns the setting of a config in an export.
func SettingOf(c ExportedConfig) Setting {
	return Setting{Name: string(c.Key), Value: c.Value, Config: &c, Withheld: c.Masked}
}

// readProperties reads the format of java.util.Properties.
func readProperties(in document, _ func(string) bool) error {
	lines := strings.Split(strings.ReplaceAll(string(in.text), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		first, line := i+1, strings.TrimLeft(lines[i], " \t\f")
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		for continues(line) {
			if i++; i == len(lines) {
				return in.fault(first, "ends with a backslash and has no next line")
			}
			line = line[:len(line)-1] + strings.TrimLeft(lines[i], " \t\f")
		}
		end := propertyNameEnd(line)
		name, err := unescapedProperty(line[:end])
		if err != nil {
			return in.fault(first, "%w", err)
		}
		value := strings.TrimLeft(line[end:], " \t\f")
		if value == "" {
			return in.fault(first, "has no = after the key; write %s= for an empty value", name)
		}
		if value[0] == '=' || value[0] == ':' {
			value = strings.TrimLeft(value[1:], " \t\f")
		}
		text, err := unescapedProperty(value)
		if err != nil {
			return in.fault(first, "%w", err)
		}
		if err := in.addName(first, Setting{Name: name, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

// continues reports whether a line ends with an odd number of backslashes.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// propertyNameEnd returns the index after the name.
func propertyNameEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '=', ':', ' ', '\t', '\f':
			return i
		}
	}
	return len(line)
}

// unescapedProperty reads the escapes of java.util.Properties.
func unescapedProperty(text string) (string, error) {
	var out strings.Builder
	for len(text) > 0 {
		if text[0] != '\\' || len(text) == 1 {
			out.WriteByte(text[0])
			text = text[1:]
			continue
		}
		switch escape := text[1]; escape {
		case 'u':
			// Surrogate pairs are two escapes, as in JSON.
			n := 6
			if len(text) >= 12 && text[6] == '\\' && text[7] == 'u' && strings.HasPrefix(strings.ToLower(text[2:]), "d") {
				n = 12
			}
			var decoded string
			if len(text) < n || strictjson.Decode([]byte(`"`+text[:n]+`"`), &decoded) != nil {
				return "", fmt.Errorf(`has the escape %s, which is no \uXXXX of a character`, text[:min(len(text), n)])
			}
			out.WriteString(decoded)
			text = text[n:]
			continue
		case 'n':
			out.WriteByte('\n')
		case 'r':
			out.WriteByte('\r')
		case 't':
			out.WriteByte('\t')
		case 'f':
			out.WriteByte('\f')
		default:
			out.WriteByte(escape)
		}
		text = text[2:]
	}
	return out.String(), nil
}

var (
	envAssignment = regexp.MustCompile(`^(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=`)
	endOfEnvLine  = regexp.MustCompile(`^[ \t]*(?:[ \t]#[^\n]*)?\r?(?:\n|$)`)
	unescapedEnv  = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`").Replace
	singleQuoted  = regexp.MustCompile(`^'([^']*)'`)
	doubleQuoted  = regexp.MustCompile("^\"((?:[^\"\\\\$`]|\\\\[\\\\\"$`])*)\"")
	bareInEnv     = regexp.MustCompile("^[^ \t\r\n'\"\\\\$`;&|<>()#]*")
)

// readEnv reads the assignments that an export contains: bare texts, texts in apostrophes, and texts
// in quotes with the escapes of a POSIX shell. It expands no variables.
func readEnv(in document, _ func(string) bool) error {
	for text, line := string(in.text), 1; text != ""; {
		current, rest, _ := strings.Cut(text, "\n")
		if trimmed := strings.TrimSpace(current); trimmed == "" || trimmed[0] == '#' {
			text, line = rest, line+1
			continue
		}
		match := envAssignment.FindStringSubmatch(text)
		if match == nil {
			return in.fault(line, "is no assignment; write NAME=value")
		}
		after := text[len(match[0]):]
		var value, raw string
		if single := singleQuoted.FindStringSubmatch(after); single != nil {
			raw, value = single[0], single[1]
		} else if double := doubleQuoted.FindStringSubmatch(after); double != nil {
			raw, value = double[0], unescapedEnv(double[1])
		} else {
			raw = bareInEnv.FindString(after)
			value = raw
		}
		end := endOfEnvLine.FindString(after[len(raw):])
		if end == "" && after[len(raw):] != "" {
			return in.fault(line, "has a value that is no plain text; write it in apostrophes: %s='…'", match[1])
		}
		if err := in.addName(line, Setting{Name: match[1], Text: value, Format: string(exportEnv)}); err != nil {
			return err
		}
		consumed := len(match[0]) + len(raw) + len(end)
		line += strings.Count(text[:consumed], "\n")
		text = text[consumed:]
	}
	return nil
}
