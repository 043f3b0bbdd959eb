package uow

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/principal"
)

// Entry says what a unit did, for the audit log.
type Entry struct {
	// Action is "<resource>.<verb>", such as "config.update".
	Action string
	// Resource is the path of what was changed, such as "configs/checkout.tax".
	Resource string
	// Detail is kept as JSON: versions, what changed, what was destroyed.
	Detail any
	// Note is the caller's own reason, if it gave one.
	Note string
}

// AuditRow is one row of the audit log.
type AuditRow struct {
	ID           int64
	TenantID     int64
	UnitID       string
	RequestID    string
	ActorKind    string
	ActorID      int64
	ActorName    string
	CredentialID string
	Action       string
	Resource     string
	Detail       json.RawMessage `gorm:"type:json;serializer:json"`
	Note         string
	CreatedTime  time.Time
}

// TableName implements gorm's Tabler.
func (AuditRow) TableName() string { return "audit_entries" }

// writeAudit adds the unit's audit row:
//
//	INSERT INTO audit_entries (tenant_id, unit_id, …) VALUES (…)
func (u *Unit) writeAudit(ctx context.Context, tx *gorm.DB) error {
	actor, _ := principal.From(ctx)
	detail := json.RawMessage("{}")
	if u.entry.Detail != nil {
		raw, err := json.Marshal(u.entry.Detail)
		if err != nil {
			return fmt.Errorf("encode the audit detail: %w", err)
		}
		detail = raw
	}
	row := AuditRow{
		UnitID:       u.id,
		RequestID:    principal.Request(ctx),
		ActorKind:    string(actor.Kind),
		ActorID:      actor.UserID,
		ActorName:    actor.Name,
		CredentialID: actor.CredentialID,
		Action:       u.entry.Action,
		Resource:     u.entry.Resource,
		Detail:       detail,
		Note:         u.entry.Note,
		CreatedTime:  u.now,
	}
	if err := tx.WithContext(ctx).Create(&row).Error; err != nil {
		return fmt.Errorf("write the audit row: %w", err)
	}
	return nil
}
