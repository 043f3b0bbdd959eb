// Package audit reads the audit log. Its rows are written by package uow, each in
// the transaction of the mutation that it tells of, and are never changed.
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

// ReadPermission is what it takes to read the audit log.
const ReadPermission = "audit:read"

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "Read the audit log: who changed what, and when."},
}

// Filter selects entries. Zero members select all.
type Filter struct {
	// Resource is a path, "configs/checkout.tax", or a prefix that ends in "/".
	Resource string
	// Actor is an actor's name or its id: 0 is the program itself.
	Actor string
	// Actions are those of which an entry has one.
	Actions []string
	From    *time.Time
	To      *time.Time
}

var sorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

// Log is the audit log of all tenants; a reader sees its own.
type Log struct{ db *storage.DB }

// NewLog returns the log kept in db.
func NewLog(db *storage.DB) *Log { return &Log{db: db} }

// List returns one page of entries, newest first unless asked otherwise.
func (l *Log) List(ctx context.Context, filter Filter, page storage.Page) (storage.Listing[uow.AuditRow], error) {
	filters, order := filter.filters()
	return storage.List[uow.AuditRow](l.db.Read(ctx), page, order, filters...)
}

// filters are those of the list, the one that tends to leave fewest entries first, and how
// it is sorted.
func (f Filter) filters() (filters []storage.Filter, order storage.Sorts) {
	if f.Resource != "" {
		filters = append(filters, storage.Either(storage.Equal("resource", f.Resource), storage.HasPrefix("resource", under(f.Resource))))
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

// lookedAt bounds how many entries Latest reads, and folded how many it folds of those that
// are shown.
const lookedAt, folded = 1000, 200

// Folded is an entry that stands for others of its kind too.
type Folded struct {
	Entry
	// More is how many older entries it stands for, of the 200 that were folded.
	More int64 `json:"more"`
}

// sessions and requests are the resources of signing in and out, and of what was refused.
const sessions, requests = "session", "request"

// Latest returns the newest entries, at most limit of them, without those of signing in
// and out and of refusals: there are many, and they change nothing. What a machine does over and over, one
// action on one resource, is one entry, the newest of them. It folds the newest 200 among the
// newest 1,000, and reads what they changed only of those that it returns.
func (l *Log) Latest(ctx context.Context, limit int) ([]Folded, error) {
	var rows []uow.AuditRow
	err := l.db.Read(ctx).Select("id", "actor_kind", "actor_id", "actor_name", "action", "resource").
		Order("id DESC").Limit(lookedAt).Find(&rows).Error
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

// fold returns which of the entries, newest first, stand for all of them, at most limit,
// and how many others each stands for.
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

// actedBy selects by an actor's name or id. MySQL compares a column of ASCII with no other
// text, so it is asked for an id only where the text can be one.
func actedBy(actor string) storage.Filter {
	named := storage.Equal("actor_name", actor)
	if !principal.CustomerID(actor).Valid() {
		return named
	}
	return storage.Either(named, storage.Equal("actor_id", actor))
}

// under returns the prefix of what lies below a resource.
func under(resource string) string {
	if resource[len(resource)-1] == '/' {
		return resource
	}
	return resource + "/"
}
