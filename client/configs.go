package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Configs are the shared configs.
type Configs struct{ client *Client }

// ValueType is what a config's value must be.
type ValueType string

// The types of values.
const (
	StringValue  ValueType = "string"
	NumberValue  ValueType = "number"
	BooleanValue ValueType = "boolean"
	JSONValue    ValueType = "json"
)

// Config is one config. Read it, change Value, ValueType, Schema, Remark, Protected or Secret, and
// save it. A change of a protected one returns [Proposed].
type Config struct {
	Stamp
	originState
	Key string `json:"key"`
	// Value is JSON text, so that numbers keep their digits.
	Value     json.RawMessage `json:"value"`
	ValueType ValueType       `json:"valueType"`
	// Schema is a JSON Schema for the value, nil when there is none.
	Schema    json.RawMessage `json:"schema,omitempty"`
	Remark    string          `json:"remark"`
	Protected bool            `json:"protected"`
	// Secret configs have their value encrypted. Who lacks configs:secrets reads Masked and a null
	// Value, and can save another one.
	Secret bool `json:"secret"`
	Masked bool `json:"masked,omitempty"`
	// ChangeNeeds is nil when a change needs nothing; in Get only.
	ChangeNeeds *ChangeNeeds `json:"changeNeeds,omitempty"`
	Merged      *Merged      `json:"merged,omitempty"`
}

// ChangeNeeds is what a change needs beside its author.
type ChangeNeeds struct {
	// Approvals is how many votes of others.
	Approvals int `json:"approvals"`
}

func (c *Config) editable() []string {
	return []string{"value", "valueType", "schema", "remark", "protected", "secret"}
}

// UnmarshalJSON reads a config and remembers how it was read.
func (c *Config) UnmarshalJSON(text []byte) error {
	type members Config
	var fresh members
	if err := json.Unmarshal(text, &fresh); err != nil {
		return err
	}
	*c = Config(fresh)
	return setOrigin(c)
}

// SetValue sets the value to the JSON of v.
func (c *Config) SetValue(v any) error {
	text, err := encode(v)
	if err != nil {
		return fmt.Errorf("encode the value of %s: %w", c.Key, err)
	}
	c.Value = text
	return nil
}

// Decode reads the value into v. Numbers become json.Number where v leaves it open.
func (c *Config) Decode(v any) error {
	decoder := json.NewDecoder(bytes.NewReader(c.Value))
	decoder.UseNumber()
	if err := decoder.Decode(v); err != nil {
		return fmt.Errorf("decode the value of %s: %w", c.Key, err)
	}
	return nil
}

// ConfigContent is what a config holds, without its key.
type ConfigContent struct {
	Value json.RawMessage `json:"value"`
	// ValueType follows from the value when it is "".
	ValueType ValueType       `json:"valueType,omitempty"`
	Schema    json.RawMessage `json:"schema,omitempty"`
	Remark    string          `json:"remark,omitempty"`
	Protected bool            `json:"protected,omitempty"`
	Secret    bool            `json:"secret,omitempty"`
}

// NewConfig is a config to create.
type NewConfig struct {
	Key string `json:"key"`
	ConfigContent
}

// ConfigFilter narrows a list of configs.
type ConfigFilter struct {
	Paging
	Prefix string
	// Text is looked for in key, value and remark.
	Text      string
	ValueType ValueType
}

// ConfigRevision is one version of a config.
type ConfigRevision struct {
	Revision  int64           `json:"revision"`
	Version   int64           `json:"version"`
	ETag      string          `json:"etag"`
	Action    string          `json:"action"`
	Value     json.RawMessage `json:"value"`
	ValueType ValueType       `json:"valueType"`
	Schema    json.RawMessage `json:"schema"`
	Remark    string          `json:"remark"`
	Protected bool            `json:"protected"`
	Secret    bool            `json:"secret"`
	Masked    bool            `json:"masked,omitempty"`
	// ApprovalID is the approval that the version needed, nil for none.
	ApprovalID  *int64    `json:"approvalId"`
	Note        string    `json:"note"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

func configPath(key string) string { return "/configs/" + url.PathEscape(key) }

// List lists configs by key, or as the filter's Sort says.
func (s *Configs) List(f ConfigFilter) List[Config] {
	return List[Config]{s.client, "/configs", f.parameters().
		text("prefix", f.Prefix).text("q", f.Text).text("valueType", string(f.ValueType))}
}

// Get reads a config.
func (s *Configs) Get(ctx context.Context, key string, options ...CallOption) (Config, error) {
	return get[Config](ctx, s.client, configPath(key), options)
}

// Create creates a config.
func (s *Configs) Create(ctx context.Context, c NewConfig, options ...CallOption) (Config, error) {
	return call[Config](ctx, s.client, request{method: http.MethodPost, path: "/configs", body: c}, options)
}

// Save sends what was changed in c since it was read and makes c the saved config. A
// [Conflict] when somebody else saved meanwhile.
func (s *Configs) Save(ctx context.Context, c *Config, options ...CallOption) error {
	return save(ctx, s.client, configPath(c.Key), c, options)
}

// Delete deletes the config as it was read. A [Conflict] when it was changed since.
func (s *Configs) Delete(ctx context.Context, c Config, options ...CallOption) error {
	return remove(ctx, s.client, configPath(c.Key), c.ETag, options)
}

// History lists a config's versions, newest first.
func (s *Configs) History(key string, p Paging) List[ConfigRevision] {
	return List[ConfigRevision]{s.client, configPath(key) + "/history", p.parameters()}
}

// RollBack makes a new version of c with the content of an older one, and makes c that
// version. What was changed in c and not saved is dropped.
func (s *Configs) RollBack(ctx context.Context, c *Config, toVersion int64, note string, options ...CallOption) error {
	body := struct {
		ToVersion int64  `json:"toVersion"`
		Note      string `json:"note,omitempty"`
	}{toVersion, note}
	return s.client.do(ctx, request{method: http.MethodPost, path: configPath(c.Key) + "/rollback", body: body, ifMatch: c.ETag}, c, options)
}
