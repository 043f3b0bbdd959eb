// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Configs calls the operations on configs.
//
// Shared business settings with many editors. Each config has a type, optionally a JSON Schema, and
// its full history.
type Configs struct{ client *Client }

// Config is a row of [Configs.List].
type Config struct {
	Stamp
	originState
	Key string `json:"key"`
	// Any JSON of the type `valueType`. Members retain their order and numbers their notation;
	// members that a patch adds are appended in the order of the patch. A different order alone is
	// no change.
	Value     json.RawMessage `json:"value"`
	ValueType ValueType       `json:"valueType"`
	// The JSON Schema of the value.
	Schema json.RawMessage `json:"schema,omitzero"`
	Remark string          `json:"remark"`
	// Whether changes need an approval: they return 202 with one, including the change that removes
	// the protection.
	Protected bool `json:"protected"`
	// Whether the value is encrypted at rest, and returned only to callers with `configs:secrets`.
	Secret bool `json:"secret"`
	// Set if the value is withheld, with `null` instead: the config is or was secret, and the
	// reader lacks `configs:secrets`; or the value cannot be decrypted.
	Masked bool `json:"masked,omitzero"`
	// The owners by field; a field without an owner is absent. A change of a field of another owner
	// is 409 `in_use` without `takeOver`.
	Owner ConfigOwners `json:"owner"`
	// The requirements of a change of a protected config. Absent if it has none.
	ChangeNeeds *ConfigChangeNeeds `json:"changeNeeds,omitzero"`
	Merged      *Merged            `json:"merged,omitzero"`
	// The members in which changes of others were lost, for an edit with `overwrite`.
	Overwrote []string `json:"overwrote,omitzero"`
}

func (*Config) editable() []string {
	return []string{"value", "valueType", "schema", "remark", "protected", "secret"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *Config) UnmarshalJSON(text []byte) error {
	type members Config
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = Config(decoded)
	return setOrigin(v)
}

// ValueType is part of [Config].
type ValueType string

// The values of ValueType.
const (
	ValueTypeString  ValueType = "string"
	ValueTypeNumber  ValueType = "number"
	ValueTypeBoolean ValueType = "boolean"
	ValueTypeJSON    ValueType = "json"
)

// ConfigOwners is part of [Config].
type ConfigOwners struct {
	// The owner of `value` and `valueType`.
	Value     *ConfigOwner `json:"value,omitzero"`
	Schema    *ConfigOwner `json:"schema,omitzero"`
	Remark    *ConfigOwner `json:"remark,omitzero"`
	Protected *ConfigOwner `json:"protected,omitzero"`
	Secret    *ConfigOwner `json:"secret,omitzero"`
}

// ConfigOwner is part of [ConfigOwners].
type ConfigOwner struct {
	// The name of a program, or `user:` and the name of the user who took the field over.
	Manager string `json:"manager"`
	// The revision of the manager's source that set the field; empty if the manager stated none.
	Revision string `json:"revision"`
	// When the manager set the field.
	Since time.Time `json:"since"`
}

// ConfigFilter selects rows of [Configs.List].
type ConfigFilter struct {
	Paging
	// Prefix of the key.
	Prefix string
	// Substring of the key, value or remark, ignoring case.
	Q         string
	ValueType ValueType
}

// ConfigCreate is the request body of [Configs.Create].
type ConfigCreate struct {
	Key       string `json:"key"`
	Protected bool   `json:"protected,omitzero"`
	// Encrypt the value at rest, and return it only to callers with `configs:secrets`. 422 if the
	// installation has no encryption key.
	Secret bool `json:"secret,omitzero"`
	// Any JSON of the type `valueType`.
	Value json.RawMessage `json:"value"`
	// The type of `value`; derived from the value if absent. `number`, `boolean` and `json` may
	// also be sent as their text in a JSON string; replies contain them in that form.
	ValueType ValueType `json:"valueType,omitzero"`
	Remark    string    `json:"remark,omitzero"`
	// The JSON Schema of the value; null for none.
	Schema json.RawMessage `json:"schema,omitzero"`
}

// ConfigExport is returned by [Configs.Export].
type ConfigExport struct {
	ExportedTime time.Time        `json:"exportedTime"`
	Configs      []ExportedConfig `json:"configs"`
}

// ExportedConfig is part of [ConfigExport].
type ExportedConfig struct {
	Key string `json:"key"`
	// Any JSON of the type `valueType`.
	Value     json.RawMessage `json:"value"`
	ValueType ValueType       `json:"valueType"`
	Remark    string          `json:"remark"`
	Schema    json.RawMessage `json:"schema,omitzero"`
	Protected bool            `json:"protected"`
	// Whether the value is encrypted at rest, and returned only to callers with `configs:secrets`.
	Secret bool `json:"secret"`
	// Set if the value is withheld, with `null` instead. An import rejects it.
	Masked bool `json:"masked,omitzero"`
}

// ConfigExportQuery contains parameters of [Configs.Export].
type ConfigExportQuery struct {
	// Prefix of the key.
	Prefix string
	// Substring of the key, value or remark, ignoring case.
	Q         string
	ValueType ValueType
}

// ConfigImport is the request body of [Configs.Import].
type ConfigImport struct {
	// The time of the export; accepted and ignored.
	ExportedTime *time.Time `json:"exportedTime,omitzero"`
	// The treatment of a key that exists with other content.
	OnExisting ConfigImportOnExisting `json:"onExisting,omitzero"`
	Note       string                 `json:"note,omitzero"`
	// The `preview` of a dry run. The import is rejected (409) if its outcome or its rows differ
	// from those of the dry run.
	Preview string           `json:"preview,omitzero"`
	Configs []ImportedConfig `json:"configs"`
}

// ConfigImportOnExisting is part of [ConfigImport].
type ConfigImportOnExisting string

// The values of ConfigImportOnExisting.
const (
	ConfigImportOnExistingSkip   ConfigImportOnExisting = "skip"
	ConfigImportOnExistingUpdate ConfigImportOnExisting = "update"
	ConfigImportOnExistingFail   ConfigImportOnExisting = "fail"
)

// ImportedConfig is part of [ConfigImport].
type ImportedConfig struct {
	Key string `json:"key"`
	// Null or absent: unchanged, and false for a new config.
	Protected *bool `json:"protected,omitzero"`
	// Null or absent: unchanged, and false for a new config.
	Secret *bool `json:"secret,omitzero"`
	// Set by an export in place of a value. Such a row is rejected (422): it has no value to
	// import.
	Masked bool `json:"masked,omitzero"`
	// Whether the type, remark and schema of an existing config remain unchanged.
	ValueOnly bool `json:"valueOnly,omitzero"`
	// Any JSON of the type `valueType`.
	Value json.RawMessage `json:"value"`
	// The type of `value`; derived from the value if absent. `number`, `boolean` and `json` may
	// also be sent as their text in a JSON string; replies contain them in that form.
	ValueType ValueType `json:"valueType,omitzero"`
	Remark    string    `json:"remark,omitzero"`
	// The JSON Schema of the value; null for none.
	Schema json.RawMessage `json:"schema,omitzero"`
}

// ConfigImported is returned by [Configs.Import].
type ConfigImported struct {
	DryRun bool `json:"dryRun"`
	// The `updatedTime` of the configs that the import wrote. Absent for a dry run.
	Time time.Time `json:"time,omitzero"`
	// The first rejected rows.
	Verdicts []ImportVerdict `json:"verdicts"`
	Counts   ImportCounts    `json:"counts"`
	// In a dry run, the value of `preview` for an import that does exactly this.
	Preview string `json:"preview,omitzero"`
	// In a dry run, the indexes of all rows by verdict.
	Rows map[string][]int64 `json:"rows,omitzero"`
}

// ImportVerdict is part of [ConfigImported].
type ImportVerdict struct {
	Index   int64                `json:"index"`
	Key     string               `json:"key"`
	Verdict ImportVerdictVerdict `json:"verdict"`
	Detail  string               `json:"detail,omitzero"`
	Fields  []Field              `json:"fields,omitzero"`
}

// ImportVerdictVerdict is part of [ImportVerdict].
type ImportVerdictVerdict string

// The values of ImportVerdictVerdict.
const (
	ImportVerdictVerdictInvalid  ImportVerdictVerdict = "invalid"
	ImportVerdictVerdictConflict ImportVerdictVerdict = "conflict"
)

// ImportCounts is part of [ConfigImported].
type ImportCounts struct {
	Create    int64 `json:"create"`
	Update    int64 `json:"update"`
	Unchanged int64 `json:"unchanged"`
	Skip      int64 `json:"skip"`
	Invalid   int64 `json:"invalid"`
	Conflict  int64 `json:"conflict"`
}

// ConfigDocument is the request body of [Configs.ParseDocument].
type ConfigDocument struct {
	// The name of the file. Its extension identifies `yaml`, `properties` and `env`.
	File string `json:"file,omitzero"`
	// Detected by the name and the content if absent.
	Format ConfigDocumentFormat `json:"format,omitzero"`
	// The environment, or the profile of Spring, with the values to read. Without it, a document
	// with several environments has no rows, and YAML only the values without a profile.
	Environment string `json:"environment,omitzero"`
	// The content of a text file.
	Text string `json:"text,omitzero"`
	// The content of a zip file in base64, instead of `text`.
	Zip string `json:"zip,omitzero"`
}

// ConfigDocumentFormat is part of [ConfigDocument].
type ConfigDocumentFormat string

// The values of ConfigDocumentFormat.
const (
	ConfigDocumentFormatJSON         ConfigDocumentFormat = "json"
	ConfigDocumentFormatYaml         ConfigDocumentFormat = "yaml"
	ConfigDocumentFormatProperties   ConfigDocumentFormat = "properties"
	ConfigDocumentFormatEnv          ConfigDocumentFormat = "env"
	ConfigDocumentFormatConfigmap    ConfigDocumentFormat = "configmap"
	ConfigDocumentFormatApollo       ConfigDocumentFormat = "apollo"
	ConfigDocumentFormatNacos        ConfigDocumentFormat = "nacos"
	ConfigDocumentFormatConsul       ConfigDocumentFormat = "consul"
	ConfigDocumentFormatLaunchdarkly ConfigDocumentFormat = "launchdarkly"
	ConfigDocumentFormatUnleash      ConfigDocumentFormat = "unleash"
	ConfigDocumentFormatFlagsmith    ConfigDocumentFormat = "flagsmith"
	ConfigDocumentFormatGrowthbook   ConfigDocumentFormat = "growthbook"
)

// ConfigConversion is returned by [Configs.ParseDocument].
type ConfigConversion struct {
	Format ConfigDocumentFormat `json:"format"`
	// The rows for `POST /configs/import`.
	Configs []ConvertedConfig `json:"configs"`
	// The first notes about parts of the document that the rows do not contain, such as targeting
	// rules of flags.
	Notes []ConfigNote `json:"notes"`
	// The number of all notes.
	NoteCount int64 `json:"noteCount"`
	// The first entries that cannot be read exactly, with the reason. The rows do not contain them.
	Rejected []ConfigNote `json:"rejected"`
	// The number of all such entries.
	RejectedCount int64 `json:"rejectedCount"`
	// The names that `environment` can have: environments, or profiles of Spring.
	Environments []string `json:"environments"`
	// The selected environment; "" for none.
	Environment string `json:"environment"`
}

// ConvertedConfig is part of [ConfigConversion].
type ConvertedConfig struct {
	Key string `json:"key"`
	// Any JSON.
	Value     json.RawMessage `json:"value"`
	ValueType ValueType       `json:"valueType,omitzero"`
	Remark    string          `json:"remark,omitzero"`
	Schema    json.RawMessage `json:"schema,omitzero"`
	Protected bool            `json:"protected,omitzero"`
	Secret    bool            `json:"secret,omitzero"`
	Masked    bool            `json:"masked,omitzero"`
	ValueOnly bool            `json:"valueOnly,omitzero"`
}

// ConfigNote is part of [ConfigConversion].
type ConfigNote struct {
	// The key of the entry, or "" for a larger part of the document.
	Key string `json:"key"`
	// The file, with a line or JSON Pointer.
	At string `json:"at"`
	// The kind of the message: `ambiguous`, `base64`, `binary`, `condition`, `dropped`,
	// `environment`, `ignored`, `incomplete`, `number`, `pattern`, `percentage`, `placeholder`,
	// `required`, `type`, `unique`, `unreadable`, `unsupported`, `withheld`.
	Code string `json:"code"`
	// A clause with the entry as its subject.
	Message string `json:"message"`
}

// ConfigSnapshot is returned by [Configs.Snapshot].
type ConfigSnapshot struct {
	// A position in the log of configs: `<epoch>-<sequence>`. The sequence counts the committed
	// versions of all configs, in the order of commits and without gaps. The epoch changes when the
	// database is restored or replaced. Two revisions of one epoch compare by their sequences;
	// revisions of different epochs do not compare.
	Revision string   `json:"revision"`
	Items    []Config `json:"items"`
}

// ConfigChangeNeeds is part of [Config].
type ConfigChangeNeeds struct {
	// The number of votes of other users.
	Approvals int64 `json:"approvals"`
}

// ConfigRevision is a row of [Configs.History].
type ConfigRevision struct {
	// The sequence number of this version among those of all configs, in the order of writing.
	Revision int64 `json:"revision"`
	Version  int64 `json:"version"`
	// The strong entity tag, including the quotes. Opaque, and bound to the row, so that the tag of
	// a deleted and recreated row never matches.
	ETag string `json:"etag"`
	// An `overwrite` is an update that removed changes that others made since its author read the
	// config; the note contains the reason.
	Action    ConfigAction    `json:"action"`
	Value     json.RawMessage `json:"value"`
	ValueType ValueType       `json:"valueType"`
	// The JSON Schema of the value.
	Schema    json.RawMessage `json:"schema,omitzero"`
	Remark    string          `json:"remark"`
	Protected bool            `json:"protected"`
	// Whether the value is encrypted at rest, and returned only to callers with `configs:secrets`.
	Secret bool `json:"secret"`
	// Set if the value is withheld, with `null` instead: the config is or was secret, and the
	// reader lacks `configs:secrets`; or the value cannot be decrypted.
	Masked bool `json:"masked,omitzero"`
	// The owners of the fields at this version.
	Owner ConfigOwners `json:"owner"`
	// The approval that the version needed.
	ApprovalID *int64 `json:"approvalId"`
	// The reason of the change.
	Note        string    `json:"note"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

// ConfigAction is part of [ConfigRevision].
type ConfigAction string

// The values of ConfigAction.
const (
	ConfigActionCreate    ConfigAction = "create"
	ConfigActionUpdate    ConfigAction = "update"
	ConfigActionOverwrite ConfigAction = "overwrite"
	ConfigActionRollback  ConfigAction = "rollback"
	ConfigActionDelete    ConfigAction = "delete"
)

// ConfigRollback is the request body of [Configs.RollBack].
type ConfigRollback struct {
	ToVersion int64  `json:"toVersion"`
	Note      string `json:"note,omitzero"`
}

// ConfigBatch is the request body of [Configs.Change].
type ConfigBatch struct {
	// Stored in the history of each config and in the audit log.
	Note string `json:"note,omitzero"`
	// Each key at most once.
	Changes []ConfigChange `json:"changes"`
}

// ConfigChange is part of [ConfigBatch].
type ConfigChange struct {
	Key string         `json:"key"`
	Op  ConfigChangeOp `json:"op"`
	// The `etag` that you read; required for update and delete.
	ETag string `json:"etag,omitzero"`
	// For an update, a merge patch. For a create, the members of a new config without its key.
	Patch json.RawMessage `json:"patch,omitzero"`
}

// ConfigChangeOp is part of [ConfigChange].
type ConfigChangeOp string

// The values of ConfigChangeOp.
const (
	ConfigChangeOpCreate ConfigChangeOp = "create"
	ConfigChangeOpUpdate ConfigChangeOp = "update"
	ConfigChangeOpDelete ConfigChangeOp = "delete"
)

// ConfigBatchResult is returned by [Configs.Change].
type ConfigBatchResult struct {
	Results []ConfigResult `json:"results"`
}

// ConfigResult is part of [ConfigBatchResult].
type ConfigResult struct {
	Index   int64          `json:"index"`
	Key     string         `json:"key"`
	Op      ConfigResultOp `json:"op"`
	Version int64          `json:"version"`
	// Absent for a deleted config.
	ETag string `json:"etag,omitzero"`
}

// ConfigResultOp is part of [ConfigResult].
type ConfigResultOp string

// The values of ConfigResultOp.
const (
	ConfigResultOpCreate ConfigResultOp = "create"
	ConfigResultOpUpdate ConfigResultOp = "update"
	ConfigResultOpDelete ConfigResultOp = "delete"
)

// List lists configs.
func (s *Configs) List(f ConfigFilter) List[Config] {
	return List[Config]{s.client, "/configs", f.parameters().set("prefix", f.Prefix).set("q", f.Q).set("valueType", f.ValueType)}
}

// Create creates a config.
//
// 409 `already_exists` contains the config with the same key in `current`.
//
// 422 at `/value` if the value violates its type or its JSON Schema; 422 at `/schema` if the JSON
// Schema is not usable (2020-12 unless `$schema` names an older draft; references only to itself).
func (s *Configs) Create(ctx context.Context, body ConfigCreate, options ...CallOption) (Config, error) {
	return call[Config](ctx, s.client, request{method: http.MethodPost, path: "/configs", body: body}, options)
}

// Export exports configs.
//
// One document with all configs of one moment, sorted by key. `json` is the format of `POST
// /configs/import`. The other formats contain keys and values only, and a comment `# withheld:
// <key>` for each withheld value. `yaml` is a mapping of whole keys; `properties` is read by
// java.util.Properties; `env` by a POSIX shell; `configmap` is a ConfigMap of Kubernetes with the
// name `configs`.
//
// A name in `env` is the key in capitals, with `_` for each character except letters and digits,
// and before a leading digit. A name in `configmap` has `_` for each of `:`, `/`, `[` and `]`, and
// before a leading `..`. 422 at `?format` with both keys if two keys have the same name.
//
// 409 `limit_reached` if they exceed one document (10,000 configs or 16 MiB, 1 MiB for
// `configmap`): export them by prefix.
func (s *Configs) Export(ctx context.Context, q ConfigExportQuery, options ...CallOption) (ConfigExport, error) {
	return call[ConfigExport](ctx, s.client, request{method: http.MethodGet, path: "/configs/export", query: parameters{}.set("prefix", q.Prefix).set("q", q.Q).set("valueType", q.ValueType)}, options)
}

// Import imports configs.
//
// Imports all rows or none, in one transaction. `onExisting` defines the treatment of a key that
// exists with other content. `dryRun=true` changes nothing and returns the outcome that the import
// would have; review it and repeat the request without the parameter.
//
// It accepts any document of `GET /configs/export` without withheld values: a row with `masked` is
// rejected (422), so that a mask never overwrites a secret. The body may have up to 32 MiB. After
// the first MiB, each 512 KiB must arrive within two seconds, and at most two such bodies are read
// concurrently.
//
// `counts` counts all rows by verdict. `verdicts` contains the first 100 rows that are `invalid` or
// in `conflict`, so that every reply can be stored under its idempotency key; 422 and 409 have both
// members. A dry run also lists all rows by verdict. An import with its `preview` is rejected (409)
// if the configs or the rows changed since then.
func (s *Configs) Import(ctx context.Context, body ConfigImport, dryRun bool, options ...CallOption) (ConfigImported, error) {
	return call[ConfigImported](ctx, s.client, request{method: http.MethodPost, path: "/configs/import", body: body, query: parameters{}.set("dryRun", dryRun)}, options)
}

// ParseDocument converts a document for an import.
//
// Reads a document of configs or flags of this or another program, and returns the rows for `POST
// /configs/import`. It changes nothing. Review `notes` and `rejected`, and send `configs` as a dry
// run.
//
//   - `json`: an export, or an object of keys and values; `yaml`: nested mappings are keys with
//     dots; `properties`; `env`; `configmap`.
//   - `apollo` and `nacos`: the zip of an export; `consul`: `consul kv export`.
//   - `launchdarkly`, `unleash`, `flagsmith`, `growthbook`: each flag is the value for a user that
//     no rule selects. The rules are in `notes`. A flag with several values by percentage is in
//     `rejected`.
//
// A row sets only the value of an existing config, except for a row of an export. Text becomes a
// value of the type that the config has, or else a string. 422 at `/text` with the line, or at
// `/zip`, if the document cannot be read.
//
// A document may have up to 32 MiB, and the body up to 64 MiB, because a zip is longer in base64,
// and a text with escapes. `notes` and `rejected` contain the first 1000; `noteCount` and
// `rejectedCount` count all.
func (s *Configs) ParseDocument(ctx context.Context, body ConfigDocument, options ...CallOption) (ConfigConversion, error) {
	return call[ConfigConversion](ctx, s.client, request{method: http.MethodPost, path: "/configs/import/read", body: body}, options)
}

// Snapshot returns a snapshot of configs.
//
// Returns all configs, sorted by key, with the revision of the snapshot. A client that then watches
// `GET /configs/watch?after=<revision>` misses no change. 409 `limit_reached` if they exceed one
// document (10,000 configs or 16 MiB): read them by prefix.
func (s *Configs) Snapshot(ctx context.Context, prefix string, options ...CallOption) (ConfigSnapshot, error) {
	return call[ConfigSnapshot](ctx, s.client, request{method: http.MethodGet, path: "/configs/snapshot", query: parameters{}.set("prefix", prefix)}, options)
}

// Get returns a config.
//
// With `Accept: text/plain`, the reply is the value alone: a string without quotes, any other value
// as JSON. 403 for a withheld value, 503 for one that cannot be decrypted.
func (s *Configs) Get(ctx context.Context, key string, options ...CallOption) (Config, error) {
	return call[Config](ctx, s.client, request{method: http.MethodGet, path: "/configs/" + segment(key)}, options)
}

// Save updates a config.
//
// A merge patch (RFC 7396): only the members sent are changed; members of an object in `value` are
// merged one by one; null clears an optional member. The key never changes. A patch without effect
// returns 200, without a new version or history.
//
// Of several edits of the same version exactly one succeeds; the others return 412 with the author
// of the successful edit and the differences.
//
// Without `configs:secrets` the value of a secret config can be replaced as a whole, and not read:
// replies and conflicts have `null` and `masked` instead. To prevent disclosure by guessing: a
// submitted value always creates a new version, even if it equals the current one; two edits of the
// value always conflict; its type and schema change only together with a new value (403); an
// overwriting edit cannot restore an earlier value (403); and `secret` cannot be removed (403).
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (s *Configs) Save(ctx context.Context, value *Config, options ...CallOption) error {
	return save(ctx, s.client, "/configs/"+segment(value.Key), value, options)
}

// Delete deletes a config.
//
// The history is retained. A config recreated under the key is a different one: old etags do not
// match it.
func (s *Configs) Delete(ctx context.Context, read Config, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/configs/" + segment(read.Key), ifMatch: read.ETag}, nil, options)
}

// History lists the versions of a config.
//
// The newest first, with the full content of each version, including those of deleted configs with
// the same key.
func (s *Configs) History(key string, p Paging) List[ConfigRevision] {
	return List[ConfigRevision]{s.client, "/configs/" + segment(key) + "/history", p.parameters()}
}

// RollBack rolls a config back.
//
// Creates a new version with the content of an old one, validated against the current rules.
// History is append-only. Restoring the value of a secret version into a config that is not secret
// requires `configs:secrets` (403).
func (s *Configs) RollBack(ctx context.Context, read Config, body ConfigRollback, options ...CallOption) (Config, error) {
	return call[Config](ctx, s.client, request{method: http.MethodPost, path: "/configs/" + segment(read.Key) + "/rollback", ifMatch: read.ETag, body: body}, options)
}

// Change changes many configs.
//
// One transaction with all changes or none, and one audit entry. Each update and delete has the
// `etag` that its author read; a create has none.
//
// 409 `batch_conflict` lists every conflicting member, each with the body that the single request
// would return. 422 points into the batch: `/changes/2/patch/value`.
func (s *Configs) Change(ctx context.Context, body ConfigBatch, options ...CallOption) (ConfigBatchResult, error) {
	return call[ConfigBatchResult](ctx, s.client, request{method: http.MethodPost, path: "/config-batches", body: body}, options)
}
