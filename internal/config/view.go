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
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	ValueType Type            `json:"valueType"`
	Schema    json.RawMessage `json:"schema,omitempty"`
	Remark    string          `json:"remark"`
	Protected bool            `json:"protected"`
	Secret    bool            `json:"secret"`
	Masked    bool            `json:"masked,omitempty"`
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
		Key: c.Key, ValueType: c.ValueType,
		Schema: json.RawMessage(c.Schema), Remark: c.Remark, Protected: c.Protected, Secret: c.Secret, Stamp: c.Stamp(),
	}
	view.Value, view.Masked = shown(ctx, c)
	return view
}

// readView is a config with the requirements of a change.
type readView struct {
	configView
	// ChangeNeeds is nil if a change needs no votes.
	ChangeNeeds *changeNeeds `json:"changeNeeds,omitempty"`
}

// changeNeeds are the votes that a change needs.
type changeNeeds struct {
	// Approvals is the number of votes of other users.
	Approvals int `json:"approvals"`
}

// editedView is a config with the result of a merge or an overwrite.
type editedView struct {
	configView
	Merged *change.Merged `json:"merged,omitempty"`
	// Overwrote names the members in which changes of others were destroyed.
	Overwrote []string `json:"overwrote,omitempty"`
}

// versionView is one version of a config.
type versionView struct {
	Revision  int64           `json:"revision"`
	Version   int64           `json:"version"`
	ETag      string          `json:"etag"`
	Action    Action          `json:"action"`
	Value     json.RawMessage `json:"value"`
	ValueType Type            `json:"valueType"`
	Schema    json.RawMessage `json:"schema,omitempty"`
	Remark    string          `json:"remark"`
	Protected bool            `json:"protected"`
	Secret    bool            `json:"secret"`
	Masked    bool            `json:"masked,omitempty"`
	// ApprovalID is the approval that made the version.
	ApprovalID  *int64           `json:"approvalId"`
	Note        string           `json:"note"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func versionViewOf(ctx context.Context, h History) versionView {
	var approval *int64
	if h.ApprovalID != 0 {
		approval = &h.ApprovalID
	}
	view := versionView{
		Protected: h.Protected, Secret: h.Secret, ApprovalID: approval,
		Revision: h.ID, Version: h.Version, ETag: h.ref().ETag(), Action: h.Action,
		ValueType: h.ValueType, Schema: json.RawMessage(h.Schema),
		Remark: h.Remark, Note: h.Note, ChangedBy: h.changedBy(), ChangedTime: h.ChangedTime,
	}
	view.Value, view.Masked = shown(ctx, h.config(new(Config)))
	return view
}

type batchView struct {
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
