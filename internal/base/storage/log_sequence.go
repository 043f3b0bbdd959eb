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
	// numberedAtOnce is how many rows of a log get their places in one transaction, and
	// numberingLife bounds it.
	numberedAtOnce = 500
	numberingLife  = 10 * time.Second
)

// ErrNoCounter says that a log has no counter.
var ErrNoCounter = errors.New("storage: the log has no counter")

// NumberedLog is rows of a table that have places: 1, 2, 3, … in the order of their commits,
// without gaps. They are written without one, because ids are given before the commit and become
// visible in another order, and those of transactions that were rolled back never.
type NumberedLog struct {
	Table string
	// Counter is the name in log_places of the last place that was given.
	Counter string
	// Next returns the ids of the rows that get the next places, at most so many, in their order:
	// committed ones that have none.
	Next func(tx *gorm.DB, most int) (ids []int64, err error)
}

// Number gives the rows of a log that are committed by now their places, a page at a time until it
// was at least so many, or all. A page is one transaction that begins with the row of the counter:
//
//	UPDATE log_places SET last = last WHERE name = ? -- others wait, or conflict at COMMIT
//	SELECT last FROM log_places WHERE name = ?
//	SELECT id FROM … WHERE place IS NULL … LIMIT 500 -- Next
//	UPDATE … SET place = CASE id … END WHERE id IN (…) AND place IS NULL
//	UPDATE log_places SET last = ? WHERE name = ? AND last = ?
//
// so that a place is visible only with all places before it. Of several processes one numbers, and
// the others find it done. After a crash the pages that were committed are numbered. What is
// committed meanwhile may have to wait for the next time, or writers who do not rest would keep
// the caller here. It reports whether all that was committed when it was called has its place.
// Errors: ErrNoCounter.
func (db *DB) Number(ctx context.Context, log NumberedLog, most int) (whole bool, err error) {
	for total := 0; total < most; {
		var numbered int
		err := db.TransactRepeatable(ctx, numberingLife, func(tx *gorm.DB) (err error) {
			numbered, err = db.numberSome(tx, log)
			return err
		})
		if err != nil || numbered < numberedAtOnce {
			return err == nil, err
		}
		total += numbered
	}
	return false, nil
}

func (db *DB) numberSome(tx *gorm.DB, log NumberedLog) (numbered int, err error) {
	// There is one writer on SQLite, which is this one.
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
	ids, err := log.Next(tx, numberedAtOnce)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), assignSequences(tx, log, last[0], ids)
}

// assignSequences gives rows the places after last. Errors: ErrRunAgain when others did so at the same
// time, or a row has gone.
func assignSequences(tx *gorm.DB, log NumberedLog, last int64, ids []int64) error {
	var cases strings.Builder
	arguments := make([]any, 0, 2*len(ids)+1)
	for i, id := range ids {
		cases.WriteString(" WHEN ? THEN ?")
		arguments = append(arguments, id, last+int64(i)+1)
	}
	numbered := tx.Exec("UPDATE "+log.Table+" SET place = CASE id"+cases.String()+" END WHERE id IN ? AND place IS NULL", append(arguments, ids)...)
	if Is(numbered.Error, DuplicateKey) {
		return fmt.Errorf("%w: others gave the same places: %w", ErrRunAgain, numbered.Error)
	}
	if err := numbered.Error; err != nil {
		return err
	}
	counted := tx.Exec("UPDATE log_places SET last = ? WHERE name = ? AND last = ?", last+int64(len(ids)), log.Counter, last)
	if err := counted.Error; err != nil {
		return err
	}
	if numbered.RowsAffected != int64(len(ids)) || counted.RowsAffected != 1 {
		return fmt.Errorf("%w: others numbered the log at the same time", ErrRunAgain)
	}
	return nil
}
