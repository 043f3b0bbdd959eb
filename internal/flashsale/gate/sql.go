package gate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/batcher"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/mq"
)

// SQL is the gate in the database, for a program without Redis.
//
// Each step is a transaction that starts with the row of the sale FOR UPDATE, so the steps of one
// sale run one after the other; it loads a book, applies the step to it, and saves the changes
// under the revision of the row that it read. That guard decides: if an engine lets two steps read
// the row concurrently, one of the steps is run again. Purchases that arrive during a transaction
// share the next one, and so the cost of its commit.
type SQL struct {
	db    *storage.DB
	queue TxQueue
	clock clock.Clock

	sales sync.Map // sale id → *sqlSale

	attempts attemptLog
}

// TxQueue is a queue with operations in the gate's transactions.
type TxQueue interface {
	EnqueueTx(tx *gorm.DB, queue string, messages ...mq.Message) error
	RetryDeadTx(tx *gorm.DB, queue, id string) error
	DiscardDeadTx(tx *gorm.DB, queue, id string) error
	PurgeTx(tx *gorm.DB, queue string) error
	// MissingTx returns the IDs without a message.
	MissingTx(tx *gorm.DB, queue string, ids []string) ([]string, error)
	// Enqueued reports messages that a committed transaction added.
	Enqueued(queue string, messages int)
	Queue(name string) mq.Queue
}

// NewSQL returns a gate.
func NewSQL(db *storage.DB, queue TxQueue, now clock.Clock) *SQL {
	return &SQL{db: db, queue: queue, clock: now}
}

const (
	// maxTogether is the maximum number of calls that share a transaction or a script.
	maxTogether = 256
	// stepTimeout bounds the transaction of a step; a build writes all tickets in one.
	stepTimeout  = 10 * time.Second
	buildTimeout = 2 * time.Minute
)

// sqlSale contains the batchers of the calls about one sale.
type sqlSale struct {
	admissions *batcher.Batcher[Purchase, admitted]
	lookups    *batcher.Batcher[lookup, found]
	holdings   *batcher.Batcher[lookup, held]
}

type admitted struct {
	answer Admission
	err    error
}

// lookup is the key of a batched read: a ticket or a customer, in one epoch.
type lookup struct {
	epoch int64
	name  string
}

type found struct {
	ticket *Ticket
	err    error
}

type held struct {
	holding Holding
	err     error
}

func (g *SQL) sale(id int64) *sqlSale {
	if known, ok := g.sales.Load(id); ok {
		return known.(*sqlSale)
	}
	s := &sqlSale{}
	s.admissions = batcher.New(maxTogether, func(ctx context.Context, together []Purchase) ([]admitted, error) {
		return g.admit(ctx, id, together)
	})
	s.lookups = batcher.New(maxTogether, func(ctx context.Context, together []lookup) ([]found, error) {
		return g.lookUp(ctx, id, together)
	})
	s.holdings = batcher.New(maxTogether, func(ctx context.Context, together []lookup) ([]held, error) {
		return g.lookUpHeld(ctx, id, together)
	})
	known, _ := g.sales.LoadOrStore(id, s)
	return known.(*sqlSale)
}

// Admit implements Gate.
func (g *SQL) Admit(ctx context.Context, p Purchase) (Admission, error) {
	a, err := g.sale(p.Sale).admissions.Do(ctx, p)
	if errors.Is(err, batcher.ErrNotFlushed) && ctx.Err() == nil {
		a, err = g.sale(p.Sale).admissions.Do(ctx, p)
	}
	if err != nil {
		return Admission{}, err
	}
	return a.answer, a.err
}

func (g *SQL) admit(ctx context.Context, sale int64, together []Purchase) ([]admitted, error) {
	ids, users := make([]string, len(together)), make([]string, len(together))
	for i, p := range together {
		ids[i], users[i] = p.Ticket, p.User
	}
	traces := make(map[string]map[string]string, len(together))
	for _, p := range together {
		traces[p.Ticket] = p.Trace
	}
	answers := make([]admitted, len(together))
	queued := 0
	err := g.within(ctx, sale, func(tx *gorm.DB, b *book) error {
		if err := errors.Join(b.loadTickets(tx, sale, ids), b.loadBuyers(tx, sale, users)); err != nil {
			return err
		}
		now := g.clock.Now()
		for i, p := range together {
			answers[i].answer, answers[i].err = b.admit(p, now)
		}
		queued = len(b.changed.queued)
		return g.enqueue(tx, sale, b.changed.queued, traces)
	})
	if errors.Is(err, ErrNoGate) {
		return nil, err
	}
	if err == nil && queued > 0 {
		g.queue.Enqueued(QueueName(sale), queued)
	}
	return answers, err
}

func (g *SQL) enqueue(tx *gorm.DB, sale int64, tickets []Ticket, traces map[string]map[string]string) error {
	if len(tickets) == 0 {
		return nil
	}
	messages := make([]mq.Message, len(tickets))
	for i, t := range tickets {
		var err error
		if messages[i], err = messageOf(t, traces[t.ID]); err != nil {
			return err
		}
	}
	if err := g.queue.EnqueueTx(tx, QueueName(sale), messages...); err != nil {
		return fmt.Errorf("queue tickets: %w", err)
	}
	return nil
}

// within runs fn in a transaction on the sale's gate, and saves its changes:
//
//	SELECT * FROM flash_sale_gates WHERE tenant_id = ? AND sale_id = ? FOR UPDATE
//	UPDATE flash_sale_gates SET …, revision = revision + 1 WHERE … AND revision = ? -- save
//
// The changes are bookkeeping, like the changes of a queue, and are not audited. The units of work
// that open a sale and place its orders are audited. Errors: ErrNoGate if there has never been a
// gate, the error of fn, see run.
func (g *SQL) within(ctx context.Context, sale int64, fn func(tx *gorm.DB, b *book) error) error {
	return g.run(ctx, stepTimeout, func(tx *gorm.DB) error {
		from, err := lockGate(tx, sale)
		if err != nil {
			return err
		}
		if from == nil {
			return ErrNoGate
		}
		b := newBook(from.page)
		if err := fn(tx, b); err != nil {
			return err
		}
		return b.save(tx, sale, *from)
	})
}

// step runs fn like within, on the gate of one epoch. Errors: ErrNoGate if the sale has no gate of
// the epoch.
func (g *SQL) step(ctx context.Context, ref Ref, fn func(tx *gorm.DB, b *book) error) error {
	return g.within(ctx, ref.Sale, func(tx *gorm.DB, b *book) error {
		if b.Epoch != ref.Epoch {
			return ErrNoGate
		}
		return fn(tx, b)
	})
}

// run runs fn in its own transaction, see storage.DB.TransactRepeatable: fn depends only on the
// ticket and its state, so a second run after a committed one changes nothing. fn is also run again
// if another transaction has inserted the same row first. Errors: ErrUnknown if the outcome of a
// COMMIT is unknown.
func (g *SQL) run(ctx context.Context, life time.Duration, fn func(tx *gorm.DB) error) error {
	err := g.db.TransactRepeatable(context.WithoutCancel(ctx), life, func(tx *gorm.DB) error {
		err := fn(tx)
		if storage.Is(err, storage.DuplicateKey) {
			return fmt.Errorf("%w: %w", storage.ErrRunAgain, err)
		}
		return err
	})
	if storage.Undecided(err) {
		return errors.Join(ErrUnknown, err)
	}
	return err
}

// Ticket implements Gate.
func (g *SQL) Ticket(ctx context.Context, ref Ref, ticket string) (*Ticket, error) {
	f, err := g.sale(ref.Sale).lookups.Do(ctx, lookup{ref.Epoch, ticket})
	if err != nil {
		return nil, err
	}
	return f.ticket, f.err
}

// Held implements Gate.
func (g *SQL) Held(ctx context.Context, ref Ref, user string) (Holding, error) {
	h, err := g.sale(ref.Sale).holdings.Do(ctx, lookup{ref.Epoch, user})
	if err != nil {
		return Holding{}, err
	}
	return h.holding, h.err
}

// Buyers implements Gate.
func (g *SQL) Buyers(ctx context.Context, ref Ref, most int) ([]string, error) {
	b, err := g.readBook(ctx, ref.Sale)
	if err != nil {
		return nil, err
	}
	if b.Epoch != ref.Epoch {
		return nil, ErrNoGate
	}
	var users []string
	err = g.db.Read(ctx).Model(&buyerRow{}).Where("sale_id = ?", ref.Sale).Limit(most+1).Pluck("user_id", &users).Error
	switch {
	case err != nil:
		return nil, fmt.Errorf("list the buyers of sale %d: %w", ref.Sale, err)
	case len(users) > most:
		return nil, ErrTooMany
	}
	return users, nil
}

// readBook returns the book of a sale's gate for reading, without tickets and customers.
func (g *SQL) readBook(ctx context.Context, sale int64) (*book, error) {
	p, err := pageOf(g.db.Read(ctx), sale)
	if err != nil || p == nil {
		return newBook(page{}), err
	}
	return newBook(*p), nil
}

func names(together []lookup) []string {
	names := make([]string, len(together))
	for i, l := range together {
		names[i] = l.name
	}
	return names
}

func (g *SQL) lookUpHeld(ctx context.Context, sale int64, together []lookup) ([]held, error) {
	b, err := g.readBook(ctx, sale)
	if err != nil {
		return nil, err
	}
	if err := b.loadBuyers(g.db.Read(ctx), sale, names(together)); err != nil {
		return nil, err
	}
	answers := make([]held, len(together))
	for i, l := range together {
		if l.epoch != b.Epoch {
			answers[i].err = ErrNoGate
		} else {
			answers[i].holding = b.buyers[l.name]
		}
	}
	return answers, nil
}

func (g *SQL) lookUp(ctx context.Context, sale int64, together []lookup) ([]found, error) {
	b, err := g.readBook(ctx, sale)
	if err != nil {
		return nil, err
	}
	if err := b.loadTickets(g.db.Read(ctx), sale, names(together)); err != nil {
		return nil, err
	}
	answers := make([]found, len(together))
	for i, l := range together {
		if l.epoch != b.Epoch {
			answers[i].err = ErrNoGate
		} else if t := b.tickets[l.name]; t != nil {
			answers[i].ticket = copyOf(t)
		}
	}
	return answers, nil
}
