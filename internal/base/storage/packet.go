package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	gomysql "github.com/go-sql-driver/mysql"
	"gorm.io/gorm"
)

// A packet sends several statements of one transaction to MySQL in one message, so that a
// row is locked only for the server's processing time, independent of the latency. A unit
// that changes one row and writes its audit row needs one packet:
//
//	START TRANSACTION; UPDATE …; SET @one = …; INSERT …; INSERT …; COMMIT
//
// A statement marked by Deferred or DeferredOneRow is queued in the session. It is sent
// before the next unmarked statement, or with COMMIT. The server stops at the first
// statement that fails, so a failed packet has committed nothing, but the failed statement
// is hard to identify: Packing.Failed returns true, and the caller runs the whole unit
// again statement by statement, so that the error belongs to a statement. Until then the
// transaction is broken: it rejects every further statement, and its COMMIT is a ROLLBACK,
// even if the caller attributes the error to a statement that may fail.
//
// If the process, the connection or the server fails, the packet was executed completely or
// in part, is yet to be executed, or never will be. Only COMMIT, its last statement, makes
// it durable. To determine the outcome, the caller reads a row that the packet inserts,
// in a way that prevents a late packet from committing (uow's resolveCommit).

// Packing reports how the statements of a transaction were sent.
type Packing struct{ failed atomic.Bool }

// Failed reports whether a packet failed at an unknown statement. Its transaction is rolled
// back, unless the error is Undecided, and a run without packets returns the precise error.
func (p *Packing) Failed() bool { return p.failed.Load() }

type (
	packingKey struct{}
	waitKey    struct{}
)

// wait marks a statement that may be sent later.
type wait struct {
	// oneRow is set for a statement that must change exactly one row.
	oneRow bool
	// id is the destination for the id of the inserted row; nil for none.
	id *int64
}

// Deferred returns tx for statements without needed results: they may be sent
// together with later ones. The error of a deferred statement is returned by the next
// statement or by COMMIT.
func Deferred(tx *gorm.DB) *gorm.DB { return marked(tx, wait{}) }

// DeferredID is like Deferred, for the insert of one row; *id is set at the commit at the latest.
// It stays 0 if the COMMIT succeeded and its reply was lost.
func DeferredID(tx *gorm.DB, id *int64) *gorm.DB { return marked(tx, wait{id: id}) }

// DeferredOneRow is like Deferred, for statements that each must change exactly one row; otherwise
// the transaction is rolled back. Until such a statement is sent, its result reports one changed
// row.
func DeferredOneRow(tx *gorm.DB) *gorm.DB { return marked(tx, wait{oneRow: true}) }

func marked(tx *gorm.DB, as wait) *gorm.DB { return tx.WithContext(waiting(tx, as)) }

// waiting returns the context of a deferred statement of tx.
func waiting(tx *gorm.DB, as wait) context.Context {
	return context.WithValue(tx.Statement.Context, waitKey{}, as)
}

// BeginPacked is like Begin, but the transaction sends marked statements in packets if the server
// supports them.
func (db *DB) BeginPacked(ctx, life context.Context, how *Packing) (*gorm.DB, error) {
	return db.Begin(ctx, context.WithValue(life, packingKey{}, how))
}

// changedOne fails, with the number outOfRange, unless the statement before it changed one
// row. In DO this would only be a warning, not an error.
const (
	changedOne = "SET @one = 9223372036854775806 + IF(ROW_COUNT() = 1, 0, 9)"
	outOfRange = 1690
)

// reached is sent just before COMMIT, so that after an error readReached shows whether the packet came
// as far as its COMMIT. Its number differs for each packet of the session.
const (
	reached     = "SET @reached = ?"
	readReached = "SELECT @reached"
)

// BetweenStatements separates the statements of a packet. It is exported for tests that
// inspect sent packets.
const BetweenStatements = ";\n"

// errSeveral rejects a text with more than one statement: only statements written in this
// program are put into packets, each as a single text, and no text from outside is ever a
// statement.
var errSeveral = errors.New("storage: a statement must end at a semicolon")

// packetSize bounds the size of one message, in bytes before quoting: a server closes a
// connection on a message larger than max_allowed_packet, which is at least 4 MiB. A longer
// statement is sent alone, as without packets.
const packetSize = 1 << 20

// packet contains the deferred statements of a transaction in its session.
type packet struct {
	how *Packing
	// started is set after START TRANSACTION was sent.
	started bool
	waiting []waitingStatement
	size    int
	// broken is the error after which the transaction rejects all statements.
	broken error
}

type waitingStatement struct {
	wait
	text string
	args []driver.NamedValue
}

// failedPacket is the error of a packet that failed at an unknown statement.
type failedPacket struct{ cause error }

func (f *failedPacket) Error() string { return "a packet of statements: " + f.cause.Error() }
func (f *failedPacket) Unwrap() error { return f.cause }

// waits queues a marked statement, and reports whether the statement is marked.
func (p *packet) waits(ctx context.Context, text string, args []driver.NamedValue, size int) bool {
	as, marked := ctx.Value(waitKey{}).(wait)
	if marked {
		p.waiting, p.size = append(p.waiting, waitingStatement{as, text, args}), p.size+size
	}
	return marked
}

func sizeOf(text string, args []driver.NamedValue) int {
	size := len(text)
	for _, arg := range args {
		switch value := arg.Value.(type) {
		case string:
			size += len(value)
		case []byte:
			size += len(value)
		}
	}
	return size
}

// makeRoom sends the queued statements if size more would exceed one packet. It returns the
// error of a broken transaction.
func (s *session) makeRoom(ctx context.Context, size int) error {
	switch {
	case s.packet.broken != nil:
		return s.packet.broken
	case len(s.packet.waiting) == 0 || s.packet.size+size <= packetSize:
		return nil
	}
	return s.flush(ctx)
}

// flush sends the queued statements, and begins the transaction if necessary.
func (s *session) flush(ctx context.Context) error {
	if s.packet.broken != nil || s.packet.started && len(s.packet.waiting) == 0 {
		return s.packet.broken
	}
	_, err := s.exec(ctx, "", nil)
	return err
}

// multiStatement is the text of one message.
type multiStatement struct {
	text strings.Builder
	args []driver.NamedValue
	// length is the number of statements.
	length int
	// ids are the destinations of ids, by the index of their statement.
	ids map[int]*int64
}

// joined returns the queued statements followed by text; "" for none.
func (p *packet) joined(text string, args []driver.NamedValue) *multiStatement {
	j := &multiStatement{}
	if !p.started {
		j.add(startTransaction, nil)
	}
	for _, w := range p.waiting {
		if w.id != nil {
			if j.ids == nil {
				j.ids = make(map[int]*int64)
			}
			j.ids[j.length] = w.id
		}
		j.add(w.text, w.args)
		if w.oneRow {
			j.add(changedOne, nil)
		}
	}
	if text != "" {
		j.add(text, args)
	}
	return j
}

func (j *multiStatement) add(text string, args []driver.NamedValue) {
	if j.length > 0 {
		j.text.WriteString(BetweenStatements)
	}
	j.text.WriteString(text)
	j.args = append(j.args, args...)
	j.length++
}

// exec sends the message, and sets the ids.
func (j *multiStatement) exec(ctx context.Context, over link) (driver.Result, error) {
	result, err := over.ExecContext(ctx, j.text.String(), j.args)
	if err != nil || len(j.ids) == 0 {
		return result, err
	}
	if every, ok := result.(gomysql.Result); ok {
		inserted := every.AllLastInsertIds()
		for place, id := range j.ids {
			*id = inserted[place]
		}
	}
	return result, nil
}

const startTransaction = "START TRANSACTION"

// sent empties the queue, after the server may have received it, and interprets the error.
// After a write conflict the caller runs the unit again with packets.
func (p *packet) sent(err error) error {
	alone := len(p.waiting) == 0
	p.started, p.waiting, p.size = true, nil, 0
	var fromServer *gomysql.MySQLError
	answered := errors.As(err, &fromServer)
	switch {
	case err == nil:
		return nil
	case alone && answered && mysqlClass(fromServer) != WriteConflict:
		// The error belongs to the only statement, and the server has left the transaction
		// open.
		return err
	case errors.Is(err, driver.ErrBadConn), answered && !alone && !conflicts(fromServer):
		// ErrBadConn means that nothing was written: the idle connection had been closed.
		err = p.fail(err)
	}
	p.broken = err
	return err
}

// fail breaks the transaction with an error that cannot be attributed to a statement.
func (p *packet) fail(err error) error {
	p.how.failed.Store(true)
	p.broken = &failedPacket{err}
	return p.broken
}

func conflicts(err *gomysql.MySQLError) bool {
	class := mysqlClass(err)
	return class == WriteConflict || class == LockTimeout
}

// exec sends a statement, with all queued statements before it.
func (s *session) exec(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	all := s.packet.joined(text, args)
	result, err := all.exec(ctx, s.link)
	if errors.Is(err, driver.ErrSkip) {
		return s.oneByOne(ctx, text, args)
	}
	return result, s.packet.sent(err)
}

// query is like exec, for a statement that reads. The reply to a read lacks the ids of rows that
// were inserted before it, so query sends the queue separately and first if an id is needed.
func (s *session) query(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	all := s.packet.joined(text, args)
	if len(all.ids) > 0 {
		if err := s.flush(ctx); err != nil {
			return nil, err
		}
		return s.link.QueryContext(ctx, text, args)
	}
	rows, err := s.link.QueryContext(ctx, all.text.String(), all.args)
	if errors.Is(err, driver.ErrSkip) {
		if err := s.flush(ctx); err != nil {
			return nil, err
		}
		return nil, driver.ErrSkip
	}
	return rows, s.packet.sent(err)
}

// oneByOne sends statements that the driver cannot interpolate into one text, for example
// because of the size limit: each statement alone, prepared if necessary.
func (s *session) oneByOne(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	all := s.packet.waiting
	if text != "" {
		all = append(all, waitingStatement{text: text, args: args})
	}
	if !s.packet.started {
		all = append([]waitingStatement{{text: startTransaction}}, all...)
	}
	_ = s.packet.sent(nil)
	var result driver.Result
	for _, w := range all {
		var err error
		if result, err = s.alone(ctx, w.text, w.args); err == nil {
			err = w.done(result)
		}
		if err != nil {
			return nil, s.packet.fail(err)
		}
	}
	return result, nil
}

// done checks the result of a statement that was sent alone.
func (w wait) done(result driver.Result) (err error) {
	if w.id != nil {
		*w.id, err = result.LastInsertId()
	}
	if rows, unknown := result.RowsAffected(); w.oneRow && (unknown != nil || rows != 1) {
		return errors.Join(fmt.Errorf("storage: %d rows were changed, want one", rows), unknown)
	}
	return err
}

// alone sends one statement, prepared if the driver cannot interpolate its values.
func (s *session) alone(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	result, err := s.link.ExecContext(ctx, text, args)
	if !errors.Is(err, driver.ErrSkip) {
		return result, err
	}
	statement, err := s.link.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer statement.Close()
	prepared, ok := statement.(driver.StmtExecContext)
	if !ok {
		return nil, errLacksMethod(statement)
	}
	return prepared.ExecContext(ctx, args)
}

// deferredResult is the preliminary result of a queued statement.
type deferredResult struct{}

// LastInsertId implements driver.Result. The id is unknown: 0.
func (deferredResult) LastInsertId() (int64, error) { return 0, nil }

// RowsAffected implements driver.Result.
func (deferredResult) RowsAffected() (int64, error) { return 1, nil }
