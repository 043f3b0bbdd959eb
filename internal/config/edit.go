package config

import (
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// editable declares configs to package change.
func (s *Service) editable() change.Editable[Config, *Config] {
	return change.Editable[Config, *Config]{
		Rows:         change.Rows[Config, *Config]{DB: s.db, Label: (*Config).label, View: func(c *Config) any { return viewOf(c) }},
		Document:     (*Config).document,
		Revise:       revise,
		At:           s.at,
		Record:       s.recordEdit,
		Instead:      s.proposeEdit,
		Write:        s.write,
		Overwritable: true,
	}
}

// revise returns the config that an edited document makes, if it keeps the rules.
func revise(c *Config, document any) (*Config, guard.Set, error) {
	after, set, fields := c.revised(document)
	if len(fields) > 0 {
		return nil, nil, apperr.Invalid(fields...)
	}
	return after, set, nil
}

func (s *Service) recordEdit(ctx context.Context, u *uow.Unit, before, after *Config, overwrite *change.Overwrite) error {
	action := Updated
	switch {
	case overwrite == nil:
		overwrite = &change.Overwrite{}
	case len(overwrite.Destroyed) > 0:
		action = Overwritten
	}
	u.Audit(uow.Entry{
		Action: "config.update", Resource: after.path(),
		Detail: versionDetail{From: before.Version, To: after.Version, Changed: before.differences(after.Content), Destroyed: overwrite.Destroyed, Approval: u.Approval()},
		Note:   overwrite.Reason,
	})
	return s.record(ctx, u, after, action, overwrite.Reason)
}

// versionDetail is what the audit log says of one changed config.
type versionDetail struct {
	From    int64    `json:"fromVersion"`
	To      int64    `json:"toVersion"`
	Changed []string `json:"changed"`
	// Destroyed is what others had written and an overwriting edit took away.
	Destroyed map[string]any `json:"destroyed,omitempty"`
	// Approval is the id of the approval that the change needed.
	Approval int64 `json:"approvalId,omitempty"`
}

func (c *Config) path() string { return pathOf(c.Key) }

// document is the part of a config that an edit may change, as a tree.
func (c *Config) document() (any, error) {
	value, err := merge.Parse([]byte(c.Value))
	if err != nil {
		return nil, err
	}
	members := []merge.Member{{Name: "value", Value: value}, {Name: "valueType", Value: string(c.ValueType)}, {Name: "remark", Value: c.Remark},
		{Name: "protected", Value: c.Protected}}
	if c.Schema != "" {
		schema, err := merge.Parse([]byte(c.Schema))
		if err != nil {
			return nil, err
		}
		members = append(members, merge.Member{Name: "schema", Value: schema})
	}
	return merge.NewObject(members...), nil
}

// revised returns the config with the content of an edited document and the columns
// that this changes, or what is wrong with the document.
func (c *Config) revised(document any) (*Config, guard.Set, []apperr.Field) {
	members, _ := merge.ObjectOf(document)
	content := Content{Value: respelled(members, "value", c.Value), Schema: respelled(members, "schema", c.Schema)}
	remark, _ := members.Get("remark")
	content.Remark, _ = remark.(string)
	valueType, _ := members.Get("valueType")
	name, _ := valueType.(string)
	content.ValueType = Type(name)
	protected, _ := members.Get("protected")
	content.Protected, _ = protected.(bool)
	content, fields := checked(content)
	if len(fields) > 0 {
		return nil, nil, fields
	}
	after := *c
	after.Content = content
	return &after, c.columns(content), nil
}

// respelled returns the JSON text of a member, in the spelling and order that it had while
// it means the same, and "" for a member that is not there.
func respelled(members *merge.Object, name, before string) string {
	value, present := members.Get(name)
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
	if content.Protected != c.Protected {
		set["protected"] = content.Protected
	}
	return set
}

// differences names the members in which the config differs from a content.
func (c *Config) differences(content Content) []string {
	names := make([]string, 0, 5)
	for _, member := range []struct {
		name    string
		differs bool
	}{
		{"protected", content.Protected != c.Protected},
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
		return s.editable().Conflict(ctx, row.ID, change.Edit{IfMatch: ifMatch})
	})
}
