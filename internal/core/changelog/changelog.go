// Package changelog reads the audit log as a log of changes: each committed entry of a tenant has a
// position 1, 2, 3, … in commit order, without gaps.
//
// Entries are inserted without a position, because ids are assigned before the commit: a late commit
// has a lower id than entries that were read before it. A follower first calls Number, which numbers
// the committed entries under the lock of the tenant's counter (see storage.SequencedLog), so a
// position becomes visible only together with all lower ones. A tenant without a follower has no
// counter, and its entries have no positions.
package changelog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// maxSequenced is the number of entries that one call of Number numbers, rounded up to a page.
const maxSequenced = 10_000

// counterOf and floorOf name counters of a tenant's log: the last assigned position, and the
// highest position of an entry that retention removed.
func counterOf(tenant int64) string { return "audit:" + strconv.FormatInt(tenant, 10) }
func floorOf(tenant int64) string   { return "audit-floor:" + strconv.FormatInt(tenant, 10) }

// End is the state of a tenant's log at a point in time.
type End struct {
	// Epoch is the history of the database that was read.
	Epoch epoch.Epoch
	// Last is the last position, and Floor the highest position of a removed entry.
	Last, Floor int64
}

// Number numbers the committed entries of a tenant, at least maxSequenced or all, and reports whether
// all have a position. It writes only if an entry has none.
func Number(ctx context.Context, db *storage.DB, tenant int64) (complete bool, err error) {
	everywhere := storage.AcrossTenants(ctx)
	complete, err = isSequenced(everywhere, db, tenant)
	if err != nil || complete {
		return complete, err
	}
	log := storage.SequencedLog{Table: "audit_entries", Counter: counterOf(tenant), Next: func(tx *gorm.DB, most int) (ids []int64, err error) {
		err = tx.Raw("SELECT id FROM audit_entries WHERE tenant_id = ? AND place IS NULL ORDER BY id LIMIT ?", tenant, most).Scan(&ids).Error
		return ids, err
	}}
	complete, err = db.Sequence(everywhere, log, maxSequenced)
	if !errors.Is(err, storage.ErrNoCounter) {
		return complete, err
	}
	const insert = "INSERT INTO log_places (name, last) SELECT ?, 0 FROM installation WHERE id = 1 AND NOT EXISTS (SELECT 1 FROM log_places WHERE name = ?)"
	err = db.Write(everywhere).Exec(insert, log.Counter, log.Counter).Error
	if err != nil && !storage.Is(err, storage.DuplicateKey) {
		return false, err
	}
	return db.Sequence(everywhere, log, maxSequenced)
}

// isSequenced reports whether a tenant has a counter and all its entries have a position.
func isSequenced(ctx context.Context, db *storage.DB, tenant int64) (sequenced bool, err error) {
	const statement = `SELECT COUNT(*) > 0 AND NOT EXISTS (SELECT 1 FROM audit_entries WHERE tenant_id = ? AND place IS NULL)
		FROM log_places WHERE name = ?`
	err = db.Read(ctx).Raw(statement, tenant, counterOf(tenant)).Scan(&sequenced).Error
	return sequenced, err
}

// NumberAll calls Number for each log with a follower. Retention removes an entry of such a log only
// if it has a position, so that the loss can be reported to the follower. A failure for one log does
// not stop the others. NumberAll reports whether all entries of all these logs have a position.
func NumberAll(ctx context.Context, db *storage.DB) (complete bool, err error) {
	ctx = storage.AcrossTenants(ctx)
	var names []string
	if err := db.Read(ctx).Raw("SELECT name FROM log_places WHERE name LIKE 'audit:%'").Scan(&names).Error; err != nil {
		return false, fmt.Errorf("find followed audit logs: %w", err)
	}
	complete = true
	var failed error
	for _, name := range names {
		tenant, err := strconv.ParseInt(strings.TrimPrefix(name, "audit:"), 10, 64)
		settled := false
		if err == nil {
			settled, err = Number(ctx, db, tenant)
		}
		complete = complete && settled
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("number the log %s: %w", name, err))
		}
	}
	return complete, failed
}

// EndOf reads the end of a tenant's log.
func EndOf(tx *gorm.DB, tenant int64) (End, error) {
	const statement = `SELECT epoch, COALESCE((SELECT last FROM log_places WHERE name = ?), 0) AS last,
		COALESCE((SELECT last FROM log_places WHERE name = ?), 0) AS floor FROM installation WHERE id = 1`
	var found []End
	err := tx.Raw(statement, counterOf(tenant), floorOf(tenant)).Scan(&found).Error
	if err == nil && len(found) != 1 {
		err = errors.New("changelog: the installation has no epoch")
	}
	if err != nil {
		return End{}, fmt.Errorf("read the end of the audit log: %w", err)
	}
	return found[0], nil
}

// Entry is an entry of the log with the changes of its unit.
type Entry struct {
	Place       int64
	CreatedTime time.Time
	Changes     []uow.Change
}

// After returns the entries with changes after a position of a tenant's log, in commit order, at most
// limit. until is the position up to which the result is complete: the last returned one, or last if
// there are no more up to it.
func After(ctx context.Context, db *storage.DB, tenant, after, last int64, limit int) (entries []Entry, until int64, err error) {
	var rows []struct {
		Place       int64
		CreatedTime time.Time
		Changes     []byte
	}
	const statement = `SELECT place, created_time, changes FROM audit_entries
		WHERE tenant_id = ? AND place > ? AND place <= ? AND changes IS NOT NULL ORDER BY place LIMIT ?`
	if err := db.Read(storage.AcrossTenants(ctx)).Raw(statement, tenant, after, last, limit).Scan(&rows).Error; err != nil {
		return nil, after, fmt.Errorf("read the log of changes: %w", err)
	}
	entries = make([]Entry, len(rows))
	for i, row := range rows {
		entries[i] = Entry{Place: row.Place, CreatedTime: row.CreatedTime}
		if err := json.Unmarshal(row.Changes, &entries[i].Changes); err != nil {
			return nil, after, fmt.Errorf("decode the changes at position %d of the log: %w", row.Place, err)
		}
	}
	if len(rows) == limit {
		return entries, rows[limit-1].Place, nil
	}
	return entries, max(after, last), nil
}

// At returns the position before the first entry that was created at or after a time, or the last
// position if there is none. Entries are in commit order, so an older one can follow.
func At(tx *gorm.DB, tenant int64, at time.Time, end End) (int64, error) {
	var first *int64
	const statement = "SELECT MIN(place) FROM audit_entries WHERE tenant_id = ? AND created_time >= ? AND place IS NOT NULL"
	if err := tx.Raw(statement, tenant, at).Scan(&first).Error; err != nil {
		return 0, fmt.Errorf("find a time in the log of changes: %w", err)
	}
	if first == nil {
		return end.Last, nil
	}
	return *first - 1, nil
}
