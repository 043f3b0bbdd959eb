package storage_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// splitter is a connection through a proxy that sends each nth read outside of a transaction to a replica.
type splitter struct {
	nth, reads int
	within     bool
}

func (s *splitter) Connect(context.Context) (driver.Conn, error) { return s, nil }
func (s *splitter) Driver() driver.Driver                        { return nil }
func (s *splitter) Prepare(string) (driver.Stmt, error)          { return nil, driver.ErrSkip }
func (s *splitter) Close() error                                 { return nil }
func (s *splitter) Begin() (driver.Tx, error)                    { s.within = true; return s, nil }
func (s *splitter) Commit() error                                { s.within = false; return nil }
func (s *splitter) Rollback() error                              { s.within = false; return nil }

func (s *splitter) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), nil
}

func (s *splitter) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	if s.reads++; !s.within && s.nth > 0 && s.reads%s.nth == 0 {
		return &oneRow{value: "replica 3306 2"}, nil
	}
	return &oneRow{value: "primary 3306 1"}, nil
}

type oneRow struct{ value string }

func (*oneRow) Columns() []string { return []string{"who"} }
func (*oneRow) Close() error      { return nil }
func (r *oneRow) Next(into []driver.Value) error {
	if r.value == "" {
		return io.EOF
	}
	into[0], r.value = r.value, ""
	return nil
}

func TestReadWriteSplittingProxyIsRejected(t *testing.T) {
	for nth, unfit := range map[int]bool{0: false, 1: true, 2: true, 4: true} {
		err := storage.CheckSplitting(t.Context(), sql.OpenDB(&splitter{nth: nth}))
		if !unfit {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, storage.ErrUnfit)
		require.Contains(t, err.Error(), "connect to the primary itself")
		require.True(t, strings.Contains(err.Error(), "replica 3306 2"))
	}
	address := storagetest.NewMariaDBURL(t)
	require.NoError(t, storagetest.Migrate(address))
	require.NoError(t, storagetest.Open(t, address).CheckSplitting(t.Context()))
}
