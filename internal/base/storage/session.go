package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
)

// endTimeout bounds COMMIT and ROLLBACK on MySQL. A server without disk space for its binary log
// blocks a COMMIT for a minute and more.
const endTimeout = 8 * time.Second

// sessions creates the connections of a pool and observes the end of their transactions.
//
// A connection on which a COMMIT or a ROLLBACK failed is closed and never reused. Its
// server may have left the transaction open, as Galera does with 1047, and the START
// TRANSACTION of the next user would commit it: a change that was reported as rolled back
// would take effect. Closing the connection rolls it back.
type sessions struct {
	driver.Connector
	// bounded is set if the end of a transaction is a statement that can be aborted by
	// closing the connection.
	bounded bool
	// packets is set if the kind of server accepts several statements at a time; cluster
	// servers are excluded.
	packets bool
	// opened counts the created connections.
	opened *atomic.Uint64
	// limiter belongs to a server that bounds its connections; nil for a file. servers then
	// records the servers of the connections.
	limiter *poolLimiter
	servers *servers
}

// Connect implements driver.Connector.
func (s sessions) Connect(ctx context.Context) (driver.Conn, error) {
	if s.limiter == nil {
		return s.open(ctx)
	}
	made, err := s.limiter.connect(ctx, s.open)
	if !isTooManyConnections(err) && !errors.Is(err, driver.ErrBadConn) && ctx.Err() == nil {
		s.servers.tried(err)
	}
	if err != nil {
		return nil, err
	}
	s.servers.add(made.at)
	return made, nil
}

// open creates a connection, counts it, and configures it for its server.
func (s sessions) open(ctx context.Context) (*session, error) {
	if s.limiter == nil {
		link, err := openLink(ctx, s.Connector, s.opened)
		if err != nil {
			return nil, err
		}
		return &session{link: link, bounded: s.bounded}, nil
	}
	generation := s.servers.generation.Load()
	link, err := openLink(ctx, s.Connector, s.opened)
	if err != nil {
		return nil, err
	}
	if link, err = asEngine(ctx, link); err != nil {
		return nil, err
	}
	made := &session{link: link, bounded: s.bounded, limiter: s.limiter, servers: s.servers, generation: generation, made: clock.Mark()}
	if made.at, err = fitSession(ctx, link); err != nil {
		return nil, errors.Join(err, link.Close())
	}
	made.packets = s.packets && !made.at.shared
	return made, nil
}

// Close implements io.Closer; it is called when the pool is closed.
func (s sessions) Close() error {
	if s.limiter == nil {
		return nil
	}
	return s.limiter.end()
}

// openLink creates a connection and counts it.
func openLink(ctx context.Context, connector driver.Connector, opened *atomic.Uint64) (link, error) {
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	opened.Add(1)
	return asLink(conn)
}

// asLink returns a driver's connection as a link, or closes it.
func asLink(conn driver.Conn) (link, error) {
	made, ok := conn.(link)
	if !ok {
		return nil, errors.Join(errLacksMethod(conn), conn.Close())
	}
	return made, nil
}

// errLacksMethod rejects an unusable value of a driver.
func errLacksMethod(made any) error {
	return fmt.Errorf("storage: %T lacks a method of database/sql/driver", made)
}

// link is the interface of the drivers' connections.
type link interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// session is one connection, used by one goroutine at a time.
type session struct {
	link
	bounded bool
	packets bool
	// unusable is set when the state of its transaction is unknown.
	unusable bool
	// packet contains the deferred statements of a packed transaction; nil outside of one.
	packet *packet
	// commits counts the packets with a COMMIT.
	commits int64
	limiter *poolLimiter
	servers *servers
	// generation is the generation of the servers at the creation of the connection.
	generation uint64
	// at is the server of the connection, and made its creation time on the monotonic
	// clock.
	at   server
	made time.Time
}

// Close implements driver.Conn.
func (s *session) Close() error {
	if s.limiter == nil {
		return s.link.Close()
	}
	s.servers.remove(s.at)
	return s.limiter.close(s, s.IsValid())
}

// IsValid implements driver.Validator: an invalid connection is closed, not pooled.
func (s *session) IsValid() bool { return !s.unusable && s.isCurrent() && s.link.IsValid() }

// isCurrent reports whether the connection is of the current generation.
func (s *session) isCurrent() bool {
	return s.limiter == nil || s.generation == s.servers.generation.Load()
}

// ResetSession implements driver.SessionResetter, before a pooled connection is used again.
func (s *session) ResetSession(ctx context.Context) error {
	if !s.isCurrent() {
		return driver.ErrBadConn
	}
	return s.link.ResetSession(ctx)
}

// CheckNamedValue implements driver.NamedValueChecker.
func (s *session) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := s.link.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}
	return driver.ErrSkip
}

// ExecContext implements driver.ExecerContext.
func (s *session) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if err := s.refuseSeveral(text); err != nil {
		return nil, err
	}
	if s.packet == nil {
		return s.link.ExecContext(ctx, text, args)
	}
	size := sizeOf(text, args)
	if err := s.makeRoom(ctx, size); err != nil {
		return nil, err
	}
	if s.packet.waits(ctx, text, args, size) {
		return deferredResult{}, nil
	}
	return s.exec(ctx, text, args)
}

// QueryContext implements driver.QueryerContext.
func (s *session) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.refuseSeveral(text); err != nil {
		return nil, err
	}
	if s.packet == nil {
		return s.link.QueryContext(ctx, text, args)
	}
	if err := s.makeRoom(ctx, sizeOf(text, args)); err != nil {
		return nil, err
	}
	return s.query(ctx, text, args)
}

// PrepareContext implements driver.ConnPrepareContext.
func (s *session) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	if s.packet != nil {
		if err := s.flush(ctx); err != nil {
			return nil, err
		}
	}
	return s.link.PrepareContext(ctx, text)
}

// refuseSeveral ensures that on a multi-statement connection only packets contain several
// statements.
func (s *session) refuseSeveral(text string) error {
	if _, more, _ := strings.Cut(text, ";"); s.packets && strings.TrimSpace(more) != "" {
		return errSeveral
	}
	return nil
}

// BeginTx implements driver.ConnBeginTx.
func (s *session) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if how, packed := ctx.Value(packingKey{}).(*Packing); packed && s.packets {
		s.packet = &packet{how: how}
		return &transaction{session: s}, nil
	}
	tx, err := s.link.BeginTx(ctx, options)
	if err != nil {
		// The server may have executed BEGIN, and later statements on the connection would be part
		// of the transaction.
		s.unusable = s.unusable || s.bounded
		return nil, err
	}
	return &transaction{tx: tx, session: s}, nil
}

type transaction struct {
	tx      driver.Tx
	session *session
}

// Commit implements driver.Tx. Its error is a commitError if COMMIT was sent, or may have
// been.
func (t *transaction) Commit() error {
	err := t.session.end("COMMIT", t.tx)
	if err == nil || isRefused(err) {
		return err
	}
	return &commitError{cause: err, at: t.session.at}
}

// Rollback implements driver.Tx.
func (t *transaction) Rollback() error { return t.session.end("ROLLBACK", t.tx) }

func (s *session) end(statement string, tx driver.Tx) error {
	packet := s.packet
	defer func() { s.packet = nil }()
	if !s.bounded {
		end := tx.Rollback
		if statement == "COMMIT" {
			end = tx.Commit
		}
		err := end()
		s.unusable = s.unusable || err != nil
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	var err error
	switch {
	case packet != nil && statement == "COMMIT":
		err = s.commitPacked(ctx)
	case packet != nil && !packet.started:
		// The server has not received the transaction.
	default:
		_, err = s.link.ExecContext(ctx, statement, nil)
	}
	switch {
	case err == nil || isRefused(err):
		return err
	case ctx.Err() != nil:
		// The time-out has closed the connection.
		err = fmt.Errorf("%s took longer than %s: %w", statement, endTimeout, driver.ErrBadConn)
	}
	s.unusable = true
	return err
}

// commitError is the error of a COMMIT that was sent to a server. Any other error of COMMIT
// comes from database/sql, which found the transaction ended and sent nothing.
type commitError struct {
	cause error
	at    server
}

func (u *commitError) Error() string { return u.cause.Error() }
func (u *commitError) Unwrap() error { return u.cause }

// LinkChanges counts events after which the pools may lead to another server, or to an
// earlier state of the same one: each opened connection, and each one that was lost or
// has a server that became read-only. While it does not increase, all connections are the same
// as before.
func (db *DB) LinkChanges() uint64 { return db.links.Load() }
