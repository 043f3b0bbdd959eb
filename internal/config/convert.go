package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"interlock/internal/base/clip"
)

// Conversion is a document in the format of an import.
type Conversion struct {
	Format DocumentFormat `json:"format"`
	// The rows for `POST /configs/import`.
	Configs []convertedConfig `json:"configs" validate:"max=10000"`
	// The first notes about parts of the document that the rows do not contain, such as targeting rules of flags.
	Notes []Note `json:"notes" validate:"max=1000"`
	// The number of all notes.
	NoteCount int `json:"noteCount" validate:"min=0"`
	// The first entries that cannot be read exactly, with the reason. The rows do not contain them.
	Rejected []Note `json:"rejected" validate:"max=1000"`
	// The number of all such entries.
	RejectedCount int `json:"rejectedCount" validate:"min=0"`
	// The names that `environment` can have: environments, or profiles of Spring.
	Environments []string `json:"environments"`
	// The selected environment; "" for none.
	Environment string `json:"environment"`
}

// maxNotes bounds the lists of notes in a reply. Their texts are clipped to maxRejectedText.
const maxNotes = 1000

// SchemaName returns the name of the schema in the contract.
func (Conversion) SchemaName() string { return "ConfigConversion" }

// convertedConfig is a row of an import. Members that the document does not contain are absent.
type convertedConfig struct {
	Key string `json:"key"`
	// Any JSON.
	Value     json.RawMessage `json:"value" validate:"json"`
	ValueType Type            `json:"valueType,omitempty"`
	Remark    string          `json:"remark,omitempty" validate:"max=500"`
	Schema    json.RawMessage `json:"schema,omitempty" types:"object boolean"`
	Protected *bool           `json:"protected,omitempty"`
	Secret    *bool           `json:"secret,omitempty"`
	Masked    bool            `json:"masked,omitempty"`
	ValueOnly bool            `json:"valueOnly,omitempty"`
}

// unreadableError is the error for a document that cannot be read, or is too large for an import.
type unreadableError struct{ error }

// Convert reads a document for an import. It changes nothing. A text becomes a value of the type that the
// config has. Errors: unreadableError.
func (s *Service) Convert(ctx context.Context, source Source) (Conversion, error) {
	if len(source.Text) > maxImportBytes {
		return Conversion{}, tooLarge("the file", len(source.Text))
	}
	nested := map[string]bool{}
	source.IsJSON = func(key string) bool {
		if isKey(key) {
			nested[key] = true
		}
		return false
	}
	document, err := ReadDocument(source)
	if err != nil {
		return Conversion{}, unreadableError{err}
	}
	keys, types := slices.Sorted(maps.Keys(nested)), map[string]Type{}
	if err := s.typesOf(ctx, keys, types); err != nil {
		return Conversion{}, err
	}
	source.IsJSON = func(key string) bool { return types[key] == JSON }
	if slices.ContainsFunc(keys, source.IsJSON) {
		if document, err = ReadDocument(source); err != nil {
			return Conversion{}, unreadableError{err}
		}
	}
	if len(document.Settings) > MaxTransfer {
		return Conversion{}, tooLarge(fmt.Sprint(len(document.Settings), " configs"), len(source.Text))
	}
	known, err := s.knownTo(ctx, document)
	if err != nil {
		return Conversion{}, err
	}
	return known.conversion(document)
}

func tooLarge(subject string, bytes int) error {
	return unreadableError{fmt.Errorf("%s with %d bytes exceed one import (%d configs, %d bytes); split the document", subject, bytes, MaxTransfer, maxImportBytes)}
}

// knownConfigs are the existing configs that a document can concern.
type knownConfigs struct {
	types map[string]Type
	// named are their keys by their names in the format of a setting.
	named map[string][]string
}

// knownTo returns the configs with the keys of a document, or with keys that have its names.
func (s *Service) knownTo(ctx context.Context, document Document) (knownConfigs, error) {
	known := knownConfigs{map[string]Type{}, map[string][]string{}}
	var keys []string
	names, format := map[string]bool{}, ""
	for _, setting := range document.Settings {
		keys = append(keys, setting.Name)
		if setting.Format != "" {
			names[setting.Name], format = true, setting.Format
		}
	}
	if err := s.typesOf(ctx, keys, known.types); err != nil || format == "" {
		return known, err
	}
	err := s.eachKey(ctx, func(key string, t Type) {
		if name := (Setting{Format: format}).NameOf(key); names[name] {
			known.named[name], known.types[key] = append(known.named[name], key), t
		}
	})
	return known, err
}

// keyAndType are the columns of a config that a conversion needs.
type keyAndType struct {
	Key       string
	ValueType Type
}

// typesOf adds the types of the configs that have one of the keys.
//
//	SELECT key, value_type FROM configs WHERE tenant_id = ? AND key IN (…)
func (s *Service) typesOf(ctx context.Context, keys []string, types map[string]Type) error {
	for some := range slices.Chunk(keys, keysPerStatement) {
		var rows []keyAndType
		if err := s.db.Read(ctx).Model(&Config{}).Select("`key`", "value_type").Where("`key` IN ?", some).Find(&rows).Error; err != nil {
			return fmt.Errorf("read the types of %d configs: %w", len(some), err)
		}
		for _, row := range rows {
			types[row.Key] = row.ValueType
		}
	}
	return nil
}

// keysPerPage bounds the keys that eachKey reads at a time.
const keysPerPage = 5000

// eachKey calls fn for each config of the tenant.
//
//	SELECT key, value_type FROM configs WHERE tenant_id = ? AND key > ? ORDER BY key LIMIT 5000
func (s *Service) eachKey(ctx context.Context, fn func(key string, t Type)) error {
	for after := ""; ; {
		var rows []keyAndType
		query := s.db.Read(ctx).Model(&Config{}).Select("`key`", "value_type").Where("`key` > ?", after)
		if err := query.Order("`key`").Limit(keysPerPage).Find(&rows).Error; err != nil {
			return fmt.Errorf("read the keys of configs: %w", err)
		}
		for _, row := range rows {
			fn(row.Key, row.ValueType)
		}
		if len(rows) < keysPerPage {
			return nil
		}
		after = rows[len(rows)-1].Key
	}
}

// KeyAmong returns the key of a setting. keys are the existing ones that the export names like the
// setting: one is its key, and without any its name is a new key.
func (s Setting) KeyAmong(keys []string) (string, error) {
	switch len(keys) {
	case 0:
		return s.Name, nil
	case 1:
		return keys[0], nil
	}
	slices.Sort(keys)
	return "", fmt.Errorf("is the name of %s; use YAML or JSON, which have whole keys", strings.Join(keys, " and "))
}

// conversion returns the rows of a document.
func (k knownConfigs) conversion(d Document) (Conversion, error) {
	out := Conversion{
		Format: d.Format, Configs: []convertedConfig{}, Notes: append([]Note{}, d.Notes...), Rejected: append([]Note{}, d.Rejected...),
		Environments: append([]string{}, d.Environments...), Environment: d.Environment,
	}
	bytes := 0
	for _, setting := range d.Settings {
		if setting.Withheld && setting.row == nil {
			out.Notes = append(out.Notes, Note{setting.Name, setting.At, "withheld", "is withheld by the export and remains unchanged"})
			continue
		}
		row, code, err := k.row(setting)
		if err != nil {
			out.Rejected = append(out.Rejected, Note{setting.Name, setting.At, code, err.Error()})
			continue
		}
		bytes += len(row.Value)
		out.Configs = append(out.Configs, row)
	}
	if bytes > maxImportBytes {
		return Conversion{}, tooLarge(fmt.Sprint(len(out.Configs), " configs"), bytes)
	}
	out.NoteCount, out.RejectedCount = len(out.Notes), len(out.Rejected)
	out.Notes, out.Rejected = firstNotes(out.Notes), firstNotes(out.Rejected)
	return out, nil
}

func firstNotes(notes []Note) []Note {
	notes = notes[:min(len(notes), maxNotes)]
	for i, n := range notes {
		notes[i] = Note{clip.Text(n.Key, maxRejectedText), clip.Text(n.At, maxRejectedText), n.Code, clip.Text(n.Message, maxRejectedText)}
	}
	return notes
}

// row returns the row of a setting, or an error with its code.
func (k knownConfigs) row(s Setting) (converted convertedConfig, code string, err error) {
	if row := s.row; row != nil {
		content := row.content()
		return convertedConfig{
			Key: row.Key, Value: row.Value, ValueType: row.ValueType, Remark: row.Remark, Schema: json.RawMessage(content.Schema),
			Protected: row.Protected, Secret: row.Secret, Masked: row.Masked, ValueOnly: row.ValueOnly,
		}, "", nil
	}
	key, err := s.KeyAmong(k.named[s.Name])
	if err != nil {
		return converted, "unique", err
	}
	value, err := s.ValueAs(k.types[key])
	if err != nil {
		return converted, "type", errors.New("cannot be set: " + err.Error())
	}
	return convertedConfig{Key: key, Value: value, Remark: s.Remark, ValueOnly: true}, "", nil
}
