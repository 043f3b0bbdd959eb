package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"interlock/internal/base/clip"
	"interlock/internal/base/strictjson"
)

// DocumentFormat is a format that ReadDocument reads.
type DocumentFormat string

// The formats of documents.
const (
	formatJSON         DocumentFormat = "json"
	formatYAML         DocumentFormat = "yaml"
	formatProperties   DocumentFormat = "properties"
	formatEnv          DocumentFormat = "env"
	formatConfigMap    DocumentFormat = "configmap"
	formatApollo       DocumentFormat = "apollo"
	formatNacos        DocumentFormat = "nacos"
	formatConsul       DocumentFormat = "consul"
	formatLaunchDarkly DocumentFormat = "launchdarkly"
	formatUnleash      DocumentFormat = "unleash"
	formatFlagsmith    DocumentFormat = "flagsmith"
	formatGrowthBook   DocumentFormat = "growthbook"
)

var documentFormats = []DocumentFormat{
	formatJSON, formatYAML, formatProperties, formatEnv, formatConfigMap, formatApollo, formatNacos, formatConsul,
	formatLaunchDarkly, formatUnleash, formatFlagsmith, formatGrowthBook,
}

// Enum returns the formats.
func (DocumentFormat) Enum() []string {
	names := make([]string, len(documentFormats))
	for i, format := range documentFormats {
		names[i] = string(format)
	}
	return names
}

// SchemaName returns the name of the schema in the contract.
func (DocumentFormat) SchemaName() string { return "ConfigDocumentFormat" }

// Source is a file of configs.
type Source struct {
	// Name is the name of the file. Its extension identifies the formats of text.
	Name string
	// Format is "" to detect it.
	Format DocumentFormat
	// Environment selects the values of one environment, or of a profile of Spring; "" for none.
	Environment string
	Text        []byte
	// IsJSON reports whether a key has a value of the type json; nil if no key has one. Block mappings
	// in YAML are nested keys, except for these keys.
	IsJSON func(key string) bool
}

// Document is the content of a Source.
type Document struct {
	Format   DocumentFormat
	Settings []Setting
	// Notes describe parts of the source that no setting contains.
	Notes []Note
	// Rejected are the entries that cannot be read exactly. No setting contains them.
	Rejected []Note
	// Environments are the names that Source.Environment can have. Environment is the selected one.
	Environments []string
	Environment  string
	// NeedsEnvironment is true if the document has no settings because none is selected.
	NeedsEnvironment bool
}

// Note is a sentence about an entry of a document.
type Note struct {
	// The key of the entry, or "" for a larger part of the document.
	Key string `json:"key"`
	// The file, with a line or JSON Pointer.
	At string `json:"at"`
	// The kind of the message: `ambiguous`, `base64`, `binary`, `condition`, `dropped`, `environment`, `ignored`, `incomplete`, `number`, `pattern`,
	// `percentage`, `placeholder`, `required`, `type`, `unique`, `unreadable`, `unsupported`, `withheld`.
	Code string `json:"code"`
	// A clause with the entry as its subject.
	Message string `json:"message"`
}

// Err returns the rejected entries as one error; nil for none.
func (d Document) Err() error {
	var errs []error
	for _, rejected := range d.Rejected {
		errs = append(errs, errors.New(rejected.String()))
	}
	return errors.Join(errs...)
}

func (n Note) String() string {
	if n.Key == "" {
		return n.At + ": " + n.Message
	}
	return n.At + ": " + n.Key + " " + n.Message
}

// Setting is the content of one config in a document. ReadDocument is the reverse of the export.
type Setting struct {
	// Name is the key, or its name in Format.
	Name string
	// Format is the format of the name; "" if names are keys.
	Format string
	// Value is JSON; nil if the format has only text, which is then in Text.
	Value json.RawMessage
	Text  string
	// Remark is the remark of a new config, if Config is nil.
	Remark string
	// Config has the other fields of a config; nil if the format has only values.
	Config *ExportedConfig
	// Withheld is set if the document omits the value, which is secret.
	Withheld bool
	// At is the file and the line.
	At string

	// row is the row of an export with the members that it contains; nil if Config is nil.
	row *importedConfig
}

// NameOf returns the name of a key in the format of the setting.
func (s Setting) NameOf(key string) string {
	if name := textFormats[exportFormat(s.Format)].name; name != nil {
		return name(key)
	}
	return key
}

// ValueAs returns the value for a config of a type; "" for a new config.
func (s Setting) ValueAs(t Type) (json.RawMessage, error) {
	switch {
	case s.Config != nil, s.Value != nil && t == "":
		return s.Value, nil
	case s.Value == nil && (t == "" || t == String):
		return strictjson.Encode(s.Text)
	case t == String && jsontext.Value(s.Value).Kind() != '"':
		return nil, errors.New("it is a string on the server; write its value in quotes")
	}
	value := jsontext.Value(s.Value)
	if value == nil {
		value = jsontext.Value(s.Text)
	}
	if _, faults := decoded(t, string(value)); len(faults) > 0 || !value.IsValid() {
		return nil, fmt.Errorf("it has the type %s on the server, and the source has no such value", t)
	}
	return json.RawMessage(value), nil
}

// document is a source that is read into out.
type document struct {
	Source
	// prefix precedes all keys.
	prefix string
	out    *Document
	// entries counts the settings, notes and rejections of the whole source; see fits.
	entries *int
}

// maxEntries bounds the entries that a source can have, because each has a copy of its position.
const maxEntries = 10 * MaxTransfer

// part returns a part of the source, the keys of which have a prefix; include adds its content.
func (in *document) part(prefix string) *document {
	return &document{Source: in.Source, prefix: prefix, out: &Document{Format: in.out.Format}, entries: in.entries}
}

func (in *document) include(part *Document) {
	in.out.Settings = append(in.out.Settings, part.Settings...)
	in.out.Notes = append(in.out.Notes, part.Notes...)
	in.out.Rejected = append(in.out.Rejected, part.Rejected...)
	in.out.Environments = append(in.out.Environments, part.Environments...)
	in.out.Environment = cmp.Or(part.Environment, in.out.Environment)
}

// fits counts an entry. After maxEntries it returns false: the entry is not stored, and ReadDocument
// returns an error.
func (in *document) fits() bool {
	*in.entries++
	return *in.entries <= maxEntries
}

// ReadDocument reads a source. It is strict: an entry that it cannot read exactly is rejected with its
// position and the reason. If it cannot read the whole source, it returns an error with the line.
func ReadDocument(source Source) (Document, error) {
	out := Document{Format: source.Format}
	in := &document{Source: source, out: &out, entries: new(int)}
	if in.IsJSON == nil {
		in.IsJSON = func(string) bool { return false }
	}
	in.Text = bytes.TrimPrefix(in.Text, []byte("\ufeff"))
	if err := in.read(); err != nil {
		return Document{}, err
	}
	if in.Environment != "" && out.Environment == "" {
		in.note(in.Name, "", "environment", "no part is specific to %s; the values for all environments are read", in.Environment)
	}
	in.rejectDuplicates()
	in.rejectInvalidKeys()
	slices.Sort(out.Environments)
	out.Environments = slices.Compact(out.Environments)
	if *in.entries > maxEntries {
		return Document{}, fmt.Errorf("%s: has more than %d entries; split it", in.Name, maxEntries)
	}
	return out, nil
}

func (in *document) read() error {
	if bytes.HasPrefix(in.Text, []byte("PK\x03\x04")) || bytes.HasPrefix(in.Text, []byte("PK\x05\x06")) {
		return in.readZip()
	}
	if i := invalidRune(in.Text); i >= 0 {
		return in.fault(in.lineAt(int64(i)), "is not UTF-8; save it as UTF-8")
	}
	switch in.textFormat() {
	case formatYAML:
		return in.readText(readYAML)
	case formatProperties:
		in.setFormat(formatProperties)
		return in.readText(readProperties)
	case formatEnv:
		in.setFormat(formatEnv)
		return in.readText(readEnv)
	case formatJSON:
		return in.readJSON()
	}
	return fmt.Errorf("%s: its format is unknown; name it .json, .yaml, .yml, .properties, .env or .zip, or set the format", in.Name)
}

// textFormat returns JSON for all formats in JSON.
func (in *document) textFormat() DocumentFormat {
	text := bytes.TrimLeft(in.Text, " \t\r\n")
	switch base := path.Base(filepath.ToSlash(in.Name)); {
	case in.Format == formatYAML, in.Format == formatConfigMap && !bytes.HasPrefix(text, []byte("{")):
		return formatYAML
	case in.Format == formatProperties, in.Format == formatEnv:
		return in.Format
	case in.Format != "":
		return formatJSON
	case strings.HasPrefix(base, ".env"), path.Ext(base) == ".env":
		return formatEnv
	case path.Ext(base) == ".yaml", path.Ext(base) == ".yml":
		return formatYAML
	// Apollo exports the items of a namespace as JSON in a .properties file.
	case path.Ext(base) == ".properties" && !isApolloItems(text):
		return formatProperties
	case path.Ext(base) == ".json", len(text) > 0 && (text[0] == '{' || text[0] == '['):
		return formatJSON
	}
	return ""
}

// setFormat sets the detected format. A file in a zip does not change the format of the zip.
func (in *document) setFormat(format DocumentFormat) {
	if in.out.Format == "" {
		in.out.Format = format
	}
}

// readText reads a format with comments.
func (in *document) readText(read func(in *document) error) error {
	if err := read(in); err != nil {
		return err
	}
	line := 0
	for text := range bytes.Lines(in.Text) {
		line++
		if name, isWithheld := bytes.CutPrefix(bytes.TrimSpace(text), []byte("# withheld: ")); isWithheld && text[0] == '#' {
			in.add(line, Setting{Name: string(bytes.TrimSpace(name)), Withheld: true})
		}
	}
	return nil
}

// invalidRune returns the index of the first byte that is not UTF-8; -1 for none.
func invalidRune(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
}

// fault is an error that concerns the whole source.
func (in *document) fault(line int, message string, args ...any) error {
	return fmt.Errorf("%s: "+message, append([]any{in.at(line)}, args...)...)
}

func (in *document) at(line int) string { return in.Name + ":" + strconv.Itoa(line) }

// lineAt returns the line of an offset.
func (in *document) lineAt(offset int64) int {
	return 1 + bytes.Count(in.Text[:min(offset, int64(len(in.Text)))], []byte("\n"))
}

func (in *document) add(line int, s Setting) { in.addAt(in.at(line), s) }

func (in *document) addAt(at string, s Setting) {
	if !in.fits() {
		return
	}
	if text := s.Text + string(s.Value); strings.Contains(text, "${") && slices.Contains(withPlaceholders, in.out.Format) {
		in.note(at, s.Name, "placeholder", "contains a placeholder ${…}, which is imported as text")
	}
	s.At, s.Name, s.Remark = at, in.prefix+s.Name, clip.Text(s.Remark, MaxRemark-1)
	in.out.Settings = append(in.out.Settings, s)
}

// withPlaceholders are the formats that programs usually read with Spring, which replaces placeholders.
var withPlaceholders = []DocumentFormat{formatYAML, formatProperties, formatApollo, formatNacos}

// note adds a note. key is "" for a note about a larger part of the document.
func (in *document) note(at, key, code, message string, args ...any) {
	if in.fits() {
		in.out.Notes = append(in.out.Notes, Note{Key: in.keyOf(key), At: at, Code: code, Message: fmt.Sprintf(message, args...)})
	}
}

func (in *document) reject(at, key, code, message string, args ...any) {
	if in.fits() {
		in.out.Rejected = append(in.out.Rejected, Note{Key: in.keyOf(key), At: at, Code: code, Message: fmt.Sprintf(message, args...)})
	}
}

func (in *document) keyOf(name string) string {
	if name == "" {
		return ""
	}
	return in.prefix + name
}

// rejectDuplicates rejects all settings of a name that the document contains several times, because
// formats differ in the one that wins.
func (in *document) rejectDuplicates() {
	first, isRepeated := map[string]string{}, map[string]bool{}
	for _, s := range in.out.Settings {
		if at, exists := first[s.Name]; exists {
			isRepeated[s.Name] = true
			in.reject(s.At, s.Name, "unique", "is also set at %s; remove one of them", at)
			continue
		}
		first[s.Name] = s.At
	}
	in.out.Settings = slices.DeleteFunc(in.out.Settings, func(s Setting) bool { return isRepeated[s.Name] })
}

// rejectInvalidKeys rejects names that cannot be keys, so that the other entries can be imported.
func (in *document) rejectInvalidKeys() {
	in.out.Settings = slices.DeleteFunc(in.out.Settings, func(s Setting) bool {
		invalid := checkKey(s.Name)
		if len(invalid) > 0 {
			in.reject(s.At, s.Name, "pattern", "is not a key: a key %s", invalid[0].Message)
		}
		return len(invalid) > 0
	})
}

// choose selects an environment of a document. ok is false if the caller must select one.
func (in *document) choose(names []string) (name string, ok bool, err error) {
	slices.Sort(names)
	names = slices.Compact(names)
	in.out.Environments = names
	switch {
	case len(names) == 0:
		return "", false, fmt.Errorf("%s: has no environment; export the configs of at least one", in.Name)
	case in.Environment != "" && !slices.Contains(names, in.Environment):
		return "", false, fmt.Errorf("%s: has no environment %s; it has %s", in.Name, in.Environment, strings.Join(names, ", "))
	case in.Environment != "":
		name = in.Environment
	case len(names) == 1:
		name = names[0]
	default:
		in.out.NeedsEnvironment = true
		return "", false, nil
	}
	in.out.Environment = name
	return name, true, nil
}
