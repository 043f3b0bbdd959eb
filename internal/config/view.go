package config

import (
	"context"
	"encoding/json"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

type configView struct {
	Key configKey `json:"key"`
	// Any JSON of the type `valueType`. Members retain their order and numbers their notation; members that a patch adds are
	// appended in the order of the patch. A different order alone is no change.
	Value     json.RawMessage `json:"value" validate:"json"`
	ValueType Type            `json:"valueType"`
	// The JSON Schema of the value.
	Schema json.RawMessage `json:"schema,omitempty" types:"object boolean"`
	Remark string          `json:"remark" validate:"max=500"`
	// Whether changes need an approval: they return 202 with one, including the change that removes the protection.
	Protected bool `json:"protected"`
	// Whether the value is encrypted at rest, and returned only to callers with `configs:secrets`.
	Secret bool `json:"secret"`
	// Set if the value is withheld, with `null` instead: the config is or was secret, and the reader lacks
	// `configs:secrets`; or the value cannot be decrypted.
	Masked bool `json:"masked,omitempty"`
	// The owners by field; a field without an owner is absent. A change of a field of another owner is 409 `in_use` without
	// `takeOver`.
	Owner ownersView `json:"owner"`
	guard.Stamp
}

// shown returns the value of a config for the context's caller. masked is true if the value is
// withheld, to distinguish it from null. All views use this function.
func shown(ctx context.Context, c *Config) (value json.RawMessage, masked bool) {
	return shownValue(ctx, c.Value, c.isConfidential())
}

func shownValue(ctx context.Context, value string, confidential bool) (shown json.RawMessage, masked bool) {
	if mayReveal(ctx, value, confidential) {
		return json.RawMessage(value), false
	}
	return json.RawMessage("null"), true
}

func viewOf(ctx context.Context, c *Config) configView {
	view := configView{
		Key: configKey(c.Key), ValueType: c.ValueType,
		Schema: json.RawMessage(c.Schema), Remark: c.Remark, Protected: c.Protected, Secret: c.Secret, Owner: c.Owners.view(), Stamp: c.Stamp(),
	}
	view.Value, view.Masked = shown(ctx, c)
	return view
}

// readView is a config with the requirements of a change.
type readView struct {
	configView
	// The requirements of a change of a protected config. Absent if it has none.
	ChangeNeeds *changeNeeds `json:"changeNeeds,omitempty"`
}

// changeNeeds are the votes that a change needs.
type changeNeeds struct {
	// The number of votes of other users.
	Approvals int `json:"approvals" validate:"min=1"`
}

// editedConfigView is a config with the result of a merge or an overwrite.
type editedConfigView struct {
	configView
	Merged *change.Merged `json:"merged,omitempty"`
	// The members in which changes of others were lost, for an edit with `overwrite`.
	Overwrote []string `json:"overwrote,omitempty"`
}

// configRevisionView is one version of a config.
type configRevisionView struct {
	// The sequence number of this version among those of all configs, in the order of writing.
	Revision int64  `json:"revision" validate:"min=1"`
	Version  int64  `json:"version"`
	ETag     string `json:"etag"`
	// An `overwrite` is an update that removed changes that others made since its author read the config; the note contains
	// the reason.
	Action    Action          `json:"action"`
	Value     json.RawMessage `json:"value" validate:"json"`
	ValueType Type            `json:"valueType"`
	// The JSON Schema of the value.
	Schema    json.RawMessage `json:"schema,omitempty" types:"object boolean"`
	Remark    string          `json:"remark"`
	Protected bool            `json:"protected"`
	// Whether the value is encrypted at rest, and returned only to callers with `configs:secrets`.
	Secret bool `json:"secret"`
	// Set if the value is withheld, with `null` instead: the config is or was secret, and the reader lacks
	// `configs:secrets`; or the value cannot be decrypted.
	Masked bool `json:"masked,omitempty"`
	// The owners of the fields at this version.
	Owner ownersView `json:"owner"`
	// The approval that the version needed.
	ApprovalID *int64 `json:"approvalId"`
	// The reason of the change.
	Note        string           `json:"note"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func revisionViewOf(ctx context.Context, h History) configRevisionView {
	var approval *int64
	if h.ApprovalID != 0 {
		approval = &h.ApprovalID
	}
	view := configRevisionView{
		Protected: h.Protected, Secret: h.Secret, Owner: h.Owners.view(), ApprovalID: approval,
		Revision: h.ID, Version: h.Version, ETag: h.ref().ETag(), Action: h.Action,
		ValueType: h.ValueType, Schema: json.RawMessage(h.Schema),
		Remark: h.Remark, Note: h.Note, ChangedBy: h.changedBy(), ChangedTime: h.ChangedTime,
	}
	view.Value, view.Masked = shown(ctx, h.config(new(Config)))
	return view
}

type batchResultView struct {
	Results []Result `json:"results"`
}

// revisionView is the data of the events ready and gone of a watch.
type revisionView struct {
	Revision Revision `json:"revision"`
}

// snapshotView contains all configs at one moment.
type snapshotView struct {
	Revision Revision     `json:"revision"`
	Items    []configView `json:"items"`
}

// example is a config for the contract, exportExample a document with it, and the others are its
// changes.
var (
	example = func() configView {
		c := Config{Key: "checkout.tax", Content: Content{
			Value: "0.2", ValueType: Number, Schema: `{"type":"number","minimum":0,"maximum":1}`, Remark: "Standard rate",
		}}
		c.ID, c.Version, c.UpdatedBy, c.UpdatedByName = 48, 19, 7, "Li"
		c.CreatedTime = time.Date(2025, time.November, 21, 8, 0, 0, 0, time.UTC)
		c.UpdatedTime = time.Date(2026, time.January, 31, 9, 30, 0, 123456000, time.UTC)
		return viewOf(context.Background(), &c)
	}()
	exportExample = Export{ExportedTime: example.UpdatedTime, Configs: []ExportedConfig{
		{Key: example.Key, Value: example.Value, ValueType: Number, Remark: example.Remark},
	}}
	createExample = configCreate{example.Key, newContent{contentText: contentText{
		Value: example.Value, ValueType: Number, Remark: example.Remark, Schema: example.Schema,
	}}}
	importExample = map[string]any{
		"onExisting": Update, "note": "Rates of 2026", "configs": []map[string]any{{"key": example.Key, "value": 0.21, "valueType": Number}},
	}
	documentExample   = map[string]any{"file": "checkout.yaml", "text": "checkout:\n  tax: 0.21\n  hosts: &h [a]\n"}
	conversionExample = Conversion{
		Format: formatYAML, Configs: []convertedConfig{{Key: string(example.Key), Value: json.RawMessage("0.21"), ValueOnly: true}}, Notes: []Note{},
		Rejected:      []Note{{"checkout.hosts", "checkout.yaml:3", "unsupported", "has an anchor or alias, which is not supported; repeat the value"}},
		RejectedCount: 1, Environments: []string{},
	}
	importedExample = Imported{Time: &example.UpdatedTime, Verdicts: []Verdict{}, Counts: ImportCounts{
		verdictCreate: 0, verdictUpdate: 1, verdictUnchanged: 0, verdictSkip: 0, verdictInvalid: 0, verdictConflict: 0,
	}}
	batchExample = map[string]any{"note": "Rates of 2026", "changes": []map[string]any{
		{"key": example.Key, "op": OpUpdate, "etag": example.ETag, "patch": map[string]any{"value": 0.21}},
		{"key": "checkout.note", "op": OpCreate, "patch": map[string]any{"value": "Rates changed on 1 January"}},
		{"key": "checkout.old-tax", "op": OpDelete, "etag": `"9-2"`},
	}}
	batchResultExample = batchResultView{[]Result{
		{Index: 0, Key: "checkout.tax", Op: OpUpdate, Version: 20, ETag: `"1c-k"`},
		{Index: 1, Key: "checkout.note", Op: OpCreate, Version: 1, ETag: `"2a-1"`},
		{Index: 2, Key: "checkout.old-tax", Op: OpDelete, Version: 3},
	}}
)
