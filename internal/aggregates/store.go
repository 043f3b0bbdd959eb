package aggregates

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// find returns an aggregate, with ID and version 0 if it has no events.
func find(db *gorm.DB, name Name) (*Aggregate, error) {
	var rows []Aggregate
	if err := db.Where("type = ? AND name = ?", name.Type, name.ID).Limit(1).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read aggregate: %w", err)
	}
	if len(rows) == 0 {
		return &Aggregate{Type: name.Type, Name: name.ID}, nil
	}
	return &rows[0], nil
}

// findExisting returns an aggregate. Errors: NotFound if it has no events.
func findExisting(db *gorm.DB, name Name) (*Aggregate, error) {
	a, err := find(db, name)
	if err != nil {
		return nil, err
	}
	if a.ID == 0 {
		return nil, apperr.MissingRow("aggregate", name.String())
	}
	return a, nil
}

// forUpdate makes find and findExisting lock the row until the unit ends, so that writers also run
// one after the other if their lock was lost:
//
//	SELECT * FROM aggregates WHERE tenant_id = ? AND type = ? AND name = ? FOR UPDATE
func forUpdate(tx *gorm.DB) *gorm.DB {
	return tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}) //nolint:forbidigo // the version decides, in advance
}

// insertEvents inserts the events of an aggregate's current version.
func insertEvents(ctx context.Context, u *uow.Unit, a *Aggregate, rows []Event) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	p, _ := principal.From(ctx)
	for i := range rows {
		e := &rows[i]
		e.AggregateID, e.Version, e.BatchVersion = a.ID, a.Version-int64(len(rows)-1-i), a.Version
		e.CreatedBy, e.CreatedByName, e.CreatedTime = p.UserID, p.Name, u.Now()
	}
	err = storage.InsertDeferred(tx, rows...)
	for _, key := range []string{"uq_aggregate_events_version", "uq_aggregate_events_seq", "uq_aggregate_events_event"} {
		if storage.IsDuplicate(err, key) {
			return changedConcurrently()
		}
	}
	if err != nil {
		return fmt.Errorf("insert events: %w", err)
	}
	return nil
}

const advanceWriterUpdate = `UPDATE aggregate_writers SET last_seq = ? WHERE tenant_id = ? AND aggregate_id = ? AND client_id = ? AND last_seq < ?`

// advanceWriter increases a client's highest sequence with advanceWriterUpdate; its first sequence
// inserts the row. The unit has locked the aggregate's row.
func advanceWriter(tx *gorm.DB, a *Aggregate, client string, before, now *int64) error {
	switch {
	case now == nil || before != nil && *now <= *before:
		return nil
	case before == nil:
		if err := storage.InsertDeferred(tx, writer{AggregateID: a.ID, ClientID: client, LastSeq: *now}); err != nil {
			return fmt.Errorf("insert a writer: %w", err)
		}
		return nil
	}
	if err := storage.ExecDeferred(tx, advanceWriterUpdate, *now, a.TenantID, a.ID, client, *now); err != nil {
		return fmt.Errorf("advance a writer: %w", err)
	}
	return nil
}

// writersQuery reads the writers and, in the same statement, the aggregate's version.
const writersQuery = `SELECT w.client_id, w.last_seq, a.version FROM aggregate_writers w
	JOIN aggregates a ON a.tenant_id = w.tenant_id AND a.id = w.aggregate_id
	WHERE w.tenant_id = ? AND w.aggregate_id = ?`

// writersOf returns the highest sequences of an aggregate's writers. same is false if the aggregate
// has a newer version than a.
func writersOf(db *gorm.DB, a *Aggregate) (writers map[string]int64, same bool, err error) {
	var rows []struct {
		ClientID         string
		LastSeq, Version int64
	}
	if err := db.Raw(writersQuery, a.TenantID, a.ID).Scan(&rows).Error; err != nil {
		return nil, false, fmt.Errorf("read writers: %w", err)
	}
	writers = make(map[string]int64, len(rows))
	for _, row := range rows {
		if row.Version != a.Version {
			return nil, false, nil
		}
		writers[row.ClientID] = row.LastSeq
	}
	return writers, true, nil
}

// lockedWriters returns the highest sequences of an aggregate that the unit has locked.
func lockedWriters(tx *gorm.DB, a *Aggregate) (map[string]int64, error) {
	var rows []writer
	if err := tx.Where("aggregate_id = ?", a.ID).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read writers: %w", err)
	}
	writers := make(map[string]int64, len(rows))
	for _, row := range rows {
		writers[row.ClientID] = row.LastSeq
	}
	return writers, nil
}

// eachEvent calls fn with the events of an aggregate, in order.
func eachEvent(tx *gorm.DB, a *Aggregate, fn func(*Event) error) error {
	const page = 500
	for after := int64(0); ; {
		var rows []Event
		err := tx.Where("aggregate_id = ? AND version > ?", a.ID, after).Order("version").Limit(page).Find(&rows).Error
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		for i := range rows {
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
		if len(rows) < page {
			return nil
		}
		after = rows[len(rows)-1].Version
	}
}

func replaceWriters(tx *gorm.DB, a *Aggregate, writers map[string]int64) error {
	const statement = "DELETE FROM aggregate_writers WHERE tenant_id = ? AND aggregate_id = ?"
	if err := tx.Exec(statement, a.TenantID, a.ID).Error; err != nil {
		return fmt.Errorf("delete writers: %w", err)
	}
	rows := make([]writer, 0, len(writers))
	for client, seq := range writers {
		rows = append(rows, writer{AggregateID: a.ID, ClientID: client, LastSeq: seq})
	}
	slices.SortFunc(rows, func(a, b writer) int { return strings.Compare(a.ClientID, b.ClientID) })
	if err := storage.InsertDeferred(tx, rows...); err != nil {
		return fmt.Errorf("insert writers: %w", err)
	}
	return nil
}
