package dbcopy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"interlock/internal/base/claim"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
)

// excluded are the tables that are not copied: the target has its schema version and its claim, and
// queues can be in Redis there.
var excluded = []string{"goose_db_version", "mq_batches", "mq_messages", "server_claims"}

// source is the embedded database, with its write lock.
type source struct {
	db      *storage.DB
	tx      *gorm.DB
	claimed *claim.Claim
	unlock  context.CancelFunc

	schema int64
	epoch  epoch.Epoch
	// lastAudit is the id of the newest audit entry. Each change of the data adds one.
	lastAudit int64
	// tables are the names of the copied tables.
	tables []string
	// sequences are the last assigned ids by table.
	sequences map[string]int64
	// messages is the number of messages in queues.
	messages int64
}

// openSource opens the source, claims it, and locks it for other writers.
func openSource(ctx context.Context, o Options) (s *source, err error) {
	db, err := storage.Open(ctx, storage.Options{URL: o.From, Existing: true})
	if err != nil {
		return nil, fmt.Errorf("the source: %w", err)
	}
	s = &source{db: db}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.claimed, err = claim.File(strings.TrimPrefix(o.From, "sqlite://"), "copy", clock.System{}); err != nil {
		return s, fmt.Errorf("the source is in use, stop its server first: %w", err)
	}
	if err := s.checkSchema(ctx); err != nil {
		return s, err
	}
	locked, unlock := context.WithCancel(ctx)
	s.unlock = unlock
	if s.tx, err = db.Begin(locked, locked); err != nil {
		return s, fmt.Errorf("the source is in use, stop the process that writes to it: %w", err)
	}
	if err := s.describe(ctx); err != nil {
		return s, err
	}
	return s, s.checkMessages(o.DiscardMessages)
}

// close releases the locks; nothing was written.
func (s *source) close() {
	if s.tx != nil {
		s.tx.Rollback()
	}
	if s.unlock != nil {
		s.unlock()
	}
	_ = s.db.Close()
	if s.claimed != nil {
		s.claimed.Release()
	}
}

func (s *source) checkSchema(ctx context.Context) error {
	state, err := s.db.MigrationState(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("the source: %w", err)
	case !state.UpToDate():
		return fmt.Errorf("the schema of the source is at %d, and this program needs %d: run `admin migrate up --database-url %s`, then copy again", state.Current, state.Target, s.db.URL)
	case state.Current > state.Target:
		return fmt.Errorf("the source is from a newer program: its schema is at %d, and this program supports %d: copy with that program", state.Current, state.Target)
	}
	s.schema = state.Current
	return nil
}

func (s *source) describe(ctx context.Context) (err error) {
	if s.epoch, err = epoch.Read(ctx, s.db); err != nil {
		return err
	}
	if err := s.tx.Raw("SELECT COALESCE(MAX(id), 0) FROM audit_entries").Scan(&s.lastAudit).Error; err != nil {
		return fmt.Errorf("read the last audit entry: %w", err)
	}
	err = s.tx.Raw("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT IN ? ORDER BY name", excluded).Scan(&s.tables).Error
	if err != nil {
		return fmt.Errorf("read the tables of the source: %w", err)
	}
	var sequences []struct {
		Name string
		Seq  int64
	}
	if err := s.tx.Raw("SELECT name, seq FROM sqlite_sequence").Scan(&sequences).Error; err != nil {
		return fmt.Errorf("read the last ids of the source: %w", err)
	}
	s.sequences = make(map[string]int64, len(sequences))
	for _, sequence := range sequences {
		s.sequences[sequence.Name] = sequence.Seq
	}
	return nil
}

// checkMessages rejects a source with messages in queues, unless they are to be discarded.
func (s *source) checkMessages(discard bool) error {
	var queues []struct {
		Queue    string
		Messages int64
	}
	if err := s.tx.Raw("SELECT queue, COUNT(*) AS messages FROM mq_messages GROUP BY queue ORDER BY queue").Scan(&queues).Error; err != nil {
		return fmt.Errorf("read the queues of the source: %w", err)
	}
	found := make([]string, len(queues))
	for i, queue := range queues {
		s.messages += queue.Messages
		found[i] = fmt.Sprintf("%s (%d)", queue.Queue, queue.Messages)
	}
	if s.messages == 0 || discard {
		return nil
	}
	return errors.New("queues of the source have messages, which cannot be copied: " + strings.Join(found, ", ") +
		". Start its server, pause the flash sales, wait until the page Queues is empty, retry or discard dead letters, stop the server and copy again; " +
		"or add --discard-messages: their tickets are then rejected as lost")
}

// identity identifies the state of the source, for the continuation of an interrupted copy.
func (s *source) identity() string {
	return fmt.Sprintf("schema %d, epoch %s, audit entry %d", s.schema, s.epoch, s.lastAudit)
}

// columns returns the stored columns of a table.
func (s *source) columns(name string) (list []string, err error) {
	if err := s.tx.Raw("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", name).Scan(&list).Error; err != nil {
		return nil, fmt.Errorf("read the columns of %s: %w", name, err)
	}
	return list, nil
}

func (s *source) count(t *table) (rows int64, err error) {
	if err := s.tx.Raw("SELECT COUNT(*) FROM " + t.relation(storage.SQLite)).Scan(&rows).Error; err != nil {
		return 0, fmt.Errorf("count the rows of %s: %w", t.name, err)
	}
	return rows, nil
}
