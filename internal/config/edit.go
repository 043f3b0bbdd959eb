package config

import (
	"bytes"
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// editable declares configs to package change, with the context's caller's permissions.
func (s *Service) editable(ctx context.Context) change.Editable[Config, *Config] {
	by, work := s.authorOf(ctx), newWork(ctx)
	return change.Editable[Config, *Config]{
		Rows: change.Rows[Config, *Config]{
			DB: s.db, Label: (*Config).label, View: func(ctx context.Context, c *Config) any { return viewOf(ctx, c) }, Find: s.byID,
		},
		Document:   func(c *Config) (any, error) { return c.document(by.reads) },
		ApplyPatch: by.patched,
		Revise: func(c *Config, document any) (*Config, guard.Set, error) {
			// The cached row is shared, so it is copied before work is set.
			copied := *c
			copied.work = work
			return revise(&copied, document, by)
		},
		AtVersion:      s.at,
		Record:         s.recordEdit,
		ProposeInstead: s.proposeEdit,
		Write:          s.write,
		Overwritable:   true,
		MergeQueue:     s.merges,
	}
}

// revise returns the config of an edited document. Errors: ValidationFailed and those of with.
func revise(c *Config, document any, by author) (*Config, guard.Set, error) {
	after, set, fields, err := c.applyDocument(document, by)
	if err != nil {
		return nil, nil, err
	}
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
		Detail: versionDetail{From: before.Version, To: after.Version, Changed: before.differences(after), Destroyed: destroyedOf(overwrite.Destroyed), Approval: u.Approval()},
		Note:   withReason(overwrite.Reason, after.takeOver),
	})
	if err := s.encryptEarlierVersions(ctx, u, before, after); err != nil {
		return err
	}
	return s.record(ctx, u, after, action, overwrite.Reason)
}

// versionDetail is the audit detail of one changed config.
type versionDetail struct {
	From    int64    `json:"fromVersion"`
	To      int64    `json:"toVersion"`
	Changed []string `json:"changed"`
	// Destroyed contains the changes of others that an overwriting edit destroyed.
	Destroyed map[string]any `json:"destroyed,omitempty"`
	// Approval is the id of the approval that the change needed.
	Approval int64 `json:"approvalId,omitempty"`
}

func (c *Config) path() string { return pathOf(c.Key) }

// document returns the editable part of a config as a tree. If revealed is true, the JSON of the
// tree contains the value of a secret config.
func (c *Config) document(revealed bool) (any, error) {
	var value any = c.opaque(revealed)
	if !c.isConfidential() {
		var err error
		if value, err = merge.Parse([]byte(c.Value)); err != nil {
			return nil, err
		}
	}
	members := []merge.Member{{Name: "value", Value: value}, {Name: "valueType", Value: string(c.ValueType)}, {Name: "remark", Value: c.Remark},
		{Name: "protected", Value: c.Protected}, {Name: "secret", Value: c.Secret}, {Name: ownerMember, Value: c.Owners.document()}}
	if c.Schema != "" {
		schema, err := merge.Parse([]byte(c.Schema))
		if err != nil {
			return nil, err
		}
		members = append(members, merge.Member{Name: "schema", Value: schema})
	}
	return merge.NewObject(members...), nil
}

// applyDocument returns the config with the content of an edited document, the changed columns, and
// the violations of the document. Errors: those of with.
func (c *Config) applyDocument(document any, by author) (*Config, guard.Set, []apperr.Field, error) {
	members, _ := merge.ObjectOf(document)
	content := Content{Schema: respelled(members, "schema", c.Schema)}
	remark, _ := members.Get("remark")
	content.Remark, _ = remark.(string)
	valueType, _ := members.Get("valueType")
	name, _ := valueType.(string)
	content.ValueType = Type(name)
	protected, _ := members.Get("protected")
	content.Protected, _ = protected.(bool)
	secret, _ := members.Get("secret")
	content.Secret, _ = secret.(bool)
	confirmed := by.confirmed(c, document)
	value, _ := members.Get("value")
	if hidden, isOpaque := value.(opaque); isOpaque {
		content.Value = hidden.text
		return c.with(content, hidden.valueSource(c), by, confirmed)
	}
	content.Value = respelled(members, "value", c.Value)
	if content.Value != c.Value {
		return c.with(content, valueNew, by, confirmed)
	}
	return c.with(content, valueUnchanged, by, confirmed)
}

// with returns the config with a content, the changed columns, and the violations of the content.
// from is the source of the content's value; confirmed are the owned fields that the author sets to
// their current content. Errors: those of by.may and of setOwners.
func (c *Config) with(content Content, from valueSource, by author, confirmed []string) (*Config, guard.Set, []apperr.Field, error) {
	if by.may != nil {
		if err := by.may(c, content, from); err != nil {
			return nil, nil, nil, err
		}
	}
	content, fields := checked(content, c.work)
	if len(fields) > 0 {
		return nil, nil, fields, nil
	}
	after := *c
	after.Content, after.hasNewValue = content, from != valueUnchanged
	if fields := after.store(c.Stored, from != valueUnchanged); len(fields) > 0 {
		return nil, nil, fields, nil
	}
	if err := c.setOwners(&after, by, confirmed); err != nil {
		return nil, nil, nil, err
	}
	return &after, c.columns(&after), nil, nil
}

// respelled returns the JSON text of a member: the text before if the value is equal, "" if the
// member does not exist.
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

// columns returns the columns that an UPDATE from c to after sets.
func (c *Config) columns(after *Config) guard.Set {
	set := guard.Set{}
	if after.KeyID != c.KeyID || after.Plain != c.Plain || !bytes.Equal(after.Sealed, c.Sealed) {
		set["value"], set["sealed_value"], set["value_key"] = after.Plain, after.Sealed, after.KeyID
	}
	if after.ValueType != c.ValueType {
		set["value_type"] = after.ValueType
	}
	if after.Schema != c.Schema {
		set["value_schema"] = after.Schema
	}
	if after.Remark != c.Remark {
		set["remark"] = after.Remark
	}
	if after.Protected != c.Protected {
		set["protected"] = after.Protected
	}
	if after.Secret != c.Secret {
		set["secret"] = after.Secret
	}
	if after.Owners != c.Owners {
		set["owners"] = string(after.Owners)
	}
	if len(set) > 0 && after.KeyID != "" {
		// A concurrent job may have re-encrypted the value since it was read. The row must contain
		// the ciphertext that its history row contains.
		set["value"], set["sealed_value"], set["value_key"] = after.Plain, after.Sealed, after.KeyID
	}
	return set
}

// differences names the members in which two versions differ. It counts a new secret value as
// different, so that the result does not disclose whether the values are equal.
func (c *Config) differences(after *Config) []string {
	names := make([]string, 0, 7)
	for _, member := range []struct {
		name    string
		differs bool
	}{
		{ownerMember, after.Owners != c.Owners},
		{"protected", after.Protected != c.Protected},
		{"remark", after.Remark != c.Remark},
		{"schema", !strictjson.Same(after.Schema, c.Schema)},
		{"secret", after.Secret != c.Secret},
		{"value", !strictjson.Same(after.Value, c.Value) || after.hasNewValue && c.isConfidential()},
		{"valueType", after.ValueType != c.ValueType},
	} {
		if member.differs {
			names = append(names, member.name)
		}
	}
	return names
}

// stale returns VersionConflict, built from the committed rows after the rollback.
func (s *Service) stale(row *Config, ifMatch guard.Precondition) error {
	return uow.Explain(func(ctx context.Context) error {
		return s.editable(ctx).Conflict(ctx, row.ID, change.Edit{IfMatch: ifMatch})
	})
}
