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

// endPatience is how long COMMIT and ROLLBACK are waited for on MySQL. A server whose
// binary log has no room holds a COMMIT for a minute and more.
const endPatience = 8 * time.Second

// sessions makes the connections of a pool. Of each it sees how its transactions end.
//
// A connection on which a COMMIT or a ROLLBACK failed is closed and never used again. Its
// server may have kept the transaction open, as Galera does when it answers 1047, and the
// START TRANSACTION of the next user would commit it: a change of which somebody was told
// that it was undone would come back. The end of the connection undoes it.
type sessions struct {
	driver.Connector
	// bounded says that the end of a transaction is a statement that can be given up by
	// closing the connection.
	bounded bool
	// packets says that the server is of a kind that takes several statements at once; one of
	// a cluster is not sent them.
	packets bool
	// opened counts the connections that were made.
	opened *atomic.Uint64
	// limiter is of a server that bounds its connections; nil for a file. servers then knows
	// which they lead to.
	limiter *poolLimiter
	servers *servers
}

// Connect implements driver.Connector.
func (s sessions) Connect(ctx context.Context) (driver.Conn, error) {
	if s.limiter == nil {
		return s.open(ctx)
	}
	made, err := s.limiter.connect(ctx, s.open)
	if err != nil {
		return nil, err
	}
	s.servers.add(made.at)
	return made, nil
}

// open makes a connection, counts it, and fits it to its server.
func (s sessions) open(ctx context.Context) (*session, error) {
	link, err := openLink(ctx, s.Connector, s.opened)
	if err != nil {
		return nil, err
	}
	if s.limiter == nil {
		return &session{link: link, bounded: s.bounded}, nil
	}
	if link, err = asEngine(ctx, link); err != nil {
		return nil, err
	}
	made := &session{link: link, bounded: s.bounded, limiter: s.limiter, servers: s.servers, made: clock.Mark()}
	if made.at, err = fitSession(ctx, link); err != nil {
		return nil, errors.Join(err, link.Close())
	}
	made.packets = s.packets && !made.at.shared
	return made, nil
}

// Close implements io.Closer, for the pool's own end.
func (s sessions) Close() error {
	if s.limiter == nil {
		return nil
	}
	return s.limiter.end()
}

// openLink makes a connection and counts it.
func openLink(ctx context.Context, connector driver.Connector, opened *atomic.Uint64) (link, error) {
	conn, err := connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	opened.Add(1)
	return asLink(conn)
}

// asLink returns a connection of a driver as a link, or closes it.
func asLink(conn driver.Conn) (link, error) {
	made, ok := conn.(link)
	if !ok {
		return nil, errors.Join(errLacksMethod(conn), conn.Close())
	}
	return made, nil
}

// errLacksMethod refuses what a driver made and cannot be used.
func errLacksMethod(made any) error {
	return fmt.Errorf("storage: %T lacks a method of database/sql/driver", made)
}

// link is what the drivers' connections have.
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

// session is one connection. database/sql lets one goroutine at a time use it.
type session struct {
	link
	bounded bool
	packets bool
	// unusable is set once nobody knows in which state its transaction is.
	unusable bool
	// packet is what of a packed transaction waits; nil outside of one.
	packet *packet
	// commits counts the packets with a COMMIT.
	commits int64
	limiter *poolLimiter
	servers *servers
	// at is the server that the connection was made to, and made when, on the monotonic clock.
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
func (s *session) IsValid() bool { return !s.unusable && s.link.IsValid() }

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

// refuseSeveral sees to it that a connection which takes several statements at once is given
// them by packets alone.
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
		// It may have begun, and what comes next on the connection would be a part of it.
		s.unusable = s.unusable || s.bounded
		return nil, err
	}
	return &transaction{tx: tx, session: s}, nil
}

type transaction struct {
	tx      driver.Tx
	session *session
}

// Commit implements driver.Tx. Its error is a commitError: COMMIT was sent, or may
// have been.
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
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	var err error
	switch {
	case packet != nil && statement == "COMMIT":
		err = s.commitPacked(ctx)
	case packet != nil && !packet.begun:
		// The server never heard of it.
	default:
		_, err = s.link.ExecContext(ctx, statement, nil)
	}
	switch {
	case err == nil || isRefused(err):
		return err
	case ctx.Err() != nil:
		// Giving it up has closed the connection.
		err = fmt.Errorf("%s took longer than %s: %w", statement, endPatience, driver.ErrBadConn)
	}
	s.unusable = true
	return err
}

// commitError is what a COMMIT failed with that was sent to a server. An error of COMMIT that is
// none comes from database/sql, which found the transaction ended and sent nothing.
type commitError struct {
	cause error
	at    server
}

func (u *commitError) Error() string { return u.cause.Error() }
func (u *commitError) Unwrap() error { return u.cause }

// LinkChanges counts what could have put another server, or an earlier state of this one,
// behind the pools: each connection that was opened, and each that was lost or found its
// server read-only. While it does not grow, the connections that are there are those that
// were there.
func (db *DB) LinkChanges() uint64 { return db.links.Load() }
