package storage

import (
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// GivePlaces gives rows of a table the places after last, in their order, in a transaction that
// has read last of the counter under its lock and found that the rows have no place:
//
//	UPDATE … SET place = CASE id … END WHERE id IN (…) AND place IS NULL
//	UPDATE log_places SET last = ? WHERE name = ? AND last = ?
//
// so that a place is visible only with all places before it. Errors: ErrRunAgain when others did
// so at the same time.
func GivePlaces(tx *gorm.DB, table, counter string, last int64, ids []int64) error {
	var cases strings.Builder
	arguments := make([]any, 0, 2*len(ids)+1)
	for i, id := range ids {
		cases.WriteString(" WHEN ? THEN ?")
		arguments = append(arguments, id, last+int64(i)+1)
	}
	numbered := tx.Exec("UPDATE "+table+" SET place = CASE id"+cases.String()+" END WHERE id IN ? AND place IS NULL", append(arguments, ids)...)
	if err := numbered.Error; err != nil {
		return err
	}
	counted := tx.Exec("UPDATE log_places SET last = ? WHERE name = ? AND last = ?", last+int64(len(ids)), counter, last)
	if err := counted.Error; err != nil {
		return err
	}
	if numbered.RowsAffected != int64(len(ids)) || counted.RowsAffected != 1 {
		return fmt.Errorf("%w: others numbered the log at the same time", ErrRunAgain)
	}
	return nil
}
