package config

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

// Action is the action that made a version.
type Action string

// The actions.
const (
	Created Action = "create"
	Updated Action = "update"
	// Overwritten is an update that destroyed changes which others made after its author read the
	// config.
	Overwritten Action = "overwrite"
	RolledBack  Action = "rollback"
	Deleted     Action = "delete"
)

// Enum returns the actions.
func (Action) Enum() []string {
	return []string{string(Created), string(Updated), string(Overwritten), string(RolledBack), string(Deleted)}
}

// History is one version of a config, with its full content.
type History struct {
	// ID is unique over all configs of all tenants.
	ID       int64
	TenantID int64
	// ConfigID is the row of this version. A key that was deleted and created again has another
	// row.
	ConfigID int64
	Key      string
	Version  int64
	Action   Action
	Content
	Stored
	Owners ownersText
	// ApprovalID is the approval that made the version; 0 for none.
	ApprovalID    int64
	Note          string
	ChangedBy     int64
	ChangedByName string
	ChangedTime   time.Time

	vault *vault
}

// TableName implements gorm's Tabler.
func (History) TableName() string { return "config_histories" }

func (h History) ref() guard.Ref { return guard.Ref{ID: h.ConfigID, Version: h.Version} }

func (h History) changedBy() principal.Person {
	return principal.Person{ID: h.ChangedBy, Name: h.ChangedByName}
}

// config returns the row at this version. It uses only the immutable members of row.
func (h History) config(row *Config) *Config {
	then := &Config{Row: row.Row, Key: row.Key, Content: h.Content, Stored: h.Stored, Owners: h.Owners, vault: h.vault}
	then.Version, then.UpdatedTime = h.Version, h.ChangedTime
	then.UpdatedBy, then.UpdatedByName = h.ChangedBy, h.ChangedByName
	return then
}
