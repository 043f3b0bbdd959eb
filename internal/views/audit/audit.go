// Package audit reads the audit log. Package uow writes the rows of the log, each in the
// transaction of the mutation that it describes. Rows are never changed.
package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// ReadPermission is required to read the audit log.
const ReadPermission = "audit:read"

// Filter selects entries. Zero members select all.
type Filter struct {
	// Resource is a path, such as "configs/checkout.tax", or a prefix that ends in "/". It also
	// selects the entries that are filed under this path, see uow.Unit.AuditUnder.
	Resource string
	// Actor is the name or the id of an actor; the id 0 is the program.
	Actor string
	// Actions selects entries with one of these actions.
	Actions []string
	From    *time.Time
	To      *time.Time
}

var sorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

// Log is the audit log of all tenants; a caller reads its tenant's.
type Log struct{ db *storage.DB }

// NewLog returns the log in db.
func NewLog(db *storage.DB) *Log { return &Log{db: db} }

// List returns one page of entries, newest first by default.
func (l *Log) List(ctx context.Context, filter Filter, page storage.Page) (storage.Listing[uow.AuditRow], error) {
	caller, _ := principal.From(ctx)
	filters, order := filter.filters(caller.TenantID)
	return storage.List[uow.AuditRow](l.db.Read(ctx), page, order, filters...)
}

// filters returns the filters of the list, the most selective one first, and its sort
// orders.
func (f Filter) filters(tenant int64) (filters []storage.Filter, order storage.Sorts) {
	if f.Resource != "" {
		filters = append(filters, storage.Either(
			storage.Equal("resource", f.Resource), storage.HasPrefix("resource", under(f.Resource)), filedUnder(tenant, f.Resource)))
	}
	if f.Actor != "" {
		filters = append(filters, actedBy(f.Actor))
	}
	if len(f.Actions) > 0 {
		done := make([]storage.Filter, len(f.Actions))
		for i, action := range f.Actions {
			done[i] = storage.Equal("action", action)
		}
		filters = append(filters, storage.Either(done...))
	}
	period := storage.Created(f.From, f.To)
	return append(filters, period), sorts.Within(period)
}

// filedUnder selects the entries that have a target at a path or below it.
func filedUnder(tenant int64, resource string) storage.Filter {
	below := under(resource)
	return storage.InDistinctSubquery("SELECT DISTINCT t.entry_id FROM audit_targets t WHERE t.tenant_id = ? AND (t.resource = ? OR t.resource >= ? AND t.resource < ?)",
		tenant, resource, below, storage.PrefixEnd(below))
}

// maxScanned bounds the entries that Latest reads, and folded the entries that it folds.
const maxScanned, folded = 1000, 200

// Folded is an entry and the number of older repeated entries that it represents.
type Folded struct {
	Entry
	// The number of older entries that it represents, of the 200 that were scanned.
	More int64 `json:"more" validate:"min=0"`
}

// SchemaName returns the name of the type in the contract.
func (Folded) SchemaName() string { return "RecentChange" }

// sessions and requests are the resources of sign-ins and sign-outs, and of rejected
// requests.
const sessions, requests = "session", "request"

// Latest returns at most limit of the newest entries, without sign-ins, sign-outs and
// rejected requests, which are frequent and change nothing. Repeated actions of a machine
// on one resource are folded into the newest one. It folds the newest 200 of the newest
// 1,000 entries, and reads the details only of those that it returns.
func (l *Log) Latest(ctx context.Context, limit int) ([]Folded, error) {
	var rows []uow.AuditRow
	err := l.db.Read(ctx).Select("id", "actor_kind", "actor_id", "actor_name", "action", "resource").
		Order("id DESC").Limit(maxScanned).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the newest audit entries: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(row uow.AuditRow) bool { return row.Resource == sessions || row.Resource == requests })
	ids, more := fold(rows[:min(len(rows), folded)], limit)
	var shown []uow.AuditRow
	if err := l.db.Read(ctx).Where("id IN ?", ids).Order("id DESC").Find(&shown).Error; err != nil {
		return nil, fmt.Errorf("read the audit entries to show: %w", err)
	}
	entries := make([]Folded, len(shown))
	for i, row := range shown {
		entries[i] = Folded{Entry: forReader(ctx, entryOf(row)), More: more[row.ID]}
	}
	return entries, nil
}

// fold returns the ids of the entries, newest first, that represent all of them, at most
// limit, and the number of entries that each represents.
func fold(rows []uow.AuditRow, limit int) (ids []int64, more map[int64]int64) {
	type deed struct{ kind, id, name, action, resource string }
	newest := make(map[deed]int64)
	more = make(map[int64]int64)
	for _, row := range rows {
		done := deed{row.ActorKind, row.ActorID, row.ActorName, row.Action, row.Resource}
		first, seen := newest[done]
		switch {
		case row.ActorKind != string(principal.Admin) && seen:
			more[first]++
		case len(ids) < limit:
			newest[done] = row.ID
			ids = append(ids, row.ID)
		}
	}
	return ids, more
}

// actedBy selects by an actor's name or id. MySQL compares an ASCII column only with ASCII
// text, so the id is compared only if the text can be one.
func actedBy(actor string) storage.Filter {
	named := storage.Equal("actor_name", actor)
	if !principal.CustomerID(actor).Valid() {
		return named
	}
	return storage.Either(named, storage.Equal("actor_id", actor))
}

// under returns the prefix of the paths below a resource.
func under(resource string) string {
	if resource[len(resource)-1] == '/' {
		return resource
	}
	return resource + "/"
}
