package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"interlock/internal/base/apperr"
)

// Conversion is a document in the format of an import.
type Conversion struct {
	Format DocumentFormat `json:"format"`
	// The rows for `POST /configs/import`.
	Configs []convertedConfig `json:"configs" validate:"max=10000"`
	// Parts of the document that the rows do not contain, such as targeting rules of flags.
	Notes []Note `json:"notes"`
	// Entries that cannot be read exactly, with the reason. The rows do not contain them.
	Rejected []Note `json:"rejected"`
	// The names that `environment` can have: environments, or profiles of Spring.
	Environments []string `json:"environments"`
	// The selected environment; "" for none.
	Environment string `json:"environment"`
}

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

// Convert reads a document for an import. It changes nothing. A text becomes a value of the type that the
// config has. Errors: ValidationFailed for a document that cannot be read, or is too large for an import.
func (s *Service) Convert(ctx context.Context, source Source) (Conversion, error) {
	nested := map[string]bool{}
	source.IsJSON = func(key string) bool {
		nested[key] = true
		return false
	}
	document, err := ReadDocument(source)
	if err != nil {
		return Conversion{}, unreadableDocument(err)
	}
	known, err := s.knownTo(ctx, document, nested)
	if err != nil {
		return Conversion{}, err
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(nested)), known.isJSON) {
		source.IsJSON = known.isJSON
		if document, err = ReadDocument(source); err != nil {
			return Conversion{}, unreadableDocument(err)
		}
	}
	return known.conversion(document)
}

func unreadableDocument(err error) error {
	return apperr.Invalid(apperr.Field{Pointer: "/text", Code: "unreadable", Message: err.Error()})
}

// knownConfigs are the existing configs that a document can concern.
type knownConfigs struct {
	types map[string]Type
	// named are their keys by their names in the format of a setting.
	named map[string][]string
}

func (k knownConfigs) isJSON(key string) bool { return k.types[key] == JSON }

// knownTo returns the configs with the keys of a document, with the keys of its nested members, or with
// keys that have its names.
func (s *Service) knownTo(ctx context.Context, document Document, nested map[string]bool) (knownConfigs, error) {
	known := knownConfigs{map[string]Type{}, map[string][]string{}}
	keys, names, format := maps.Clone(nested), map[string]bool{}, ""
	for _, setting := range document.Settings {
		if setting.Format == "" {
			keys[setting.Name] = true
		} else {
			names[setting.Name], format = true, setting.Format
		}
	}
	if err := s.typesOf(ctx, slices.Sorted(maps.Keys(keys)), known.types); err != nil || format == "" {
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
			out.Notes = append(out.Notes, Note{setting.Name, setting.At, "is withheld by the export and remains unchanged"})
			continue
		}
		row, err := k.row(setting)
		if err != nil {
			out.Rejected = append(out.Rejected, Note{setting.Name, setting.At, err.Error()})
			continue
		}
		bytes += len(row.Value)
		out.Configs = append(out.Configs, row)
	}
	if len(out.Configs) > MaxTransfer || bytes > maxImportBytes {
		err := fmt.Errorf("%d configs with %d bytes exceed one import (%d configs, %d bytes); split the document", len(out.Configs), bytes, MaxTransfer, maxImportBytes)
		return Conversion{}, unreadableDocument(err)
	}
	return out, nil
}

func (k knownConfigs) row(s Setting) (convertedConfig, error) {
	if row := s.row; row != nil {
		content := row.content()
		return convertedConfig{
			Key: row.Key, Value: row.Value, ValueType: row.ValueType, Remark: row.Remark, Schema: json.RawMessage(content.Schema),
			Protected: row.Protected, Secret: row.Secret, Masked: row.Masked, ValueOnly: row.ValueOnly,
		}, nil
	}
	key, err := s.KeyAmong(k.named[s.Name])
	if err != nil {
		return convertedConfig{}, err
	}
	value, err := s.ValueAs(k.types[key])
	if err != nil {
		return convertedConfig{}, errors.New("cannot be set: " + err.Error())
	}
	return convertedConfig{Key: key, Value: value, Remark: s.Remark, ValueOnly: true}, nil
}
