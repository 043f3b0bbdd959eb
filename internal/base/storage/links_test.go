package storage_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"

	gomysql "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

func TestChangesOfLinksAreCounted(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		ask := func() { require.NoError(t, db.Read(storage.AcrossTenants(ctx)).Exec("SELECT 1").Error) }
		ask()
		before := db.LinkChanges()
		require.NotZero(t, before, "one was opened")
		ask()
		_ = db.Classify(errors.New("no engine"))
		_ = db.Classify(&gomysql.MySQLError{Number: 1213})
		require.Equal(t, before, db.LinkChanges(), "statements and rejections change none")

		lost := db.Classify(driver.ErrBadConn)
		require.Equal(t, before+1, db.LinkChanges())
		_ = db.Classify(lost)
		require.Equal(t, before+1, db.LinkChanges(), "one loss is counted once")
		_ = db.Classify(&gomysql.MySQLError{Number: 1290})
		require.Equal(t, before+2, db.LinkChanges(), "a server that became read-only")

		first, err := db.Pools()["read"].Conn(ctx)
		require.NoError(t, err)
		defer first.Close()
		second, err := db.Pools()["read"].Conn(ctx)
		require.NoError(t, err)
		defer second.Close()
		opened := map[storage.Dialect]uint64{storage.SQLite: 1, storage.MySQL: 2}[db.Dialect]
		require.Equal(t, before+2+opened, db.LinkChanges(), "a second connection of the pool, and one that replaces the closed one")
	})
}
