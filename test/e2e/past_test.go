package e2e_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/settings"
	"interlock/test/apptest"
)

// again repeats the creation of an item until the item is created again, and requires that
// it exists then.
func again(t *testing.T, c *apptest.Caller, key, sku string, within time.Duration) apptest.Answer {
	t.Helper()
	until := time.Now().Add(within)
	for {
		answer := keyed(t, c, key, sku)
		if answer.Status == http.StatusCreated && !isReplay(answer) {
			require.EqualValues(t, 1, rows(t, c, "items", "sku = ?", sku))
			require.True(t, isReplay(keyed(t, c, key, sku)), "the creation is replayed")
			return answer
		}
		require.Truef(t, time.Now().Before(until), "%d %s; replay: %t; in the database: %d",
			answer.Status, answer.Body, isReplay(answer), rows(t, c, "items", "sku = ?", sku))
		pauseFor(t.Context(), 50*time.Millisecond)
	}
}

func pauseFor(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

// No notice announces that the database was restored. The record's id belongs to another
// record by then.
// Proves R1.
func TestLostEffectIsNotReplayedFromMemory(t *testing.T) {
	var with settings.Settings
	onEachEngine(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		require.Equal(t, http.StatusCreated, keyed(t, c, "k-0", "COFFEE").Status)
		goBack := storagetest.Past(t, with.URL())
		first := keyed(t, c, "k-1", "TEA")
		require.Equal(t, http.StatusCreated, first.Status, "%s", first.Body)
		goBack()
		require.Zero(t, rows(t, c, "items", "sku = 'TEA'"))
		require.Equal(t, http.StatusCreated, keyed(t, c, "k-2", "COCOA").Status)
		again(t, c, "k-1", "TEA", patience)
		require.True(t, isReplay(keyed(t, c, "k-0", "COFFEE")), "requests of the database are replayed as before")
		require.EqualValues(t, 1, rows(t, c, "idempotency_keys", "idempotency_key = 'k-1'"))
	}, func(s *settings.Settings) { with = *s })
}

// The file is restored while the program is stopped; its Redis continues to run.
// Proves R1.
func TestOlderDatabaseFileReplaysNoLostReply(t *testing.T) {
	s := apptest.Settings(t.TempDir())
	s.RedisURL = redistest.NewServer(t).URL()
	path, _ := s.SQLitePath()
	var c *apptest.Caller
	run := func(t *testing.T, work func()) {
		t.Run("", func(t *testing.T) {
			p := apptest.Start(t, s)
			if c == nil {
				c = p.Admin(t)
			}
			c.Program = p
			work()
		})
	}
	run(t, func() { require.Equal(t, http.StatusCreated, keyed(t, c, "k-0", "COFFEE").Status) })
	backup := path + ".backup"
	copyFile(t, path, backup)
	run(t, func() { require.Equal(t, http.StatusCreated, keyed(t, c, "k-1", "TEA").Status) })
	copyFile(t, backup, path)
	run(t, func() {
		require.True(t, isReplay(keyed(t, c, "k-0", "COFFEE")))
		again(t, c, "k-1", "TEA", 0)
	})
}

// copyFile copies the database of a stopped program, so that there is no separate log
// file.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	require.NoFileExists(t, from+"-wal")
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.Create(to)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	require.NoError(t, out.Close())
}
