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
	"interlock/internal/core/changelog"
	"interlock/internal/core/uow"
)

const (
	// exportPage is the number of entries per read.
	exportPage = 500
	// maxExported and maxExportSize bound the entries and the bytes of an export; the
	// entry that exceeds the size is the last.
	maxExported, maxExportSize = 5000, 4 << 20
)

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
	if _, err := changelog.Number(ctx, l.db, p.TenantID); err != nil {
		return nil, exportEnd{}, fmt.Errorf("number the audit log: %w", err)
	}
	err = l.db.Snapshot(ctx, func(tx *gorm.DB) error {
		now, err := changelog.EndOf(tx.WithContext(storage.AcrossTenants(ctx)), p.TenantID)
		if err != nil {
			return err
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
func exportBehind(ctx context.Context, tx *gorm.DB, after *Cursor, now changelog.End) (lines []byte, end exportEnd, err error) {
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

// NumberLogs numbers the committed entries of all logs with a follower; see changelog.NumberAll.
func (l *Log) NumberLogs(ctx context.Context) (complete bool, err error) {
	return changelog.NumberAll(ctx, l.db)
}
