package config

import (
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// editable is what package change needs to know about configs.
type editable struct {
	*Service
	change.Rows[Config]
	// reason is why an edit may overwrite what others changed, and destroyed what it
	// overwrote.
	reason    string
	destroyed map[string]any
}

func (s *Service) editable() editable {
	return editable{Service: s, Rows: change.Rows[Config]{DB: s.db}}
}

// Overwriting implements change.Overwritable.
func (e editable) Overwriting(destroyed map[string]any) change.Editable[*Config] {
	e.destroyed = destroyed
	return e
}

// Label implements change.Editable.
func (editable) Label(row *Config) string { return row.label() }

// View implements change.Editable.
func (editable) View(row *Config) any { return row.View() }

// Document implements change.Editable.
func (editable) Document(row *Config) (any, error) { return row.document() }

// At implements change.Editable.
func (e editable) At(ctx context.Context, row *Config, version int64) (*Config, error) {
	return e.at(ctx, row, version)
}

// Revise implements change.Editable.
func (editable) Revise(row *Config, document any) (*Config, guard.Set, error) {
	after, set, fields := row.revised(document)
	if len(fields) > 0 {
		return row, nil, apperr.Invalid(fields...)
	}
	return after, set, nil
}

// Record implements change.Editable.
func (e editable) Record(ctx context.Context, u *uow.Unit, before, after *Config) error {
	u.Audit(uow.Entry{
		Action: "config.update", Resource: after.path(),
		Detail: versionStep{From: before.Version, To: after.Version, Changed: before.differences(after.Content), Destroyed: e.destroyed},
		Note:   e.reason,
	})
	return e.record(ctx, u, after, Updated, e.reason)
}

// versionStep is the audit detail of one changed config.
type versionStep struct {
	From    int64    `json:"fromVersion"`
	To      int64    `json:"toVersion"`
	Changed []string `json:"changed"`
	// Destroyed is what others had written and an overwriting edit took away.
	Destroyed map[string]any `json:"destroyed,omitempty"`
}

func (c *Config) path() string { return "configs/" + c.Key }

// document is the part of a config that an edit may change, as a tree.
func (c *Config) document() (map[string]any, error) {
	value, err := merge.Parse([]byte(c.Value))
	if err != nil {
		return nil, err
	}
	document := map[string]any{"value": value, "valueType": string(c.ValueType), "remark": c.Remark}
	if c.Schema != "" {
		if document["schema"], err = merge.Parse([]byte(c.Schema)); err != nil {
			return nil, err
		}
	}
	return document, nil
}

// revised returns the config with the content of an edited document and the columns
// that this changes, or what is wrong with the document.
func (c *Config) revised(document any) (*Config, guard.Set, []apperr.Field) {
	members, _ := document.(map[string]any)
	if members["protected"] == true {
		return nil, nil, []apperr.Field{protectedFault()}
	}
	content := Content{Value: respelled(members, "value", c.Value), Schema: respelled(members, "schema", c.Schema)}
	content.Remark, _ = members["remark"].(string)
	valueType, _ := members["valueType"].(string)
	content.ValueType = Type(valueType)
	content, fields := checked(content)
	if len(fields) > 0 {
		return nil, nil, fields
	}
	after := *c
	after.Content = content
	return &after, c.columns(content), nil
}

func protectedFault() apperr.Field {
	return apperr.Field{Pointer: "/protected", Code: "unavailable", Message: "cannot be true: approvals are not available yet"}
}

// respelled returns the JSON text of a member, in the spelling that it had while it
// means the same, and "" for a member that is not there.
func respelled(members map[string]any, name, before string) string {
	value, present := members[name]
	if !present {
		return ""
	}
	text, err := merge.Encode(value)
	if err != nil || string(text) == before {
		return before
	}
	if old, err := merge.Parse([]byte(before)); err == nil && merge.Equal(old, value) {
		return before
	}
	return string(text)
}

// columns returns what an UPDATE sets to give the config this content.
func (c *Config) columns(content Content) guard.Set {
	set := guard.Set{}
	if content.Value != c.Value {
		set["value"] = content.Value
	}
	if content.ValueType != c.ValueType {
		set["value_type"] = content.ValueType
	}
	if content.Schema != c.Schema {
		set["value_schema"] = content.Schema
	}
	if content.Remark != c.Remark {
		set["remark"] = content.Remark
	}
	return set
}

// differences names the members in which the config differs from a content.
func (c *Config) differences(content Content) []string {
	names := make([]string, 0, 4)
	for _, member := range []struct {
		name    string
		differs bool
	}{
		{"remark", content.Remark != c.Remark},
		{"schema", content.Schema != c.Schema},
		{"value", content.Value != c.Value},
		{"valueType", content.ValueType != c.ValueType},
	} {
		if member.differs {
			names = append(names, member.name)
		}
	}
	return names
}

// stale is answered as the conflict, built after the rollback.
func (s *Service) stale(row *Config, ifMatch guard.Precondition) error {
	return uow.Explain(func(ctx context.Context) error {
		return change.Conflict(ctx, s.editable(), row.ID, change.Edit{IfMatch: ifMatch})
	})
}
