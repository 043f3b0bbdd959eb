package basetest

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/backup"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// leftOvers returns the databases and folders of trials next to a database.
func leftOvers(t *testing.T, at storage.Options) []string {
	t.Helper()
	if path, embedded := strings.CutPrefix(at.URL, "sqlite://"); embedded {
		left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".interlock-verify-*"))
		require.NoError(t, err)
		return left
	}
	db := storagetest.Open(t, at.URL)
	defer db.Close()
	var left []string
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).
		Raw("SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE CONCAT(DATABASE(), '\\_verify\\_%')").Scan(&left).Error)
	return left
}

// Proves R4.
func TestBackupTrialLeavesNoTrace(t *testing.T) {
	each(t, func(t *testing.T, at place) {
		was := fill(t, at.from)
		file := filepath.Join(t.TempDir(), "backup")
		written, err := backup.Write(t.Context(), at.from, file)
		require.NoError(t, err)
		live := storagetest.Open(t, at.from.URL)
		audit(t, live, "later", clock.System{}.Now())

		// The verdict comes with an interruption, which must not prevent the removal of the
		// trial.
		broken := errors.New("a promise does not hold")
		ctx, interrupt := context.WithCancel(t.Context())
		err = backup.Try(ctx, at.from, file, func(_ context.Context, tried storage.Options, content backup.Content) error {
			require.Equal(t, written.LastTime.UTC(), content.LastTime.UTC())
			require.NotEqual(t, at.from.URL, tried.URL)
			db := storagetest.Open(t, tried.URL)
			require.Equal(t, []string{"first"}, units(t, db))
			require.Len(t, leftOvers(t, at.from), 1)
			require.NoError(t, db.Close())
			interrupt()
			return broken
		})
		require.ErrorIs(t, err, broken)
		require.Empty(t, leftOvers(t, at.from))
		require.Equal(t, []string{"first", "later"}, units(t, live))
		now, err := epoch.Read(t.Context(), live)
		require.NoError(t, err)
		require.Equal(t, was, now)
		require.Equal(t, 1, count(t, live, "SELECT COUNT(*) FROM sessions WHERE tenant_id = 7"), "the live sessions are unchanged")
	})
}

func TestTrialOfIncompleteBackupIsRejected(t *testing.T) {
	each(t, func(t *testing.T, at place) {
		fill(t, at.from)
		file := filepath.Join(t.TempDir(), "backup")
		_, err := backup.Write(t.Context(), at.from, file)
		require.NoError(t, err)
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		for name, text := range map[string][]byte{"cut off": whole[:len(whole)-len(whole)/3], "anything": bytes.Repeat([]byte("no backup\n"), 1000)} {
			bad := filepath.Join(t.TempDir(), "bad")
			require.NoError(t, os.WriteFile(bad, text, 0o600))
			require.Error(t, backup.Try(t.Context(), at.from, bad, func(context.Context, storage.Options, backup.Content) error { return nil }), name)
			require.Empty(t, leftOvers(t, at.from), name)
		}
	})
}

// Proves R4.
func TestMissingPrivilegeForATrialReturnsAdvice(t *testing.T) {
	at := storage.Options{URL: storagetest.NewMariaDBURL(t)}
	require.NoError(t, storagetest.Migrate(at.URL))
	fill(t, at)
	file := filepath.Join(t.TempDir(), "backup")
	_, err := backup.Write(t.Context(), at, file)
	require.NoError(t, err)

	address, err := url.Parse(at.URL)
	require.NoError(t, err)
	database := strings.Trim(address.Path, "/")
	name := "trial_" + database[len(database)-8:]
	db := storagetest.Open(t, at.URL)
	write := db.Write(storage.AcrossTenants(t.Context()))
	require.NoError(t, write.Exec("CREATE USER '"+name+"'@'%' IDENTIFIED BY 'secret'").Error)
	t.Cleanup(func() {
		_ = db.Write(storage.AcrossTenants(context.Background())).Exec("DROP USER '" + name + "'@'%'").Error
	})
	require.NoError(t, write.Exec("GRANT ALL ON `"+database+"`.* TO '"+name+"'@'%'").Error)
	address.User = url.UserPassword(name, "secret")
	at.URL = address.String()
	none := func(context.Context, storage.Options, backup.Content) error { return nil }
	err = backup.Try(t.Context(), at, file, none)
	require.ErrorContains(t, err, "needs CREATE and DROP")
	require.NotContains(t, err.Error(), "secret")

	require.NoError(t, write.Exec("GRANT CREATE, DROP, SELECT, INSERT, UPDATE, DELETE, ALTER, INDEX, REFERENCES, CREATE TEMPORARY TABLES, LOCK TABLES ON `"+database+"\\_verify\\_%`.* TO '"+name+"'@'%'").Error)
	require.NoError(t, backup.Try(t.Context(), at, file, none))
}
