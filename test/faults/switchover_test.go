package faults_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/test/apptest"
)

// A planned switchover leaves the old primary running and read-only, as managed databases do it.
func TestReadOnlyDatabaseIsNotReadyAndRecovers(t *testing.T) {
	t.Parallel()
	m := newMariaDB(t)
	// Root may write to a server that is read-only.
	m.run(t, "CREATE USER 'app'@'%'", "GRANT ALL ON interlock.* TO 'app'@'%'")
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL = strings.Replace(m.url(), "root@", "app@", 1)
	_, err := app.Migrate(t.Context(), s.Storage)
	require.NoError(t, err)
	_, c := serveHere(t, s)
	newItem(t, c, "BEFORE")
	require.Equal(t, http.StatusOK, status(t.Context(), c, "/readyz"))

	m.run(t, "SET GLOBAL read_only = ON")
	refused := c.Do(t, http.MethodPost, "/api/v1/items", object{"sku": "NOW", "name": "Green tea", "price": 1990})
	require.Equal(t, http.StatusServiceUnavailable, refused.Status, "%s", refused.Body)
	require.Equal(t, "unavailable", refused.Code())
	ready := c.Do(t, http.MethodGet, "/readyz", nil)
	require.Equal(t, http.StatusServiceUnavailable, ready.Status)
	require.Contains(t, string(ready.Body), "the database is read-only")
	require.Equal(t, http.StatusOK, status(t.Context(), c, "/api/v1/items"), "reads continue")

	m.run(t, "SET GLOBAL read_only = OFF")
	require.Eventually(t, func() bool { return status(t.Context(), c, "/readyz") == http.StatusOK }, 10*time.Second, 20*time.Millisecond)
	newItem(t, c, "AFTER")
}
