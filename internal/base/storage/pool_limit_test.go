package storage_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/racing"
)

// crowded returns the address of a database with a connection limit for its user, and an
// administrator's address.
func crowded(t *testing.T, connections int) (address, admin string) {
	t.Helper()
	admin = storagetest.NewMariaDBURL(t)
	u, err := url.Parse(admin)
	require.NoError(t, err)
	name := fmt.Sprintf("few%d", rand.Uint32())
	run(t, admin, fmt.Sprintf("CREATE USER %s@'%%' WITH MAX_USER_CONNECTIONS %d", name, connections))
	run(t, admin, fmt.Sprintf("GRANT ALL ON `%s`.* TO %s@'%%'", u.Path[1:], name))
	t.Cleanup(func() { run(t, admin, fmt.Sprintf("DROP USER %s@'%%'", name)) })
	u.User = url.User(name)
	return u.String(), admin
}

func run(t *testing.T, address, statement string) {
	t.Helper()
	db, err := storage.Open(context.WithoutCancel(t.Context()), storage.Options{URL: address, MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Write(storage.AcrossTenants(context.WithoutCancel(t.Context()))).Exec(statement).Error)
}

// waitForNoConnections waits until the server has closed the killed connections of a user; until
// then it counts them.
func waitForNoConnections(t *testing.T, admin, user string) {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: admin, MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	require.Eventually(t, func() bool {
		var connected int64
		err := db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = ?", user).Scan(&connected).Error
		return err == nil && connected == 0
	}, 10*time.Second, 10*time.Millisecond)
}

// unit reads and writes like a unit that reads outside its transaction.
func unit(ctx context.Context, db *storage.DB) error {
	tx, err := db.Begin(ctx, ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var one int
	if err := tx.Raw("SELECT 1").Scan(&one).Error; err != nil {
		return err
	}
	if err := db.Read(ctx).Raw("SELECT SLEEP(0.002)").Scan(&one).Error; err != nil {
		return err
	}
	return db.Commit(tx)
}

func TestReplicasShareScarceConnections(t *testing.T) {
	address, _ := crowded(t, 8)
	var replicas []*storage.DB
	for range 3 {
		db, err := storage.Open(t.Context(), storage.Options{URL: address})
		require.NoError(t, err)
		defer db.Close()
		replicas = append(replicas, db)
	}
	ctx := storage.AcrossTenants(t.Context())
	for _, db := range replicas {
		// Each pool has a connection before the burst starts.
		require.NoError(t, unit(ctx, db))
	}
	racing.Together(3*20, func(i int) {
		for range 20 {
			if err := unit(ctx, replicas[i%3]); err != nil {
				t.Errorf("replica %d: %v", i%3, err)
				return
			}
		}
	})
}

func TestPoolWaitsWhenTheServerHasNoFreeConnection(t *testing.T) {
	address, _ := crowded(t, 3)
	db, err := storage.Open(t.Context(), storage.Options{URL: address})
	require.NoError(t, err)
	defer db.Close()
	ctx := storage.AcrossTenants(t.Context())
	require.NoError(t, unit(ctx, db))
	pool := db.Pools()["write"]
	first, err := pool.Conn(ctx)
	require.NoError(t, err)
	second, err := pool.Conn(ctx)
	require.NoError(t, err)
	defer second.Close()
	opened := db.LinkChanges()
	go func() {
		clock.Sleep(ctx, 100*time.Millisecond)
		_ = first.Close()
	}()
	third, err := pool.Conn(ctx)
	require.NoError(t, err)
	require.Equal(t, opened, db.LinkChanges(), "it must be the first connection, not a new one")
	require.NoError(t, third.Close())
}

func TestShrunkPoolGrowsAgain(t *testing.T) {
	address, admin := crowded(t, 6)
	db, err := storage.Open(t.Context(), storage.Options{URL: address})
	require.NoError(t, err)
	defer db.Close()
	db.GrowEvery(50 * time.Millisecond)
	ctx := storage.AcrossTenants(t.Context())
	most := func() int { return db.Pools()["write"].Stats().MaxOpenConnections }
	full := most()
	require.NoError(t, unit(ctx, db))
	racing.Together(20, func(int) {
		if err := unit(ctx, db); err != nil {
			t.Error(err)
		}
	})
	require.Less(t, most(), full)

	u, err := url.Parse(address)
	require.NoError(t, err)
	run(t, admin, fmt.Sprintf("ALTER USER %s@'%%' WITH MAX_USER_CONNECTIONS 100", u.User.Username()))
	require.Eventually(t, func() bool { return most() == full }, life, 10*time.Millisecond)
	var together []*sql.Conn
	for range 20 {
		conn, err := db.Pools()["write"].Conn(ctx)
		require.NoError(t, err)
		together = append(together, conn)
	}
	require.Equal(t, 20, db.Pools()["write"].Stats().InUse)
	for _, conn := range together {
		require.NoError(t, conn.Close())
	}
}

func TestLastConnectionIsRetained(t *testing.T) {
	address, _ := crowded(t, 4)
	db, err := storage.Open(t.Context(), storage.Options{URL: address, MaxIdleTime: 20 * time.Millisecond})
	require.NoError(t, err)
	defer db.Close()
	other, err := storage.Open(t.Context(), storage.Options{URL: address})
	require.NoError(t, err)
	defer other.Close()
	ctx := storage.AcrossTenants(t.Context())
	require.NoError(t, unit(ctx, db))
	waitForClosed(t, db)
	release := takeAll(t, other)
	defer release()
	require.NoError(t, unit(ctx, db))
}

// takeAll opens all connections that the server grants, and returns a function that
// releases them.
func takeAll(t *testing.T, db *storage.DB) (release func()) {
	t.Helper()
	var taken []*sql.Conn
	for {
		ctx, end := context.WithTimeout(t.Context(), 300*time.Millisecond)
		conn, err := db.Pools()["write"].Conn(ctx)
		end()
		if err != nil {
			return func() {
				for _, conn := range taken {
					_ = conn.Close()
				}
			}
		}
		taken = append(taken, conn)
	}
}

func TestPoolWithoutConnectionsWaitsForOne(t *testing.T) {
	address, admin := crowded(t, 4)
	holder, err := storage.Open(t.Context(), storage.Options{URL: address})
	require.NoError(t, err)
	defer holder.Close()
	db, err := storage.Open(t.Context(), storage.Options{URL: address})
	require.NoError(t, err)
	defer db.Close()
	ctx := storage.AcrossTenants(t.Context())
	require.NoError(t, unit(ctx, db))

	u, err := url.Parse(address)
	require.NoError(t, err)
	run(t, admin, "KILL HARD USER "+u.User.Username())
	waitForNoConnections(t, admin, u.User.Username())
	release := takeAll(t, holder)
	require.True(t, storage.Is(db.Ping(ctx), storage.Unavailable), "no connection is available, and none is released")
	go func() {
		clock.Sleep(ctx, 300*time.Millisecond)
		release()
		_ = holder.Close()
	}()
	require.NoError(t, db.Ping(ctx))
	require.NoError(t, unit(ctx, db))
}

func TestStartReportsServerWithoutFreeConnection(t *testing.T) {
	address, _ := crowded(t, 2)
	holder, err := storage.Open(t.Context(), storage.Options{URL: address})
	require.NoError(t, err)
	defer holder.Close()
	_, err = storage.Open(t.Context(), storage.Options{URL: address})
	require.ErrorContains(t, err, "max_user_connections")
}

func TestPoolOfOneWarnsOnceOfRejectedConnection(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	require.Error(t, storage.ConnectCrowded(ctx))
	require.Equal(t, 1, strings.Count(log.String(), "no further connection granted"), log.String())
}
