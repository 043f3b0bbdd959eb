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

// A packet takes several statements of one transaction to MySQL at once, so that a row is
// locked for no longer than the server needs, however long the way to it is. A unit that
// changes one row and leaves its traces goes in one:
//
//	START TRANSACTION; UPDATE …; SET @one = …; INSERT …; INSERT …; COMMIT
//
// A statement that Deferred or DeferredOneRow marks waits in the session. It is sent before the next
// one that is not marked, or with COMMIT. The server stops at the first statement that fails,
// so a packet that fails has committed nothing, but which of its statements it was is hard to
// say: its Packing has Failed, and the caller runs all of it again with its statements one by
// one, where each error belongs to its statement. Until then the transaction is broken: it
// refuses every further statement, and its COMMIT is a ROLLBACK, also for a caller who thinks
// that the error was that of a statement which may fail.
//
// If the process, the link or the server goes down, the packet was executed whole or in part,
// is still to be executed, or never will be. Only COMMIT, its last statement, makes anything
// of it last; who wants to know asks for a row that the packet inserts, and must do so in a
// way that a packet which is still to come cannot pass (uow's resolveCommit).

// Packing says how the statements of a transaction went to the server.
type Packing struct{ failed atomic.Bool }

// Failed reports whether a packet failed of which nobody knows what in it. Its transaction is
// undone, unless the error is Undecided, and a run of it without packets says why.
func (p *Packing) Failed() bool { return p.failed.Load() }

type (
	packingKey struct{}
	waitKey    struct{}
)

// wait marks a statement that may wait for the next one.
type wait struct {
	// oneRow is set for a statement that must change exactly one row.
	oneRow bool
	// id is where the id of the row that it inserts is wanted; nil for nowhere.
	id *int64
}

// Deferred returns tx for statements whose results nobody reads: they may be sent with what
// comes after them. Of one that fails, the next statement or COMMIT has the error.
func Deferred(tx *gorm.DB) *gorm.DB { return marked(tx, wait{}) }

// DeferredID is Deferred for the insert of one row, whose model has the id; it is filled in when
// the transaction is committed, at the latest. It stays 0 when COMMIT took place and its reply
// was lost.
func DeferredID(tx *gorm.DB, id *int64) *gorm.DB { return marked(tx, wait{id: id}) }

// DeferredOneRow is Deferred for statements of which each changes exactly one row, or undoes the
// transaction. It is said to have changed one until the server says otherwise.
func DeferredOneRow(tx *gorm.DB) *gorm.DB { return marked(tx, wait{oneRow: true}) }

func marked(tx *gorm.DB, as wait) *gorm.DB { return tx.WithContext(waiting(tx, as)) }

// waiting is the context of a statement of tx that may wait.
func waiting(tx *gorm.DB, as wait) context.Context {
	return context.WithValue(tx.Statement.Context, waitKey{}, as)
}

// BeginPacked is Begin for a transaction whose marked statements go to the server in packets,
// where it takes them.
func (db *DB) BeginPacked(ctx, life context.Context, how *Packing) (*gorm.DB, error) {
	return db.Begin(ctx, context.WithValue(life, packingKey{}, how))
}

// changedOne fails, with the number outOfRange, unless the statement before it changed one
// row. SET, unlike DO, does not make a warning of it.
const (
	changedOne = "SET @one = 9223372036854775806 + IF(ROW_COUNT() = 1, 0, 9)"
	outOfRange = 1690
)

// reached notes in the session, just before COMMIT, that the packet has come so far, and
// whatReached asks for it. It counts, so that one packet's note is not taken for another's.
const (
	reached     = "SET @reached = ?"
	whatReached = "SELECT @reached"
)

// BetweenStatements keeps the statements of a packet apart. It is exported for tests that
// look at what is sent.
const BetweenStatements = ";\n"

// errSeveral refuses a text with more than one statement: only what was written here goes
// into packets, each statement by itself, and no text from outside is ever one.
var errSeveral = errors.New("storage: a statement must not go on after a semicolon")

// packetSize bounds what is sent at once, in bytes before quoting: a server closes the
// connection over which it is sent more than max_allowed_packet, which is 4 MiB and more. A
// statement that is longer goes by itself, as it would without packets.
const packetSize = 1 << 20

// packet is what of a transaction waits in its session.
type packet struct {
	how *Packing
	// begun is set once START TRANSACTION was sent.
	begun   bool
	waiting []waitingStatement
	size    int
	// broken is the error after which the transaction goes no further.
	broken error
}

type waitingStatement struct {
	wait
	text string
	args []driver.NamedValue
}

// failedPacket is the error of a packet of which nobody knows what in it failed.
type failedPacket struct{ cause error }

func (f *failedPacket) Error() string { return "a packet of statements: " + f.cause.Error() }
func (f *failedPacket) Unwrap() error { return f.cause }

// waits keeps a marked statement for later, and reports whether it was one.
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

// makeRoom sends what waits if so much more would be too much for one packet. It refuses what
// comes after the transaction has broken.
func (s *session) makeRoom(ctx context.Context, size int) error {
	switch {
	case s.packet.broken != nil:
		return s.packet.broken
	case len(s.packet.waiting) == 0 || s.packet.size+size <= packetSize:
		return nil
	}
	return s.flush(ctx)
}

// flush sends what waits, and begins the transaction if that has not been done.
func (s *session) flush(ctx context.Context) error {
	if s.packet.broken != nil || s.packet.begun && len(s.packet.waiting) == 0 {
		return s.packet.broken
	}
	_, err := s.exec(ctx, "", nil)
	return err
}

// multiStatement is what goes to the server at once.
type multiStatement struct {
	text strings.Builder
	args []driver.NamedValue
	// length is how many statements there are.
	length int
	// ids are where ids are wanted, by the places of their statements.
	ids map[int]*int64
}

// joined returns what waits, and behind it the given statement; "" for none.
func (p *packet) joined(text string, args []driver.NamedValue) *multiStatement {
	j := &multiStatement{}
	if !p.begun {
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

// exec sends it, and fills the ids in.
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

// sent forgets what waited, once the server may have it, and returns what its error says. Of
// one that conflicts with other transactions all is run again as it is.
func (p *packet) sent(err error) error {
	alone := len(p.waiting) == 0
	p.begun, p.waiting, p.size = true, nil, 0
	var fromServer *gomysql.MySQLError
	answered := errors.As(err, &fromServer)
	switch {
	case err == nil:
		return nil
	case alone && answered && mysqlClass(fromServer) != WriteConflict:
		// It is that of the one statement, and the server has kept the transaction.
		return err
	case errors.Is(err, driver.ErrBadConn), answered && !alone && !conflicts(fromServer):
		// Of ErrBadConn nothing was written: the connection had been closed while it lay idle.
		err = p.fail(err)
	}
	p.broken = err
	return err
}

// fail breaks the transaction by an error of which nobody knows what it belongs to.
func (p *packet) fail(err error) error {
	p.how.failed.Store(true)
	p.broken = &failedPacket{err}
	return p.broken
}

func conflicts(err *gomysql.MySQLError) bool {
	class := mysqlClass(err)
	return class == WriteConflict || class == LockTimeout
}

// exec sends a statement with all that waits before it.
func (s *session) exec(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	all := s.packet.joined(text, args)
	result, err := all.exec(ctx, s.link)
	if errors.Is(err, driver.ErrSkip) {
		return s.oneByOne(ctx, text, args)
	}
	return result, s.packet.sent(err)
}

// query is exec for a statement that reads. Its reply has no ids of rows that were inserted
// before it, so those go first if an id is wanted.
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

// oneByOne sends what the driver cannot write into one text, as when it is longer than the
// server takes: each statement by itself, and prepared if need be.
func (s *session) oneByOne(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	all := s.packet.waiting
	if text != "" {
		all = append(all, waitingStatement{text: text, args: args})
	}
	if !s.packet.begun {
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

// done looks at the result of a statement that went by itself.
func (w wait) done(result driver.Result) (err error) {
	if w.id != nil {
		*w.id, err = result.LastInsertId()
	}
	if rows, unknown := result.RowsAffected(); w.oneRow && (unknown != nil || rows != 1) {
		return errors.Join(fmt.Errorf("storage: %d rows were changed where one was meant", rows), unknown)
	}
	return err
}

// alone sends one statement, prepared if the driver cannot write its values into its text.
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

// deferredResult is what a statement that waits is said to have done.
type deferredResult struct{}

// LastInsertId implements driver.Result: 0, which stands for none.
func (deferredResult) LastInsertId() (int64, error) { return 0, nil }

// RowsAffected implements driver.Result.
func (deferredResult) RowsAffected() (int64, error) { return 1, nil }
