package mq

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

// transactionTimeout bounds a transaction; its COMMIT does not end with the caller's context.
const transactionTimeout = 30 * time.Second

// SQL is the Broker over the database, for installations without Redis. An acknowledged
// Enqueue is as durable as any other write to the database.
//
// Its times come from the clock of this process. If the clocks of replicas differ, the order of
// their messages and the length of leases are off by the difference. Exclusive delivery does not
// depend on clocks: a message is claimed by a guarded UPDATE of its row.
type SQL struct {
	db      *storage.DB
	clock   clock.Clock
	options Options
	wakers  wakers
	known   sync.Map
}

// NewSQL returns a Broker on db's tables mq_queues, mq_batches and mq_messages.
func NewSQL(db *storage.DB, now clock.Clock, options Options) *SQL {
	options.Clock = now
	options = options.withDefaults()
	return &SQL{db: db, clock: options.Clock, options: options}
}

// Queue implements Broker.
func (s *SQL) Queue(name string) Queue {
	mustName(name)
	return &sqlQueue{broker: s, name: name, waker: s.wakers.of(name)}
}

// Names implements Broker.
func (s *SQL) Names(ctx context.Context) ([]string, error) {
	var names []string
	if err := s.read(ctx).Model(&queueRow{}).Order("name").Pluck("name", &names).Error; err != nil {
		return nil, fmt.Errorf("list the queues: %w", err)
	}
	return names, nil
}

// Forget implements Broker.
func (s *SQL) Forget(ctx context.Context, name string) error {
	if err := s.db.Write(storage.AcrossTenants(ctx)).Exec("DELETE FROM mq_queues WHERE name = ?", name).Error; err != nil {
		return fmt.Errorf("forget queue %s: %w", name, err)
	}
	s.known.Delete(name)
	s.wakers.forget(name)
	return nil
}

// EnqueueTx appends messages in the caller's transaction: they are in the queue if
// and only if it commits. Call Enqueued after the commit.
func (s *SQL) EnqueueTx(tx *gorm.DB, queue string, messages ...Message) error {
	mustName(queue)
	tx = acrossTenants(tx)
	// The name is not cached in known, because the transaction may roll back.
	if _, ok := s.known.Load(queue); !ok {
		if err := insertName(tx, queue); err != nil {
			return fmt.Errorf("register queue %s: %w", queue, err)
		}
	}
	return s.insert(tx, queue, messages)
}

// RetryDeadTx moves a dead message to the tail of pending, with its counters reset, in the
// caller's transaction. Call Enqueued after the commit. Error: ErrNoSuchMessage.
func (s *SQL) RetryDeadTx(tx *gorm.DB, queue, id string) error {
	return execOnDead(tx, queue, id, "UPDATE mq_messages SET state = ?, attempts = 0, crashes = 0, due_time = ?, error = ''"+
		" WHERE queue = ? AND message_id = ? AND state = ?", rowWaiting, s.clock.Now(), queue, []byte(id), rowDead)
}

// DiscardDeadTx deletes a dead message in the caller's transaction. Error:
// ErrNoSuchMessage.
func (s *SQL) DiscardDeadTx(tx *gorm.DB, queue, id string) error {
	return execOnDead(tx, queue, id, "DELETE FROM mq_messages WHERE queue = ? AND message_id = ? AND state = ?", queue, []byte(id), rowDead)
}

func execOnDead(tx *gorm.DB, queue, id, statement string, args ...any) error {
	result := acrossTenants(tx).Exec(statement, args...)
	if result.Error != nil {
		return fmt.Errorf("change dead message %q of %s: %w", id, queue, result.Error)
	}
	if result.RowsAffected == 0 {
		return fmt.Errorf("change dead message %q of %s: %w", id, queue, ErrNoSuchMessage)
	}
	return nil
}

// PurgeTx deletes every message, including claimed and dead ones, in the caller's
// transaction. Consumers lose their leases on them.
func (s *SQL) PurgeTx(tx *gorm.DB, queue string) error {
	tx = acrossTenants(tx)
	for _, table := range []string{"mq_batches", "mq_messages"} {
		if err := tx.Exec("DELETE FROM "+table+" WHERE queue = ?", queue).Error; err != nil {
			return fmt.Errorf("purge %s: %w", queue, err)
		}
	}
	return nil
}

// acrossTenants lets a tenant's transaction access the tables of the queues, which belong
// to no tenant.
func acrossTenants(tx *gorm.DB) *gorm.DB {
	return tx.WithContext(storage.AcrossTenants(tx.Statement.Context))
}

// MissingTx returns the IDs that have no message in the queue.
func (s *SQL) MissingTx(tx *gorm.DB, queue string, ids []string) ([]string, error) {
	var lacking []string
	for part := range slices.Chunk(ids, maxPush) {
		names := make([][]byte, len(part))
		for i, id := range part {
			names[i] = []byte(id)
		}
		var there [][]byte
		err := acrossTenants(tx).Model(&messageRow{}).Where("queue = ? AND message_id IN ?", queue, names).Pluck("message_id", &there).Error
		if err != nil {
			return nil, fmt.Errorf("find messages of %s: %w", queue, err)
		}
		known := make(map[string]bool, len(there))
		for _, id := range there {
			known[string(id)] = true
		}
		for _, id := range part {
			if !known[id] {
				lacking = append(lacking, id)
			}
		}
	}
	return lacking, nil
}

// Enqueued reports messages that a committed transaction added to a queue: it counts them
// and wakes this process's consumer.
func (s *SQL) Enqueued(queue string, messages int) {
	s.options.Observer.enqueued(queue, messages)
	s.wakers.of(queue).wake()
}

func (s *SQL) insert(tx *gorm.DB, queue string, messages []Message) error {
	if len(messages) == 0 {
		return nil
	}
	now := s.clock.Now()
	rows := make([]messageRow, len(messages))
	for i, m := range messages {
		if m.EnqueuedTime.IsZero() {
			m.EnqueuedTime = now
		}
		var err error
		if rows[i], err = rowOf(queue, m, now); err != nil {
			return fmt.Errorf("enqueue to %s: %w", queue, err)
		}
	}
	if err := tx.CreateInBatches(rows, maxPush).Error; err != nil {
		return fmt.Errorf("enqueue to %s: %w", queue, err)
	}
	return nil
}

func insertName(tx *gorm.DB, name string) error {
	return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&queueRow{Name: name}).Error
}

func (s *SQL) register(ctx context.Context, name string) error {
	if _, ok := s.known.Load(name); ok {
		return nil
	}
	if err := insertName(s.db.Write(ctx), name); err != nil {
		return fmt.Errorf("register queue %s: %w", name, err)
	}
	s.known.Store(name, true)
	return nil
}

func (s *SQL) read(ctx context.Context) *gorm.DB {
	return s.db.Read(storage.AcrossTenants(ctx))
}

// atomically runs fn in its own transaction, see storage.DB.Transact.
func (s *SQL) atomically(ctx context.Context, fn func(tx *gorm.DB) error) error {
	return s.db.Transact(storage.AcrossTenants(ctx), transactionTimeout, fn)
}

// selectSkipLocked calls do with a transaction in which SELECT skips the rows that other transactions
// have locked, so that consumers do not block each other. Correctness does not depend on the clause
// SKIP LOCKED: some engines ignore it, and it is not sent to versions that lack it or to an engine
// that has rejected it. SQLite has one writer, which is this process.
func (s *SQL) selectSkipLocked(tx *gorm.DB, do func(tx *gorm.DB) error) error {
	if !s.db.Capabilities().SkipLocked {
		return do(tx)
	}
	err := do(tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"})) //nolint:forbidigo // the state decides, in claim, and the end of the lease in reap
	if storage.Is(err, storage.Unsupported) {
		s.db.RefusesSkipLocked()
		return do(tx)
	}
	return err
}
