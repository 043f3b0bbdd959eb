package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/claim"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/settings"
	"interlock/internal/views/engines"
)

func findings(t *testing.T, s settings.Storage, redisURL string) map[string]engines.Finding {
	t.Helper()
	found := map[string]engines.Finding{}
	for _, f := range app.Examine(t.Context(), s, redisURL) {
		require.NotEmpty(t, f.Says)
		found[f.What()] = f
	}
	return found
}

func TestDoctorReportsAHealthyEmbeddedDatabase(t *testing.T) {
	s := settings.Storage{DataDir: t.TempDir(), MaxConnections: 4}
	_, err := app.Migrate(t.Context(), s)
	require.NoError(t, err)
	for what, f := range findings(t, s, "") {
		require.Equal(t, engines.OK, f.Level, "%s: %s", what, f.Says)
	}
}

func TestDoctorReportsRisksAndMissingMigrations(t *testing.T) {
	s := settings.Storage{DatabaseURL: storagetest.NewMariaDBURL(t), MaxConnections: 4}
	redis := redistest.NewServer(t)
	found := findings(t, s, redis.URL())
	require.Equal(t, engines.OK, found["database"].Level)
	require.Equal(t, engines.Broken, found["database schema"].Level)
	require.Contains(t, found["database schema"].Says, "migrate up")
	require.Equal(t, engines.Risk, found["database innodb_flush_log_at_trx_commit"].Level, "the test server flushes once a second")
	require.Contains(t, found["database innodb_flush_log_at_trx_commit"].Says, "loses the acknowledged writes of about the last second")
	require.Equal(t, engines.OK, found["redis"].Level)
	require.Equal(t, engines.OK, found["redis appendonly"].Level, "%s", found["redis appendonly"].Says)
	require.Equal(t, engines.Risk, found["redis appendfsync"].Level, "%s", found["redis appendfsync"].Says)
	for _, clock := range []string{"database clock", "redis clock"} {
		require.Equal(t, engines.OK, found[clock].Level, "%s", found[clock].Says)
	}
}

func TestDoctorReportsTheClaimingServer(t *testing.T) {
	s := settings.Storage{DatabaseURL: storagetest.NewMariaDBURL(t), MaxConnections: 4}
	_, err := app.Migrate(t.Context(), s)
	require.NoError(t, err)
	server := func(redisURL string) engines.Finding { return findings(t, s, redisURL)["database server"] }
	require.Contains(t, server("").Says, "No server uses it")

	db, err := storage.Open(t.Context(), storage.Options{URL: s.URL(), MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	c, err := claim.Acquire(t.Context(), claim.Options{DB: db, Role: "all"})
	require.NoError(t, err)
	alone := server("")
	require.Equal(t, engines.OK, alone.Level)
	require.Contains(t, alone.Says, fmt.Sprintf("One server without Redis uses it: process %d on ", os.Getpid()))
	c.Release()

	c, err = claim.Acquire(t.Context(), claim.Options{DB: db, Role: "api", Shared: true})
	require.NoError(t, err)
	defer c.Release()
	require.Equal(t, engines.OK, server(redistest.SharedURL(t)).Level)
	unseen := server("")
	require.Equal(t, engines.Unknown, unseen.Level, "a doctor that is not shown the servers' Redis does not call it well")
	require.Contains(t, unseen.Says, "set INTERLOCK_REDIS_URL for this command too")
}

func TestDoctorNamesUnreachableEngines(t *testing.T) {
	found := findings(t, settings.Storage{DatabaseURL: "mysql://root:hunter2@127.0.0.1:1/x", MaxConnections: 4}, "redis://127.0.0.1:1/0")
	require.Equal(t, engines.Broken, found["database"].Level)
	require.Equal(t, engines.Broken, found["redis"].Level)
	require.NotContains(t, found["database"].Says, "hunter2")
}

func TestDoctorChecksCertificateOfHTTPSAddress(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	findings := app.ExamineAddress(t.Context(), "customer-keys", server.URL)
	require.Len(t, findings, 1)
	require.Equal(t, engines.Broken, findings[0].Level, "no authority signed it")
	require.Contains(t, findings[0].Says, "certificate")
	require.Empty(t, app.ExamineAddress(t.Context(), "customer-keys", "http://127.0.0.1:1"))
}
