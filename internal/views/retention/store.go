package retention

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/core/walk"
	"interlock/internal/module"
)

// tally counts removed rows of a tenant that are not in its audit log yet.
type tally struct {
	TenantID int64
	Name     string
	Removed  int64
}

// TableName implements gorm's Tabler.
func (tally) TableName() string { return "retention_tallies" }

// read returns the rows of a table after a position, at most most.
func read(ctx context.Context, db *storage.DB, t Table, limit time.Time, place []any, most int) ([]row, error) {
	statement, values := t.next(db.Dialect, limit, place, most)
	return storage.Rows(storage.AcrossTenants(ctx), db, len(t.key), statement, values, func(r *row, position []any) []any {
		r.place = position
		return []any{&r.tenant, &r.over}
	})
}

const (
	addToTally  = "UPDATE retention_tallies SET removed = removed + ? WHERE tenant_id = ? AND name = ?"
	insertTally = "INSERT INTO retention_tallies (removed, tenant_id, name) VALUES (?, ?, ?)"
	deleteTally = "DELETE FROM retention_tallies WHERE tenant_id = ? AND name = ? AND removed = ?"
)

// remove deletes the expired rows, and returns their number. The same transaction counts
// them for the audit log of their tenants; rows of no tenant are tombstones of rolled-back
// units (package uow), and are not counted.
func remove(tx *gorm.DB, t Table, rows []row) (removed int64, err error) {
	for _, one := range t.removals(rows) {
		deleted, err := deleteRows(tx, t, one)
		if err != nil {
			return 0, err
		}
		removed += deleted
		tenant := one.head[0].(int64)
		if tenant == 0 || deleted == 0 {
			continue
		}
		counted := tx.Exec(addToTally, deleted, tenant, t.Name)
		if counted.Error == nil && counted.RowsAffected == 0 {
			counted = tx.Exec(insertTally, deleted, tenant, t.Name)
		}
		if counted.Error != nil {
			return 0, counted.Error
		}
	}
	return removed, nil
}

// deleteRows runs the statement of one removal, and returns the number of deleted rows.
func deleteRows(tx *gorm.DB, t Table, r removal) (int64, error) {
	statement, values := r.statement(t)
	if t.Name == "audit_entries" {
		return deleteEntries(tx, r, statement, values)
	}
	deleted := tx.Exec(statement, values...)
	return deleted.RowsAffected, deleted.Error
}

// deleteEntries deletes audit entries with their targets; see raiseFloor and requireDeleted.
func deleteEntries(tx *gorm.DB, r removal, statement string, values []any) (int64, error) {
	floor, err := raiseFloor(tx, r)
	if err != nil {
		return 0, err
	}
	if err := tx.Exec("DELETE FROM audit_targets WHERE tenant_id = ? AND entry_id IN ?", r.head[0], r.last).Error; err != nil {
		return 0, err
	}
	deleted := tx.Exec(statement+upTo, append(values, floor)...)
	if deleted.Error != nil || deleted.RowsAffected >= int64(len(r.last)) {
		return deleted.RowsAffected, deleted.Error
	}
	return deleted.RowsAffected, requireDeleted(tx, r)
}

// upTo excludes entries from a deletion that were numbered after the floor was raised.
const upTo = " AND (place IS NULL OR place <= ?)"

// raiseFloor stores the highest position of the entries to be removed, for exporters that have not
// read that far (package audit), and returns it; 0 for none.
//
//	SELECT MAX(place) FROM audit_entries WHERE tenant_id = ? AND id IN (…)
//	UPDATE log_places SET last = … -- the floor
//	DELETE FROM audit_entries WHERE tenant_id = ? AND id IN (…) AND (place IS NULL OR place <= ?)
//
// The first export of a log numbers entries that had no position when they were selected for
// removal. If that happens before the first statement, the statement sees the positions; if it
// happens before the last one, that one retains the entries (see requireDeleted); otherwise the
// export finds them deleted, and is run again.
func raiseFloor(tx *gorm.DB, r removal) (highest int64, err error) {
	statement := "SELECT COALESCE(MAX(place), 0) FROM audit_entries WHERE tenant_id = ? AND id IN ?"
	if err := tx.Raw(statement, r.head[0], r.last).Scan(&highest).Error; err != nil || highest == 0 {
		return 0, err
	}
	name := fmt.Sprintf("audit-floor:%d", r.head[0])
	raised := tx.Exec("UPDATE log_places SET last = CASE WHEN last < ? THEN ? ELSE last END WHERE name = ?", highest, highest, name)
	if raised.Error == nil && raised.RowsAffected == 0 {
		raised = tx.Exec("INSERT INTO log_places (name, last) VALUES (?, ?)", name, highest)
	}
	return highest, raised.Error
}

// requireDeleted makes the removal run again if some of its entries still exist.
func requireDeleted(tx *gorm.DB, r removal) error {
	var left int64
	err := tx.Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id = ? AND id IN ?", r.head[0], r.last).Scan(&left).Error
	if err == nil && left > 0 {
		return fmt.Errorf("%w: %d audit entries were numbered during their removal", storage.ErrRunAgain, left)
	}
	return err
}

// tallies returns the counts that are not in the audit log yet, by tenant.
func tallies(ctx context.Context, db *storage.DB) (map[int64][]tally, error) {
	var rows []tally
	if err := db.Read(storage.AcrossTenants(ctx)).Order("tenant_id").Order("name").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read removed rows: %w", err)
	}
	byTenant := map[int64][]tally{}
	for _, row := range rows {
		byTenant[row.TenantID] = append(byTenant[row.TenantID], row)
	}
	return byTenant, nil
}

// Summary describes the rows removed so far, in sentences for an operator.
func Summary(ctx context.Context, db *storage.DB, tables []module.Table) (string, error) {
	found, err := walk.States(ctx, db, kind)
	if err != nil {
		return "", err
	}
	var says []string
	for _, t := range removable(tables) {
		st := found[t.Name]
		if st == nil || st.UntilTime == nil {
			continue
		}
		run := "the last run is under way"
		if st.EndedTime != nil {
			run = "the last run ended " + st.EndedTime.Format(time.RFC3339)
		}
		says = append(says, fmt.Sprintf("%s: %d rows removed, all over before %s; %s.", t.Name, st.Total, st.UntilTime.Format(time.RFC3339), run))
	}
	if len(says) == 0 {
		return "Retention has removed nothing. Audit and history are stored forever unless INTERLOCK_RETENTION_… is set.", nil
	}
	return strings.Join(says, " "), nil
}
