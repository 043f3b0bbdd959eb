package uow

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
)

// Entry describes the effect of a unit for the audit log.
type Entry struct {
	// Action is "<resource>.<verb>", such as "config.update".
	Action string
	// Resource is the path of the changed resource, such as "configs/checkout.tax".
	Resource string
	// Detail is stored as JSON: versions, changed values, overwritten values.
	Detail any
	// Note is the reason provided by the caller, if any.
	Note string
}

// Change is the change of one record by a unit, for the followers of the log.
type Change struct {
	// Topic and Key identify the record: its path is "<Topic>/<Key>". The Key is "" if several records
	// of the topic changed.
	Topic string `json:"topic"`
	Key   string `json:"key,omitempty"`
	// Version and ETag are those after the change. The ETag is "" for a deleted record, and both are
	// zero for several records.
	Version int64  `json:"version,omitempty"`
	ETag    string `json:"etag,omitempty"`
	// Action is the verb of the change, and Status the status after it; "" for a record without one.
	Action string `json:"action"`
	Status string `json:"status,omitempty"`
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
	// Via is the API token that the actor used, and the token's creator; zero without a token.
	principal.Via
	// OnBehalfOf is the customer that a token acted for; nil for none.
	OnBehalfOf *principal.CustomerID
	// IdempotencyKey is the key of the request; "" without one.
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
	credential_id, token_id, creator_id, creator_name, on_behalf_of, idempotency_key, action, resource, detail, changes, note, created_time)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// auditKey is the unique key over the unit and the resource.
const auditKey = "uq_audit_entries_unit"

// actionTombstone is the action of a tombstone: a row with the unique key of the audit row
// of a unit that did not commit. It belongs to no tenant and is never shown.
const actionTombstone = "unit.lost"

// tombstoneTTL is the age at which a tombstone is no longer needed: by then no statement of its
// unit can be in flight. Seconds would usually suffice; the hour covers a database server that
// delays the thread of a connection.
const tombstoneTTL = time.Hour

// insertTombstone inserts a row with the unique key of the unit's first audit row, and
// without its actor. Errors: a duplicate of auditKey if the audit row exists.
func (u *Unit) insertTombstone(db *gorm.DB) error {
	if u.entry == nil {
		return nil
	}
	return db.Exec(insertAudit, 0, u.id, "", "", "", "", "", 0, 0, "", nil, "", actionTombstone, u.entry.Resource, "{}", nil, "", u.now).Error
}

// AnonymizeTombstones clears the resource of expired tombstones: it can name a customer,
// and an erasure does not search rows without a tenant. It changes at most limit rows.
// Retention deletes tombstones with the audit entries of the same age.
//
//	UPDATE audit_entries SET resource = '' WHERE tenant_id = 0 AND action = 'unit.lost' AND resource <> '' AND created_time < ? LIMIT ?
func (r *Runner) AnonymizeTombstones(ctx context.Context, limit int) error {
	if r.db.Dialect == storage.SQLite {
		return nil // SQLite has no tombstones, see probeAuditRow
	}
	const statement = "UPDATE audit_entries SET resource = '' WHERE tenant_id = 0 AND action = ? AND resource <> '' AND created_time < ? LIMIT ?"
	err := r.db.Write(storage.AcrossTenants(ctx)).Exec(statement, actionTombstone, r.clock.Now().Add(-tombstoneTTL), limit).Error
	if err != nil {
		return fmt.Errorf("anonymize tombstones: %w", r.db.Classify(err))
	}
	return nil
}

// nameOf returns the name of an actor in the audit log.
func nameOf(actor principal.Principal) string {
	if actor.OperatingUser == "" {
		return actor.Name
	}
	return actor.Name + " (" + actor.OperatingUser + ")"
}

// writeAudit adds an audit row of the unit, with the changes of records that the unit announced.
func (u *Unit) writeAudit(ctx context.Context, entry *Entry, changes []Change) error {
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
	var announced *string
	if len(changes) > 0 {
		text, err := strictjson.Encode(changes)
		if err != nil {
			return fmt.Errorf("encode the changes of the unit: %w", err)
		}
		announced = new(string(text))
	}
	var onBehalfOf *principal.CustomerID
	if actor.OnBehalfOf != "" {
		onBehalfOf = &actor.OnBehalfOf
	}
	err := storage.ExecDeferred(u.tx, insertAudit, actor.TenantID, u.id, principal.Request(ctx), string(actor.Kind), actor.ActorID(),
		nameOf(actor), actor.CredentialID, actor.Via.TokenID, actor.Via.CreatorID, actor.Via.CreatorName, onBehalfOf, principal.IdempotencyKey(ctx), entry.Action, entry.Resource, string(detail), announced, entry.Note, u.now)
	if err != nil {
		return fmt.Errorf("write the audit row: %w", err)
	}
	return nil
}

const (
	insertTargets = "INSERT INTO audit_targets (tenant_id, resource, entry_id) VALUES "
	// targetValues finds the id of the entry by its unique key, because the unit does not
	// wait for the result of insertAudit.
	targetValues = "(?, ?, (SELECT id FROM audit_entries WHERE unit_id = ? AND resource = ?))"
	// targetsPerStatement is the maximum number of targets per INSERT.
	targetsPerStatement = 200
)

// writeTargets adds the targets of the unit's entry, after its row.
func (u *Unit) writeTargets(ctx context.Context) error {
	actor, _ := principal.From(ctx)
	slices.Sort(u.targets)
	targets := slices.DeleteFunc(slices.Compact(u.targets), func(target string) bool { return target == u.entry.Resource })
	for part := range slices.Chunk(targets, targetsPerStatement) {
		args := make([]any, 0, 4*len(part))
		for _, target := range part {
			args = append(args, actor.TenantID, target, u.id, u.entry.Resource)
		}
		values := strings.Repeat(targetValues+", ", len(part)-1) + targetValues
		if err := storage.ExecDeferred(u.tx, insertTargets+values, args...); err != nil {
			return fmt.Errorf("write the audit targets: %w", err)
		}
	}
	return nil
}
