package mq

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/clock"
	"interlock/internal/storage"
)

const (
	// maxRuns is how often a transaction is run when the engine gives it up in
	// favour of another.
	maxRuns = 5
	// maxLife bounds a transaction; its COMMIT does not end with the caller.
	maxLife = 30 * time.Second
)

// SQL is the Broker over the database, for installations without Redis. An
// acknowledged Enqueue is as durable as any other write there.
//
// Its times are those of this process's clock. Replicas whose clocks differ disturb
// the order of their messages and the length of leases by the difference, and
// nothing else: a message is claimed by the UPDATE of its row.
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

// EnqueueTx appends messages in the caller's transaction: they are in the queue if
// and only if it commits. Call Wake after the commit.
func (s *SQL) EnqueueTx(tx *gorm.DB, queue string, messages ...Message) error {
	mustName(queue)
	tx = tx.WithContext(storage.AcrossTenants(tx.Statement.Context))
	// Not remembered as known: the transaction may yet roll back.
	if _, ok := s.known.Load(queue); !ok {
		if err := insertName(tx, queue); err != nil {
			return fmt.Errorf("register queue %s: %w", queue, err)
		}
	}
	return s.insert(tx, queue, 0, messages)
}

// Wake tells this process's consumer of a queue that there may be something to
// claim.
func (s *SQL) Wake(queue string) { s.wakers.of(queue).wake() }

func (s *SQL) insert(tx *gorm.DB, queue string, delay time.Duration, messages []Message) error {
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
		if rows[i], err = rowOf(queue, m, now.Add(max(delay, 0))); err != nil {
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

// atomically runs fn in a transaction of its own, and again when the engine gave
// it up in favour of another.
func (s *SQL) atomically(ctx context.Context, fn func(tx *gorm.DB) error) error {
	ctx = storage.AcrossTenants(ctx)
	for run := 1; ; run++ {
		err := s.db.Transact(ctx, maxLife, fn)
		if run == maxRuns || !storage.Is(err, storage.WriteConflict, storage.LockTimeout) {
			return err
		}
		pause := time.NewTimer(time.Duration(run)*time.Millisecond + rand.N(4*time.Millisecond))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return err
		}
	}
}

// unlocked reads the rows that no other transaction holds, and keeps them. SQLite
// has one writer, which is this one.
func (s *SQL) unlocked(tx *gorm.DB) *gorm.DB {
	if s.db.Dialect == storage.SQLite {
		return tx
	}
	return tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"})
}
