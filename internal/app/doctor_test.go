package app_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/settings"
	"interlock/internal/storage/storagetest"
)

func findings(t *testing.T, s settings.Storage, redisURL string) map[string]app.Finding {
	t.Helper()
	found := map[string]app.Finding{}
	for _, f := range app.Examine(t.Context(), s, redisURL) {
		require.NotEmpty(t, f.Says)
		found[f.What] = f
	}
	return found
}

func TestTheDoctorFindsTheEmbeddedDatabaseWell(t *testing.T) {
	s := settings.Storage{DataDir: t.TempDir(), MaxConnections: 4}
	_, err := app.Migrate(t.Context(), s)
	require.NoError(t, err)
	for what, f := range findings(t, s, "") {
		require.True(t, f.OK, "%s: %s", what, f.Says)
	}
}

func TestTheDoctorSaysWhatAServerCouldLoseAndWhatIsMissing(t *testing.T) {
	s := settings.Storage{DatabaseURL: storagetest.NewMariaDBURL(t), MaxConnections: 4}
	redisURL := os.Getenv("INTERLOCK_TEST_REDIS_URL")
	require.NotEmpty(t, redisURL, "run the tests through `make test`")
	found := findings(t, s, redisURL)
	require.True(t, found["database"].OK)
	require.False(t, found["schema"].OK)
	require.Contains(t, found["schema"].Says, "migrate up")
	require.False(t, found["innodb_flush_log_at_trx_commit"].OK, "the test server flushes once a second")
	require.Contains(t, found["innodb_flush_log_at_trx_commit"].Says, "lose")
	require.True(t, found["appendonly"].OK, "%s", found["appendonly"].Says)
}

func TestTheDoctorNamesWhatCannotBeReached(t *testing.T) {
	found := findings(t, settings.Storage{DatabaseURL: "mysql://root:hunter2@127.0.0.1:1/x", MaxConnections: 4}, "redis://127.0.0.1:1/0")
	require.False(t, found["database"].OK)
	require.False(t, found["redis"].OK)
	require.NotContains(t, found["database"].Says, "hunter2")
}
