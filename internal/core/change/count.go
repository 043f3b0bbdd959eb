package change

import (
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/status"
	"interlock/internal/base/storage"
)

// CountByStatus returns the number of rows in each status, including zeros; each count
// stops at storage.Bound:
//
//	SELECT COUNT(*) FROM (SELECT 1 FROM t WHERE tenant_id = ? AND status = ? LIMIT 10001)
//
// It reads only the index on status, no rows. T is the model.
func CountByStatus[T any](db *gorm.DB, machine *status.Machine) (map[string]storage.Count, error) {
	db = db.Session(&gorm.Session{})
	counts := make(map[string]storage.Count, len(machine.States))
	for _, state := range machine.States {
		count, err := storage.CountUpTo[T](db, storage.Equal("status", state.Code))
		if err != nil {
			return nil, fmt.Errorf("count %ss by status: %w", machine.Name, err)
		}
		counts[state.Name] = count
	}
	return counts, nil
}
