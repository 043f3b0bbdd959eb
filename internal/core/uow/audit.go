package uow

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
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
	ActorID      string
	ActorName    string
	CredentialID string
	// Via is the API token that it was done with, and the token's creator.
	principal.Via
	// OnBehalfOf is the customer for whom a token acted; nil when it acted for itself.
	OnBehalfOf *principal.CustomerID
	// IdempotencyKey is that of the request; "" without one.
	IdempotencyKey string
	Action         string
	Resource       string
	Detail         json.RawMessage `gorm:"type:json;serializer:json"`
	Note           string
	CreatedTime    time.Time
}

// TableName implements gorm's Tabler.
func (AuditRow) TableName() string { return "audit_entries" }

const insertAudit = `INSERT INTO audit_entries (tenant_id, unit_id, request_id, actor_kind, actor_id, actor_name,
	credential_id, token_id, creator_id, creator_name, on_behalf_of, idempotency_key, action, resource, detail, note, created_time)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// auditKey is the unique key over a unit and what it changed.
const auditKey = "uq_audit_entries_unit"

// actionTombstone is the action of a tombstone: a row where the audit row of a unit would be that
// was not committed. It belongs to no tenant, and nobody is shown it.
const actionTombstone = "unit.lost"

// tombstoneLife is for how long a tombstone is needed: until no statement of the unit can be on its way
// any more. That takes seconds, or as long as the thread of one connection is not scheduled.
const tombstoneLife = time.Hour

// insertTombstone adds a row where the unit's first audit row would be. It has what the unique key is over
// and says nothing of who acted. Errors: a duplicate of auditKey when there is one.
func (u *Unit) insertTombstone(db *gorm.DB) error {
	if u.entry == nil {
		return nil
	}
	return db.Exec(insertAudit, 0, u.id, "", "", "", "", "", 0, 0, "", nil, "", actionTombstone, u.entry.Resource, "{}", "", u.now).Error
}

// AnonymizeTombstones has tombstones that are not needed any more name nothing: a resource may be a
// customer's, whose erasure does not find it in a row of no tenant. It changes so many at the most.
// Retention removes them with the audit entries of their age.
//
//	UPDATE audit_entries SET resource = '' WHERE tenant_id = 0 AND action = 'unit.lost' AND resource <> '' AND created_time < ? LIMIT ?
func (r *Runner) AnonymizeTombstones(ctx context.Context, limit int) error {
	if r.db.Dialect == storage.SQLite {
		return nil // which inserts none, see probeAuditRow
	}
	const statement = "UPDATE audit_entries SET resource = '' WHERE tenant_id = 0 AND action = ? AND resource <> '' AND created_time < ? LIMIT ?"
	err := r.db.Write(storage.AcrossTenants(ctx)).Exec(statement, actionTombstone, r.clock.Now().Add(-tombstoneLife), limit).Error
	if err != nil {
		return fmt.Errorf("anonymize tombstones: %w", r.db.Classify(err))
	}
	return nil
}

// nameOf is what the audit log calls an actor.
func nameOf(actor principal.Principal) string {
	if actor.OperatingUser == "" {
		return actor.Name
	}
	return actor.Name + " (" + actor.OperatingUser + ")"
}

// writeAudit adds an audit row of the unit.
func (u *Unit) writeAudit(ctx context.Context, entry *Entry) error {
	actor, ok := principal.From(ctx)
	if !ok {
		return storage.ErrNoTenant
	}
	detail := []byte("{}")
	if entry.Detail != nil {
		var err error
		if detail, err = strictjson.Encode(entry.Detail); err != nil {
			return fmt.Errorf("encode the audit detail: %w", err)
		}
	}
	var onBehalfOf *principal.CustomerID
	if actor.OnBehalfOf != "" {
		onBehalfOf = &actor.OnBehalfOf
	}
	err := storage.ExecDeferred(u.tx, insertAudit, actor.TenantID, u.id, principal.Request(ctx), string(actor.Kind), actor.ActorID(),
		nameOf(actor), actor.CredentialID, actor.Via.TokenID, actor.Via.CreatorID, actor.Via.CreatorName, onBehalfOf, principal.IdempotencyKey(ctx), entry.Action, entry.Resource, string(detail), entry.Note, u.now)
	if err != nil {
		return fmt.Errorf("write the audit row: %w", err)
	}
	return nil
}
