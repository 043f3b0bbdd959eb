// Package audit reads the audit log. Its rows are written by package uow, each in
// the transaction of the mutation that it tells of, and are never changed.
package audit

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Permissions that this package asks for.
var Permissions = []principal.Grant{
	{Name: "audit:read", Meaning: "Read the audit log: who changed what, and when."},
}

// Filter selects entries. Zero members select all.
type Filter struct {
	// Resource is a path, "configs/checkout.tax", or a prefix that ends in "/".
	Resource string
	// Actor is an actor's name or its id: 0 is the program itself.
	Actor  string
	Action string
	From   time.Time
	To     time.Time
}

// Entry is one mutation as replies show it.
type Entry struct {
	ID        int64           `json:"id"`
	UnitID    string          `json:"unitId"`
	RequestID string          `json:"requestId"`
	Actor     principal.Actor `json:"actor"`
	ActorKind string          `json:"actorKind"`
	// OnBehalfOf is the customer for whom a token acted, or nil.
	OnBehalfOf  *principal.CustomerID `json:"onBehalfOf"`
	Action      string                `json:"action"`
	Resource    string                `json:"resource"`
	Detail      json.RawMessage       `json:"detail"`
	Note        string                `json:"note"`
	CreatedTime time.Time             `json:"createdTime"`
}

var sorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

// Log is the audit log of all tenants; a reader sees its own.
type Log struct{ db *storage.DB }

// NewLog returns the log kept in db.
func NewLog(db *storage.DB) *Log { return &Log{db: db} }

// List returns one page of entries, newest first unless asked otherwise.
func (l *Log) List(ctx context.Context, filter Filter, page storage.Page) (storage.Listing[uow.AuditRow], error) {
	query := l.db.Read(ctx)
	if filter.Resource != "" {
		query = query.Where("resource = ? OR (resource > ? AND resource < ?)", filter.Resource, under(filter.Resource), under(filter.Resource)+"\U0010FFFF")
	}
	if filter.Actor != "" {
		query = actedBy(query, filter.Actor)
	}
	if filter.Action != "" {
		query = query.Where("action = ?", filter.Action)
	}
	if !filter.From.IsZero() {
		query = query.Where("created_time >= ?", filter.From.UTC())
	}
	if !filter.To.IsZero() {
		query = query.Where("created_time < ?", filter.To.UTC())
	}
	return storage.List[uow.AuditRow](query, page, sorts)
}

// Latest returns the newest entries but those of people who sign in and out, who
// would crowd out what they change; at most limit of them.
func (l *Log) Latest(ctx context.Context, limit int) ([]Entry, error) {
	var rows []uow.AuditRow
	if err := l.db.Read(ctx).Where("resource <> ?", "session").Order("id DESC").Limit(limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	entries := make([]Entry, len(rows))
	for i, row := range rows {
		entries[i] = view(row)
	}
	return entries, nil
}

// actedBy selects by an actor's name or id. MySQL compares a column of ASCII with no other
// text, so it is asked for an id only where the text can be one.
func actedBy(query *gorm.DB, actor string) *gorm.DB {
	if !principal.CustomerID(actor).Valid() {
		return query.Where("actor_name = ?", actor)
	}
	return query.Where("(actor_name = ? OR actor_id = ?)", actor, actor)
}

// under returns the prefix of what lies below a resource.
func under(resource string) string {
	if resource[len(resource)-1] == '/' {
		return resource
	}
	return resource + "/"
}

func view(row uow.AuditRow) Entry {
	return Entry{
		ID: row.ID, UnitID: row.UnitID, RequestID: row.RequestID,
		Actor: principal.ActorOf(row.ActorKind, row.ActorID, row.ActorName), ActorKind: row.ActorKind, OnBehalfOf: row.OnBehalfOf,
		Action: row.Action, Resource: row.Resource, Detail: row.Detail, Note: row.Note, CreatedTime: row.CreatedTime,
	}
}
