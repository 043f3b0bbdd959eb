package audit

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/uow"
)

// The entries of an exported tenant are a numbered log: each committed entry has a position
// 1, 2, 3, … in commit order, without gaps. Entries are inserted without a position,
// because ids are assigned before the commit: a late commit has a lower id than entries that were
// read before it. An export first numbers the committed entries, under the lock of the tenant's
// counter (see storage.SequencedLog), so a position becomes visible only together with all lower
// ones. A tenant without an export has no counter, and its entries have no positions.

const (
	// exportPage is the number of entries per read.
	exportPage = 500
	// maxExported and maxExportSize bound the entries and the bytes of an export; the
	// entry that exceeds the size is the last.
	maxExported, maxExportSize = 5000, 4 << 20
)

// counterOf and floorOf name counters of a tenant's log: the last assigned position, and the
// highest position of an entry that retention removed.
func counterOf(tenant int64) string { return "audit:" + strconv.FormatInt(tenant, 10) }
func floorOf(tenant int64) string   { return "audit-floor:" + strconv.FormatInt(tenant, 10) }

// Cursor is the position of an export in a tenant's log.
type Cursor struct {
	// Epoch is the history of the database that was read.
	Epoch epoch.Epoch
	// Place is the position of the last entry, and Floor the highest removed position at that time.
	Place, Floor int64
}

var (
	_ encoding.TextMarshaler   = Cursor{}
	_ encoding.TextUnmarshaler = (*Cursor)(nil)
)

// MarshalText implements encoding.TextMarshaler.
func (c Cursor) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s-%d-%d", c.Epoch, c.Place, c.Floor), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Cursor) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), "-")
	if len(text) > 128 || len(parts) < 3 {
		return errCursor
	}
	numbers := [2]int64{}
	for i := range numbers {
		n, err := strconv.ParseInt(parts[len(parts)-2+i], 10, 64)
		if err != nil || n < 0 {
			return errCursor
		}
		numbers[i] = n
	}
	*c = Cursor{epoch.Epoch(strings.Join(parts[:len(parts)-2], "-")), numbers[0], numbers[1]}
	return nil
}

var errCursor = errors.New("must be a cursor, from the last line of an export")

// Reasons why an export cannot resume.
const (
	// goneRemoved: retention removed entries after the cursor before they were exported.
	// The export resumes with the first remaining entry after the cursor.
	goneRemoved = "removed"
	// goneRestored: the database was restored or replaced. The export starts again with the
	// first entry, so that earlier entries are exported again.
	goneRestored = "restored"
)

// exportEnd is the last line of an export.
type exportEnd struct {
	// Cursor is the start of the next export.
	Cursor  Cursor `json:"cursor"`
	Entries int    `json:"entries"`
	// More is set if more entries are available.
	More bool `json:"more"`
	// Gone is set if the export could not resume at the requested cursor; it then contains no
	// entries.
	Gone string `json:"gone,omitempty"`
}

// logEnd is the state of a tenant's log at a point in time.
type logEnd struct {
	Epoch       epoch.Epoch
	Last, Floor int64
}

// Export returns the entries of the caller's tenant after a cursor, nil for all, in commit
// order: one line of JSON each, and a last line with the next cursor. A reader that uses
// the cursors gets each entry once, however late it was committed.
//
// The end of the log, its floor and the entries come from one snapshot: an entry that
// retention removes concurrently is in the export or, by the floor, reported as removed.
func (l *Log) Export(ctx context.Context, after *Cursor) (lines []byte, end exportEnd, err error) {
	p, ok := principal.From(ctx)
	if !ok {
		return nil, exportEnd{}, storage.ErrNoTenant
	}
	if _, err := l.number(ctx, p.TenantID); err != nil {
		return nil, exportEnd{}, fmt.Errorf("number the audit log: %w", err)
	}
	err = l.db.Snapshot(ctx, func(tx *gorm.DB) error {
		now, err := endOf(tx.WithContext(storage.AcrossTenants(ctx)), p.TenantID)
		if err != nil {
			return fmt.Errorf("read the end of the audit log: %w", err)
		}
		lines, end, err = exportBehind(ctx, tx, after, now)
		return err
	})
	if err != nil {
		return nil, exportEnd{}, err
	}
	line, err := strictjson.Encode(end)
	return append(append(lines, line...), '\n'), end, err
}

// exportBehind returns the entries after a cursor of a log with that end, and the last
// line.
func exportBehind(ctx context.Context, tx *gorm.DB, after *Cursor, now logEnd) (lines []byte, end exportEnd, err error) {
	end.Cursor = Cursor{Epoch: now.Epoch, Floor: now.Floor}
	switch {
	case after == nil:
	case after.Epoch != now.Epoch || after.Place > now.Last:
		end.More, end.Gone = now.Last > 0, goneRestored
		return nil, end, nil
	default:
		end.Cursor.Place = after.Place
		if now.Floor > max(after.Place, after.Floor) {
			end.More, end.Gone = now.Last > after.Place, goneRemoved
			return nil, end, nil
		}
	}
	for end.Entries < maxExported && len(lines) < maxExportSize {
		var rows []placed
		err := tx.Where("place > ? AND place <= ?", end.Cursor.Place, now.Last).Order("place").Limit(exportPage).Find(&rows).Error
		if err != nil {
			return nil, end, fmt.Errorf("export audit entries: %w", err)
		}
		for _, row := range rows {
			line, err := strictjson.Encode(forReader(ctx, entryOf(row.AuditRow)))
			if err != nil {
				return nil, end, err
			}
			lines = append(append(lines, line...), '\n')
			end.Entries++
			if end.Cursor.Place = row.Place; len(lines) >= maxExportSize {
				break
			}
		}
		if len(rows) < exportPage {
			break
		}
	}
	end.More = now.Last > end.Cursor.Place && end.Entries > 0
	return lines, end, nil
}

// placed is an entry with its position.
type placed struct {
	uow.AuditRow
	Place int64
}

// number numbers the committed entries of a tenant, somewhat more than one export contains,
// and reports whether all are numbered. It writes only if there are entries to number.
func (l *Log) number(ctx context.Context, tenant int64) (whole bool, err error) {
	everywhere := storage.AcrossTenants(ctx)
	numbered, err := l.isNumbered(everywhere, tenant)
	if err != nil || numbered {
		return numbered, err
	}
	log := storage.SequencedLog{Table: "audit_entries", Counter: counterOf(tenant), Next: func(tx *gorm.DB, most int) (ids []int64, err error) {
		err = tx.Raw("SELECT id FROM audit_entries WHERE tenant_id = ? AND place IS NULL ORDER BY id LIMIT ?", tenant, most).Scan(&ids).Error
		return ids, err
	}}
	whole, err = l.db.Sequence(everywhere, log, 2*maxExported)
	if !errors.Is(err, storage.ErrNoCounter) {
		return whole, err
	}
	const insert = "INSERT INTO log_places (name, last) SELECT ?, 0 FROM installation WHERE id = 1 AND NOT EXISTS (SELECT 1 FROM log_places WHERE name = ?)"
	err = l.db.Write(everywhere).Exec(insert, log.Counter, log.Counter).Error
	if err != nil && !storage.Is(err, storage.DuplicateKey) {
		return false, err
	}
	return l.db.Sequence(everywhere, log, 2*maxExported)
}

// isNumbered reports whether a tenant has a counter and all its entries have a position.
func (l *Log) isNumbered(ctx context.Context, tenant int64) (numbered bool, err error) {
	const statement = `SELECT COUNT(*) > 0 AND NOT EXISTS (SELECT 1 FROM audit_entries WHERE tenant_id = ? AND place IS NULL)
		FROM log_places WHERE name = ?`
	err = l.db.Read(ctx).Raw(statement, tenant, counterOf(tenant)).Scan(&numbered).Error
	return numbered, err
}

// endOf reads the end of a tenant's log.
func endOf(tx *gorm.DB, tenant int64) (logEnd, error) {
	const statement = `SELECT epoch, COALESCE((SELECT last FROM log_places WHERE name = ?), 0) AS last,
		COALESCE((SELECT last FROM log_places WHERE name = ?), 0) AS floor FROM installation WHERE id = 1`
	var found []logEnd
	err := tx.Raw(statement, counterOf(tenant), floorOf(tenant)).Scan(&found).Error
	if err == nil && len(found) != 1 {
		err = errors.New("audit: the installation has no epoch")
	}
	if err != nil {
		return logEnd{}, err
	}
	return found[0], nil
}

// NumberLogs numbers the committed entries of all exported logs. Retention removes an entry
// of such a log only if it has a position, so that the loss can be reported to the exporter. A
// failure for one log does not stop the others. NumberLogs reports whether all entries of
// all these logs have a position.
func (l *Log) NumberLogs(ctx context.Context) (whole bool, err error) {
	ctx = storage.AcrossTenants(ctx)
	var names []string
	if err := l.db.Read(ctx).Raw("SELECT name FROM log_places WHERE name LIKE 'audit:%'").Scan(&names).Error; err != nil {
		return false, fmt.Errorf("find exported audit logs: %w", err)
	}
	whole = true
	var failed error
	for _, name := range names {
		tenant, err := strconv.ParseInt(strings.TrimPrefix(name, "audit:"), 10, 64)
		settled := false
		if err == nil {
			settled, err = l.number(ctx, tenant)
		}
		whole = whole && settled
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("number the log %s: %w", name, err))
		}
	}
	return whole, failed
}
