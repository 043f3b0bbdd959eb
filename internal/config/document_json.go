package config

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"interlock/internal/base/strictjson"
)

// jsonMember is a member of an object, or an element of an array.
type jsonMember struct {
	name string
	line int
	jsontext.Value
}

// jsonSource is a JSON text at its top level.
type jsonSource struct {
	isArray bool
	members []jsonMember
}

// member returns the member with a name; nil if there is none.
func (s jsonSource) member(name string) jsontext.Value {
	for _, m := range s.members {
		if !s.isArray && m.name == name {
			return m.Value
		}
	}
	return nil
}

// hasOnly reports whether all members are among names.
func (s jsonSource) hasOnly(names ...string) bool {
	return !s.isArray && every(s.members, func(m jsonMember) bool { return slices.Contains(names, m.name) })
}

// every reports whether a predicate is true for all elements of a list.
func every[E any](list []E, is func(E) bool) bool {
	return !slices.ContainsFunc(list, func(e E) bool { return !is(e) })
}

// everyElement reports whether the text is an array of objects that each have one of the names.
func (s jsonSource) everyElement(names ...string) bool {
	return s.isArray && len(s.members) > 0 && every(s.members, func(m jsonMember) bool {
		object, err := membersOf(m.Value)
		return err == nil && !object.isArray && slices.ContainsFunc(object.members, func(m jsonMember) bool { return slices.Contains(names, m.name) })
	})
}

// membersOf reads the top level of an object or an array with at most maxEntries members. Errors:
// jsontext.SyntacticError.
func membersOf(text []byte) (source jsonSource, err error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	start, err := decoder.ReadToken()
	if err != nil {
		return source, err
	}
	if start.Kind() != '{' && start.Kind() != '[' {
		return source, errors.New("is neither an object nor an array")
	}
	source.isArray = start.Kind() == '['
	end := jsontext.Kind('}')
	if source.isArray {
		end = ']'
	}
	line, counted := 1, int64(0)
	for decoder.PeekKind() != end {
		if len(source.members) == maxEntries {
			return source, fmt.Errorf("has more than %d members; split it", maxEntries)
		}
		m := jsonMember{name: strconv.Itoa(len(source.members))}
		if !source.isArray {
			name, err := decoder.ReadToken()
			if err != nil {
				return source, err
			}
			m.name = name.String()
		}
		value, err := decoder.ReadValue()
		if err != nil {
			return source, err
		}
		m.Value = value.Clone()
		at := decoder.InputOffset() - int64(len(value))
		line += bytes.Count(text[counted:at], []byte("\n"))
		m.line, counted = line, at
		source.members = append(source.members, m)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return source, err
	}
	if rest := bytes.TrimSpace(text[decoder.InputOffset():]); len(rest) > 0 {
		return source, &jsontext.SyntacticError{ByteOffset: decoder.InputOffset(), Err: errors.New("text after its end")}
	}
	return source, nil
}

// jsonFormat is a format in JSON.
type jsonFormat struct {
	format  DocumentFormat
	matches func(source jsonSource) bool
	read    func(in *document, source jsonSource) error
	// isTree is true if the format is read as a tree of values, the number of which is bounded.
	isTree bool
}

// jsonFormats are in the order of detection.
var jsonFormats = []jsonFormat{
	{formatConfigMap, func(s jsonSource) bool { return s.member("apiVersion") != nil && s.member("kind") != nil }, (*document).readConfigMapJSON, true},
	{formatConsul, func(s jsonSource) bool { return s.everyElement("flags", "Flags", "LockIndex") }, (*document).readConsul, false},
	{formatApollo, func(s jsonSource) bool { return s.everyElement("lineNum") }, (*document).readApolloItems, false},
	{formatFlagsmith, isFlagsmith, (*document).readFlagsmith, true},
	{formatLaunchDarkly, isLaunchDarkly, (*document).readLaunchDarkly, true},
	{formatUnleash, isUnleash, (*document).readUnleash, true},
	{formatGrowthBook, isGrowthBook, (*document).readGrowthBook, true},
	{formatJSON, func(s jsonSource) bool { return !s.isArray }, (*document).readMap, false},
}

// readJSON reads a format in JSON.
func (in *document) readJSON() error {
	source, err := membersOf(in.Text)
	if err != nil {
		line := 1
		if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
			line = in.lineAt(syntax.ByteOffset)
		}
		return in.fault(line, "%w", err)
	}
	for _, f := range jsonFormats {
		if in.Format == f.format && !f.matches(source) {
			return in.otherFormat()
		}
		if (in.Format == "" || in.Format == f.format) && f.matches(source) {
			in.setFormat(f.format)
			if f.isTree {
				if err := checkNodes(in.Text); err != nil {
					return in.fault(1, "%w", err)
				}
			}
			return f.read(in, source)
		}
	}
	return in.fault(1, "must be an object of keys and values, or an export of configs or flags")
}

func (in *document) otherFormat() error {
	return in.fault(1, "is not a document of the format %s; omit the format to detect it", in.Format)
}

// decodeLoosely reads the members of a foreign format that a type has.
func decodeLoosely(text []byte, into any) error {
	return jsonv2.Unmarshal(text, into, jsonv2.MatchCaseInsensitiveNames(true))
}

// readMap reads an export, or an object of keys and values.
func (in *document) readMap(source jsonSource) error {
	isExport := slices.ContainsFunc(source.members, func(m jsonMember) bool { return m.name == "configs" && m.Kind() == '[' })
	for _, m := range source.members {
		switch {
		case !isExport:
			in.add(m.line, Setting{Name: m.name, Value: json.RawMessage(m.Value)})
		case m.name == "configs":
			if err := in.readExport(m); err != nil {
				return err
			}
		case m.name != "exportedTime":
			in.note(in.at(m.line), "", "ignored", "the member %s is ignored", m.name)
		}
	}
	return nil
}

// readExport reads the rows of an export.
func (in *document) readExport(configs jsonMember) error {
	rows, err := membersOf(configs.Value)
	if err != nil {
		return in.fault(configs.line, "%w", err)
	}
	for _, m := range rows.members {
		line := configs.line + m.line - 1
		var row importedConfig
		if err := strictjson.Decode(m.Value, &row); err != nil {
			in.reject(in.at(line), "", "unreadable", "the config in configs/%s: %s", m.name, err)
			continue
		}
		in.add(line, settingOf(row))
	}
	return nil
}

func settingOf(row importedConfig) Setting {
	c := ExportedConfig{Key: configKey(row.Key), Value: row.Value, ValueType: row.ValueType, Remark: row.Remark, Masked: row.Masked}
	if content := row.content(); content.Schema != "" {
		c.Schema = json.RawMessage(content.Schema)
	}
	c.Protected, c.Secret = row.Protected != nil && *row.Protected, row.Secret != nil && *row.Secret
	setting := SettingOf(c)
	setting.row = &row
	return setting
}

// SettingOf returns the setting of a config in an export.
func SettingOf(c ExportedConfig) Setting {
	return Setting{Name: string(c.Key), Value: c.Value, Config: &c, Withheld: c.Masked}
}

// readConfigMapJSON reads the output of kubectl get configmaps -o json.
func (in *document) readConfigMapJSON(jsonSource) error {
	var root yaml.Node
	if err := yaml.Unmarshal(in.Text, &root); err != nil {
		return in.fault(1, "%w", err)
	}
	in.readObject(root.Content[0])
	return nil
}

// consulEntry is an entry of consul kv export, or of GET /v1/kv/?recurse.
type consulEntry struct {
	Key   string
	Flags uint64
	Value *string
}

// readConsul reads entries with values in base64. Entries that end with a slash are folders.
func (in *document) readConsul(source jsonSource) error {
	for _, m := range source.members {
		at := in.at(m.line)
		var entry consulEntry
		if err := decodeLoosely(m.Value, &entry); err != nil {
			in.reject(at, "", "unreadable", "the entry %s: %s", m.name, err)
			continue
		}
		if strings.HasSuffix(entry.Key, "/") && (entry.Value == nil || *entry.Value == "") {
			continue
		}
		var text []byte
		if entry.Value != nil {
			var err error
			if text, err = base64.StdEncoding.DecodeString(*entry.Value); err != nil {
				in.reject(at, entry.Key, "base64", "has a value that is not base64")
				continue
			}
		}
		if !utf8.Valid(text) {
			in.reject(at, entry.Key, "binary", "has a binary value, which configs cannot contain")
			continue
		}
		if entry.Flags != 0 {
			in.note(at, entry.Key, "dropped", "has flags %d, which are dropped", entry.Flags)
		}
		in.addAt(at, Setting{Name: entry.Key, Text: string(text)})
	}
	return nil
}

// apolloItem is an item of a namespace in an export of Apollo.
type apolloItem struct {
	Key, Value, Comment string
	IsDeleted           bool
}

func isApolloItems(text []byte) bool {
	if !bytes.HasPrefix(text, []byte("[")) {
		return false
	}
	source, err := membersOf(text)
	return err == nil && (len(source.members) == 0 || source.everyElement("lineNum"))
}

// readApolloItems reads the items of a namespace. The properties of a namespace are items; another
// namespace is one item with the key content. Items without a key are comments.
func (in *document) readApolloItems(source jsonSource) error {
	namespace := apolloNamespace(in.Name)
	for _, m := range source.members {
		at := in.jsonPath(m.name)
		var item apolloItem
		if err := decodeLoosely(m.Value, &item); err != nil {
			in.reject(at, "", "unreadable", "%s", err)
			continue
		}
		switch {
		case item.Key == "" || item.IsDeleted:
		case item.Key == "content" && !strings.HasSuffix(namespace, ".properties") && len(source.members) == 1:
			in.Text = []byte(item.Value)
			return in.readContent(namespace, fileType(namespace))
		default:
			in.addAt(at, Setting{Name: item.Key, Text: item.Value, Remark: item.Comment})
		}
	}
	return nil
}

// jsonPath returns the position of a value in a JSON source, by the names on the path to it.
func (in *document) jsonPath(names ...string) string {
	at := in.Name + "#"
	for _, name := range names {
		at += "/" + escapePointer(name)
	}
	return at
}
