package dbcopy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/backup"
	"interlock/internal/base/claim"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
)

const (
	// statementTimeout bounds a statement, such as a count or a promise over a large table.
	statementTimeout = time.Hour
	// batchTimeout bounds the transaction of a batch.
	batchTimeout = 2 * time.Minute
	// statementRows and statementBytes bound an INSERT. max_allowed_packet is 16 MiB or more by
	// default.
	statementRows  = 500
	statementBytes = 1 << 20
)

// created are the tables in which the migrations, or the steps before the copy, insert rows.
var created = []string{"goose_db_version", "installation", "log_places", "migration_lock", "server_claims", storage.ProgressTable}

// emptyIt is the next step after a rejected target.
const emptyIt = "create an empty database (CREATE DATABASE …) and name it in --to"

// target is the database on a server.
type target struct {
	db      *storage.DB
	claimed *claim.Claim
	// resumed is set if the target contains an incomplete copy.
	resumed bool
}

// position is the state of the copy of one table.
type position struct {
	// key is the key of the last copied row; nil before the first.
	key      []any
	copied   int64
	complete bool
}

// openTarget opens the target, creates its schema unless it contains an incomplete copy, and claims
// it.
func openTarget(ctx context.Context, url string, from *source) (t *target, err error) {
	db, err := storage.Open(ctx, storage.Options{URL: url, StatementTimeout: statementTimeout})
	if errors.Is(err, storage.ErrNoDatabase) {
		return nil, fmt.Errorf("the target does not exist: %s", emptyIt)
	}
	if err != nil {
		return nil, fmt.Errorf("the target: %w", err)
	}
	t = &target{db: db}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	if err := t.checkEmpty(ctx, from); err != nil {
		return t, err
	}
	if !t.resumed {
		if _, err := db.Migrate(ctx); err != nil {
			return t, fmt.Errorf("create the schema of the target: %w", err)
		}
	}
	if t.claimed, err = claim.Acquire(ctx, claim.Options{DB: db, Role: "copy"}); err != nil {
		return t, fmt.Errorf("the target is in use: %w", err)
	}
	// Another process may have written to the target before the claim.
	return t, t.checkEmpty(ctx, from)
}

func (t *target) close() {
	if t.claimed != nil {
		t.claimed.Release()
	}
	_ = t.db.Close()
}

// whileClaimed returns a context that ends when the claim of the target is lost.
func (t *target) whileClaimed(ctx context.Context) (context.Context, context.CancelFunc) {
	claimed, lose := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-t.claimed.Lost():
			lose(t.claimed.Reason())
		case <-claimed.Done():
		}
	}()
	return claimed, func() { lose(nil) }
}

// checkEmpty rejects a target with rows or other tables, unless it contains an incomplete copy.
func (t *target) checkEmpty(ctx context.Context, from *source) error {
	var names []string
	read := t.db.Read(ctx)
	if err := read.Raw("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()").Scan(&names).Error; err != nil {
		return fmt.Errorf("read the tables of the target: %w", err)
	}
	if t.resumed = slices.Contains(names, storage.ProgressTable); t.resumed {
		return nil
	}
	for _, name := range names {
		if slices.Contains(created, name) {
			continue
		}
		if !slices.Contains(from.tables, name) && !slices.Contains(excluded, name) {
			return fmt.Errorf("the target %s has the table %s of another program: %s", t.db.URL, name, emptyIt)
		}
		var rows []int
		if err := read.Raw("SELECT 1 FROM `" + name + "` LIMIT 1").Scan(&rows).Error; err != nil {
			return fmt.Errorf("check that %s is empty: %w", name, err)
		}
		if len(rows) > 0 {
			return fmt.Errorf("the target %s is not empty, it has rows in %s: %s", t.db.URL, name, emptyIt)
		}
	}
	return nil
}

// begin creates the progress table, or checks that it is of the same copy. It reports whether the
// copy is verified. The row without a name is that of the copy:
//
//	INSERT IGNORE INTO copy_progress (name, last_key, copied, complete) VALUES ('', ?, 0, 0)
func (t *target) begin(ctx context.Context, identity string) (verified bool, err error) {
	const definition = "CREATE TABLE IF NOT EXISTS " + storage.ProgressTable + " (name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, " +
		"last_key TEXT CHARACTER SET utf8mb4 NOT NULL, copied BIGINT NOT NULL, complete BOOLEAN NOT NULL)"
	if err := t.db.Write(ctx).Exec(definition).Error; err != nil {
		return false, fmt.Errorf("create the progress table: %w", err)
	}
	const insert = "INSERT IGNORE INTO " + storage.ProgressTable + " (name, last_key, copied, complete) VALUES ('', ?, 0, FALSE)"
	if err := t.db.Write(ctx).Exec(insert, identity).Error; err != nil {
		return false, fmt.Errorf("start the progress table: %w", err)
	}
	started, err := t.row(ctx, "")
	if err != nil {
		return false, err
	}
	if started.LastKey != identity {
		return false, fmt.Errorf("the target contains an incomplete copy of another state: it has %s, and the source has %s: %s", started.LastKey, identity, emptyIt)
	}
	return started.Complete, nil
}

// progressRow is a row of the progress table.
type progressRow struct {
	LastKey  string
	Copied   int64
	Complete bool
}

func (t *target) row(ctx context.Context, name string) (progressRow, error) {
	var rows []progressRow
	err := t.db.Read(ctx).Raw("SELECT last_key, copied, complete FROM "+storage.ProgressTable+" WHERE name = ?", name).Scan(&rows).Error
	if err != nil {
		return progressRow{}, fmt.Errorf("read the progress of the copy: %w", err)
	}
	if len(rows) == 0 {
		return progressRow{}, nil
	}
	return rows[0], nil
}

// positionOf returns the position after the last committed batch.
func (t *target) positionOf(ctx context.Context, of *table) (position, error) {
	row, err := t.row(ctx, of.name)
	if err != nil {
		return position{}, err
	}
	key, err := storage.DecodePosition(row.LastKey)
	return position{key, row.Copied, row.Complete}, err
}

// write inserts the rows between two positions. The first batch of a table deletes the rows of the
// migrations. A repetition after a commit with an unknown outcome changes nothing:
//
//	UPDATE copy_progress SET last_key = ?, copied = ?, complete = ? WHERE name = ? AND copied = ? AND complete = 0
func (t *target) write(ctx context.Context, to *table, rows [][]any, from, next position) error {
	key, err := storage.EncodePosition(next.key)
	if err != nil {
		return err
	}
	return t.db.TransactRepeatable(ctx, batchTimeout, func(tx *gorm.DB) error {
		if from.key == nil {
			insert := "INSERT IGNORE INTO " + storage.ProgressTable + " (name, last_key, copied, complete) VALUES (?, '', 0, FALSE)"
			if _, err := storage.Exec(tx, insert, to.name); err != nil {
				return err
			}
		}
		update := "UPDATE " + storage.ProgressTable + " SET last_key = ?, copied = ?, complete = ? WHERE name = ? AND copied = ? AND complete = FALSE"
		changed, err := storage.Exec(tx, update, key, next.copied, next.complete, to.name, from.copied)
		if err != nil || changed == 0 {
			return err
		}
		if from.key == nil {
			if _, err := storage.Exec(tx, "DELETE FROM `"+to.name+"`"); err != nil {
				return err
			}
		}
		return insert(tx, to, rows)
	})
}

// insert inserts rows with statements of bounded size.
func insert(tx *gorm.DB, into *table, rows [][]any) error {
	one := "(?" + strings.Repeat(",?", len(into.columns)-1) + ")"
	for len(rows) > 0 {
		var arguments []any
		n, size := 0, 0
		for ; n < len(rows) && n < statementRows && size < statementBytes; n++ {
			for i, value := range rows[n] {
				arguments = append(arguments, into.columns[i].kind.argument(value))
				size += sizeOf(value)
			}
		}
		statement := "INSERT INTO `" + into.name + "` (" + into.names("") + ") VALUES " + one + strings.Repeat(","+one, n-1)
		if _, err := storage.Exec(tx, statement, arguments...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// continueIDs makes a table continue after the last id of the source, which may be deleted. The
// largest id has no successor.
func (t *target) continueIDs(ctx context.Context, of *table, last int64) error {
	if last == 0 || last == math.MaxInt64 {
		return nil
	}
	if err := t.db.Write(ctx).Exec(fmt.Sprintf("ALTER TABLE `%s` AUTO_INCREMENT = %d", of.name, last+1)).Error; err != nil {
		return fmt.Errorf("continue the ids of %s: %w", of.name, err)
	}
	return nil
}

// keys returns the ids of the encryption keys with which values may be encrypted.
func (t *target) keys(ctx context.Context) (ids []string, err error) {
	if err := t.db.Read(ctx).Raw("SELECT id FROM encryption_keys WHERE retired_time IS NULL ORDER BY id").Scan(&ids).Error; err != nil {
		return nil, fmt.Errorf("read the ids of the encryption keys: %w", err)
	}
	return ids, nil
}

// verified stores that the copy equals the source.
func (t *target) verified(ctx context.Context) error {
	if err := t.db.Write(ctx).Exec("UPDATE " + storage.ProgressTable + " SET complete = TRUE WHERE name = ''").Error; err != nil {
		return fmt.Errorf("store that the copy is verified: %w", err)
	}
	return nil
}

// finish starts the epoch of the copy and releases it to servers. It can be repeated.
func (t *target) finish(ctx context.Context, was epoch.Epoch) error {
	if err := backup.StartEpoch(ctx, t.db, was, "It was copied from an embedded database."); err != nil {
		return err
	}
	if err := t.db.Write(ctx).Exec("DROP TABLE " + storage.ProgressTable).Error; err != nil {
		return fmt.Errorf("drop the progress table: %w", err)
	}
	return nil
}
