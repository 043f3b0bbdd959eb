package config

import (
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
	guard.Stamp
}

func viewOf(c *Config) configView {
	return configView{
		Key: c.Key, Value: json.RawMessage(c.Value), ValueType: c.ValueType,
		Schema: json.RawMessage(c.Schema), Remark: c.Remark, Protected: c.Protected, Stamp: c.Stamp(),
	}
}

// readView is a config that says what a change of it would need.
type readView struct {
	configView
	// ChangeNeeds is nil when a change needs nothing.
	ChangeNeeds *changeNeeds `json:"changeNeeds,omitempty"`
}

// changeNeeds is what a change needs beside its author.
type changeNeeds struct {
	// Approvals is how many votes of others.
	Approvals int `json:"approvals"`
}

// editedView is a config that says what an edit was merged with or what it overwrote.
type editedView struct {
	configView
	Merged *change.Merged `json:"merged,omitempty"`
	// Overwrote names the members in which others' changes were destroyed.
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
	// ApprovalID is the approval that the version needed.
	ApprovalID  *int64           `json:"approvalId"`
	Note        string           `json:"note"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func versionViewOf(h History) versionView {
	var approval *int64
	if h.ApprovalID != 0 {
		approval = &h.ApprovalID
	}
	return versionView{
		Protected: h.Protected, ApprovalID: approval,
		Revision: h.ID, Version: h.Version, ETag: h.ref().ETag(), Action: h.Action,
		Value: json.RawMessage(h.Value), ValueType: h.ValueType, Schema: json.RawMessage(h.Schema),
		Remark: h.Remark, Note: h.Note, ChangedBy: h.changedBy(), ChangedTime: h.ChangedTime,
	}
}

type batchView struct {
	Results []Result `json:"results"`
}

// revisionView is the data of the events ready and gone of a watch.
type revisionView struct {
	Revision Revision `json:"revision"`
}

// snapshotView is all configs at one moment.
type snapshotView struct {
	Revision Revision     `json:"revision"`
	Items    []configView `json:"items"`
}
