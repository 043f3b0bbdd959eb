package client

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// SetValue encodes value as JSON and makes the result the value of the config.
func (v *Config) SetValue(value any) error {
	text, err := encode(value)
	if err != nil {
		return fmt.Errorf("encode the value of %s: %w", v.Key, err)
	}
	v.Value = text
	return nil
}

// Decode decodes the value. Numbers become json.Number where the type of out permits it.
func (v *Config) Decode(out any) error {
	decoder := json.NewDecoder(bytes.NewReader(v.Value))
	decoder.UseNumber()
	if err := decoder.Decode(out); err != nil {
		return fmt.Errorf("decode the value of %s: %w", v.Key, err)
	}
	return nil
}

// Of returns the owner of a field: value, schema, remark, protected or secret; nil for none.
func (o ConfigOwners) Of(field string) *ConfigOwner {
	return map[string]*ConfigOwner{"value": o.Value, "schema": o.Schema, "remark": o.Remark, "protected": o.Protected, "secret": o.Secret}[field]
}

// ManagedBy makes a change of configs on behalf of a program, such as git:main, that takes them from a
// revision of its source; the revision may be "". The program becomes the owner of the fields that the
// change sets. A change of a field with another owner fails with in_use.
func ManagedBy(manager, revision string) CallOption {
	return func(s *settings) {
		query("manager", manager)(s)
		if revision != "" {
			query("revision", revision)(s)
		}
	}
}

// TakeOver makes a change of configs also if their fields have other owners, for a reason that the
// history and the audit log contain.
func TakeOver(reason string) CallOption { return query("takeOver", reason) }

// CreateConfig returns the member of a batch that creates a config.
func CreateConfig(c ConfigCreate) (ConfigChange, error) {
	var content map[string]json.RawMessage
	text, err := encode(c)
	if err == nil {
		err = json.Unmarshal(text, &content)
	}
	if err != nil {
		return ConfigChange{}, fmt.Errorf("create %s in a batch: %w", c.Key, err)
	}
	delete(content, "key")
	patch, err := encode(content)
	return ConfigChange{Key: c.Key, Op: "create", Patch: patch}, err
}

// UpdateConfig returns the member of a batch that saves the changes that were made in c since it
// was read.
func UpdateConfig(c Config) (ConfigChange, error) {
	difference, err := changes(&c)
	if err != nil {
		return ConfigChange{}, fmt.Errorf("update %s in a batch: %w", c.Key, err)
	}
	patch, err := encode(difference)
	return ConfigChange{Key: c.Key, Op: "update", ETag: c.ETag, Patch: patch}, err
}

// DeleteConfig returns the member of a batch that deletes the config if it still has the ETag of c.
func DeleteConfig(c Config) ConfigChange {
	return ConfigChange{Key: c.Key, Op: "delete", ETag: c.ETag}
}

// Import returns the import of exported configs.
func (e ConfigExport) Import() ConfigImport {
	var i ConfigImport
	for _, c := range e.Configs {
		i.Configs = append(i.Configs, ImportedConfig{
			Key: c.Key, Value: c.Value, ValueType: c.ValueType, Schema: c.Schema, Remark: c.Remark,
			Protected: &c.Protected, Secret: &c.Secret, Masked: c.Masked,
		})
	}
	return i
}
