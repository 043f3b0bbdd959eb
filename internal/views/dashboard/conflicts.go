package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/apperr"
	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

const (
	// flushEvery is the maximum delay of a conflict on the dashboard.
	flushEvery = 3 * time.Second
	// retentionDays is the retention of counts in days.
	retentionDays = 90
	// maxRecords is the number of cached records per count.
	maxRecords = 5
)

// dayFormat is how a day is stored, in UTC.
const dayFormat = time.DateOnly

// Conflicts counts the rejected writes to one resource with one code.
type Conflicts struct {
	// The first segment of the paths: `configs`, `config-batches`.
	Resource string      `json:"resource" validate:"required"`
	Code     apperr.Code `json:"code" validate:"oneof=version_conflict status_changed transition_not_allowed batch_conflict already_exists"`
	Count    int64       `json:"count" validate:"min=1"`
	// Paths of the records of the last conflicts, newest first, as far as the server of the reply has seen them since it
	// started.
	Records []string `json:"records" validate:"max=5,dive,required"`
}

// SchemaName returns the name of the type in the contract.
func (Conflicts) SchemaName() string { return "ConflictCount" }

// ConflictLog counts conflicts for each tenant, day, resource and code.
//
// The numbers are advisory. Conflicts are counted in memory and added to the table every
// few seconds, outside any unit, so that counting does not delay a rejected caller. A
// killed process loses its counts since the last flush; a flush without a reply may
// count twice.
type ConflictLog struct {
	db    *storage.DB
	clock clock.Clock

	// writing is locked during a Flush, so that Flush returns only after a concurrent one
	// has written.
	writing sync.Mutex

	mu      sync.Mutex
	pending map[ConflictCount]int64
	// records are the latest records of each count of a day. They are in memory only,
	// because they are not worth storing.
	records map[ConflictCount][]string
}

// ConflictCount is one row of the table. In a key of pending counts, the number is zero.
type ConflictCount struct {
	TenantID int64 `gorm:"primaryKey"`
	// Day is in UTC, such as 2026-01-31.
	Day       string      `gorm:"primaryKey"`
	Resource  string      `gorm:"primaryKey"`
	Code      apperr.Code `gorm:"primaryKey"`
	Conflicts int64
}

// NewConflictLog returns a log that stores its numbers in db while Background runs.
func NewConflictLog(db *storage.DB, clock clock.Clock) *ConflictLog {
	return &ConflictLog{db: db, clock: clock, pending: make(map[ConflictCount]int64), records: make(map[ConflictCount][]string)}
}

// CountConflict implements httpapi.ConflictCounter.
func (l *ConflictLog) CountConflict(tenant int64, resource, record string, code apperr.Code) {
	key := ConflictCount{TenantID: tenant, Day: l.today(), Resource: resource, Code: code}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending[key]++
	if record != "" {
		l.remember(key, record)
	}
}

// remember adds a record to the front of its count, and drops the records of other days.
func (l *ConflictLog) remember(key ConflictCount, record string) {
	if _, exists := l.records[key]; !exists {
		maps.DeleteFunc(l.records, func(other ConflictCount, _ []string) bool { return other.Day != key.Day })
	}
	others := slices.DeleteFunc(slices.Clone(l.records[key]), func(other string) bool { return other == record })
	l.records[key] = slices.Insert(others, 0, record)[:min(len(others)+1, maxRecords)]
}

// recordsOf returns the latest records of a count; it is never nil.
func (l *ConflictLog) recordsOf(count ConflictCount) []string {
	count.Conflicts = 0
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.records[count]...)
}

func (l *ConflictLog) today() string { return l.clock.Now().Format(dayFormat) }

// Background returns the service that flushes every few seconds, and once more when it stops.
func (l *ConflictLog) Background() background.Service {
	return background.Service{Name: "write conflict counts", Every: flushEvery, Delay: flushEvery, Run: l.Flush, Last: l.Flush}
}

// Flush adds the counts since the last call to the table, one statement per key:
//
//	INSERT INTO conflict_counts (tenant_id, day, resource, code, conflicts) VALUES (…)
//	    ON DUPLICATE KEY UPDATE conflicts = conflicts + ?
//
// The next call adds counts that could not be added.
func (l *ConflictLog) Flush(ctx context.Context) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	counted := l.pending
	l.pending = make(map[ConflictCount]int64)
	l.mu.Unlock()
	// The same order in all processes avoids deadlocks.
	for _, key := range slices.SortedFunc(maps.Keys(counted), compareKeys) {
		if err := l.add(ctx, key, counted[key]); err != nil {
			l.putBack(counted)
			return fmt.Errorf("count conflicts: %w", err)
		}
		delete(counted, key)
	}
	return nil
}

func compareKeys(a, b ConflictCount) int {
	return cmp.Or(cmp.Compare(a.TenantID, b.TenantID), cmp.Compare(a.Day, b.Day),
		cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Code, b.Code))
}

func (l *ConflictLog) add(ctx context.Context, row ConflictCount, count int64) error {
	row.Conflicts = count
	return l.db.Write(storage.AcrossTenants(ctx)).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "day"}, {Name: "resource"}, {Name: "code"}},
		DoUpdates: clause.Assignments(map[string]any{"conflicts": gorm.Expr("conflict_counts.conflicts + ?", count)}),
	}).Create(&row).Error
}

// putBack restores counts that could not be added to the table.
func (l *ConflictLog) putBack(counted map[ConflictCount]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, count := range counted {
		l.pending[key] += count
	}
}

// Today returns today's flushed conflicts on the resources, most frequent first.
func (l *ConflictLog) Today(ctx context.Context, resources []string) ([]Conflicts, error) {
	var rows []ConflictCount
	err := l.db.Read(ctx).Where("day = ? AND resource IN ?", l.today(), resources).
		Order("conflicts DESC, resource, code").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the conflicts of today: %w", err)
	}
	conflicts := make([]Conflicts, len(rows))
	for i, row := range rows {
		conflicts[i] = Conflicts{Resource: row.Resource, Code: row.Code, Count: row.Conflicts, Records: l.recordsOf(row)}
	}
	return conflicts, nil
}

// Sweep deletes expired counts of all tenants.
func (l *ConflictLog) Sweep(ctx context.Context, batch int) error {
	past := l.clock.Now().AddDate(0, 0, -retentionDays-1).Format(dayFormat)
	return l.db.Sweep(ctx, storage.Sweep{Table: "conflict_counts", Column: "day", Until: past, Key: "day"}, batch)
}
