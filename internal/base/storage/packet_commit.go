package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"strconv"

	gomysql "github.com/go-sql-driver/mysql"
)

// commitPacked sends the queued statements together with COMMIT. After an error of the
// server, the session shows whether COMMIT was reached: an earlier statement leaves the
// transaction open, and commitPacked rolls it back. After an error of COMMIT, or without a
// reply, the outcome is unknown.
func (s *session) commitPacked(ctx context.Context) error {
	p := s.packet
	switch {
	case p.broken != nil:
		return s.undo(ctx, p.broken)
	case len(p.waiting) == 0:
		if !p.started {
			return nil
		}
		_, err := s.link.ExecContext(ctx, "COMMIT", nil)
		return err
	}
	s.commits++
	all := p.joined(reached, []driver.NamedValue{{Ordinal: 1, Value: s.commits}})
	all.add("COMMIT", nil)
	_, err := all.exec(ctx, s.link)
	var fromServer *gomysql.MySQLError
	switch {
	case errors.Is(err, driver.ErrSkip):
		s.commits--
		if err := s.flush(ctx); err != nil {
			return s.undo(ctx, err)
		}
		_, err = s.link.ExecContext(ctx, "COMMIT", nil)
		return err
	case errors.Is(err, driver.ErrBadConn) && ctx.Err() == nil:
		s.unusable = true
		return &rejected{p.sent(err)}
	case errors.As(err, &fromServer) && !s.mayHaveReached(ctx, s.commits):
		s.commits--
		return s.undo(ctx, p.sent(err))
	}
	return err
}

// mayHaveReached reports whether the session has reached the COMMIT with this number, or
// whether that is unknown.
func (s *session) mayHaveReached(ctx context.Context, commit int64) bool {
	rows, err := s.link.QueryContext(ctx, readReached, nil)
	if err != nil {
		return true
	}
	defer rows.Close()
	row := make([]driver.Value, 1)
	if err := rows.Next(row); err != nil {
		return true
	}
	if row[0] == nil {
		// No earlier COMMIT was reached either; or a proxy used another session.
		return commit > 1
	}
	last, err := strconv.ParseInt(textOf(row[0]), 10, 64)
	return err != nil || last >= commit
}

// undo rolls back after a statement has failed, and returns its error.
func (s *session) undo(ctx context.Context, failed error) error {
	if _, err := s.link.ExecContext(ctx, "ROLLBACK", nil); err != nil {
		s.unusable = true
	}
	return &rejected{failed}
}

// rejected is the error of a statement that was sent with COMMIT and failed before it.
type rejected struct{ cause error }

func (r *rejected) Error() string { return r.cause.Error() }
func (r *rejected) Unwrap() error { return r.cause }

func isRefused(err error) bool {
	var r *rejected
	return errors.As(err, &r)
}
