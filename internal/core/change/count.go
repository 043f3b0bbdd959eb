package change

import (
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/status"
)

// CountByStatus returns how many rows of a resource each status has, zeros included:
//
//	SELECT status, COUNT(*) FROM t WHERE tenant_id = ? GROUP BY status
//
// It reads the index on status and none of the rows. T is the model.
func CountByStatus[T any](db *gorm.DB, machine *status.Machine) (map[string]int64, error) {
	var counted []struct {
		Status int
		N      int64
	}
	if err := db.Model(new(T)).Select("status, COUNT(*) AS n").Group("status").Scan(&counted).Error; err != nil {
		return nil, fmt.Errorf("count %ss by status: %w", machine.Name, err)
	}
	counts := make(map[string]int64, len(machine.States))
	for _, state := range machine.States {
		counts[state.Name] = 0
	}
	for _, c := range counted {
		counts[machine.Of(c.Status).Name] = c.N
	}
	return counts, nil
}
