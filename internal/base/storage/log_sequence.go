package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
)

const (
	// sequencePage is the number of rows that are numbered in one transaction, and
	// sequencingTimeout bounds that transaction.
	sequencePage      = 500
	sequencingTimeout = 10 * time.Second
)

// ErrNoCounter means that a log has no counter.
var ErrNoCounter = errors.New("storage: the log has no counter")

// SequencedLog is a table with row numbers in the column place: 1, 2, 3, … in commit
// order, without gaps. Rows are inserted without a number: ids are assigned before the
// commit, become visible in another order, and have gaps where transactions rolled back.
type SequencedLog struct {
	Table string
	// Counter is the name of the counter in log_places.
	Counter string
	// Next returns the ids of at most limit committed rows without a number, in the order of
	// numbering.
	Next func(tx *gorm.DB, limit int) (ids []int64, err error)
}

// Sequence numbers the committed rows of a log, page by page, until it has numbered at least
// limit rows or all. A page is one transaction that starts with the row of the counter:
//
//	UPDATE log_places SET last = last WHERE name = ? -- others wait, or conflict at COMMIT
//	SELECT last FROM log_places WHERE name = ?
//	SELECT id FROM … WHERE place IS NULL … LIMIT 500 -- Next
//	UPDATE … SET place = CASE id … END WHERE id IN (…) AND place IS NULL
//	UPDATE log_places SET last = ? WHERE name = ? AND last = ?
//
// so that a number becomes visible only together with all lower ones. If several processes
// call Sequence, one numbers the rows and the others find no more. After a crash the
// committed pages are updated. Rows committed during the call may have to wait for the
// next call; otherwise busy writers would block the caller. Sequence reports whether all
// rows committed before the call are updated. Errors: ErrNoCounter.
func (db *DB) Sequence(ctx context.Context, log SequencedLog, limit int) (complete bool, err error) {
	for total := 0; total < limit; {
		var assigned int
		err := db.TransactRepeatable(ctx, sequencingTimeout, func(tx *gorm.DB) (err error) {
			assigned, err = db.assignPage(tx, log)
			return err
		})
		if err != nil || assigned < sequencePage {
			return err == nil, err
		}
		total += assigned
	}
	return false, nil
}

func (db *DB) assignPage(tx *gorm.DB, log SequencedLog) (assigned int, err error) {
	// SQLite has one writer, which is this process.
	if db.Dialect == MySQL {
		if err := tx.Exec("UPDATE log_places SET last = last WHERE name = ?", log.Counter).Error; err != nil {
			return 0, err
		}
	}
	var last []int64
	if err := tx.Raw("SELECT last FROM log_places WHERE name = ?", log.Counter).Scan(&last).Error; err != nil {
		return 0, err
	}
	if len(last) == 0 {
		return 0, ErrNoCounter
	}
	ids, err := log.Next(tx, sequencePage)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), assignSequences(tx, log, last[0], ids)
}

// assignSequences numbers rows, starting after last. Errors: ErrRunAgain if another process
// numbered rows concurrently, or a row was deleted.
func assignSequences(tx *gorm.DB, log SequencedLog, last int64, ids []int64) error {
	var cases strings.Builder
	arguments := make([]any, 0, 2*len(ids)+1)
	for i, id := range ids {
		cases.WriteString(" WHEN ? THEN ?")
		arguments = append(arguments, id, last+int64(i)+1)
	}
	updated := tx.Exec("UPDATE "+log.Table+" SET place = CASE id"+cases.String()+" END WHERE id IN ? AND place IS NULL", append(arguments, ids)...)
	if Is(updated.Error, DuplicateKey) {
		return fmt.Errorf("%w: another process assigned the same numbers: %w", ErrRunAgain, updated.Error)
	}
	if err := updated.Error; err != nil {
		return err
	}
	counted := tx.Exec("UPDATE log_places SET last = ? WHERE name = ? AND last = ?", last+int64(len(ids)), log.Counter, last)
	if err := counted.Error; err != nil {
		return err
	}
	if updated.RowsAffected != int64(len(ids)) || counted.RowsAffected != 1 {
		return fmt.Errorf("%w: another process numbered the log concurrently", ErrRunAgain)
	}
	return nil
}
