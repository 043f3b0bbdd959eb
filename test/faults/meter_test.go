package faults_test

import (
	"database/sql"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/settings"
	"interlock/test/apptest"
)

// meter counts the statements of one program's MariaDB and the commands of its Redis.
type meter struct {
	pool  *sql.DB
	redis redis.UniversalClient
}

// alone returns settings, of default sizes, for a program with separate servers.
func alone(t *testing.T, options ...string) (settings.Settings, meter) {
	t.Helper()
	m, server := newMariaDB(t, options...), redistest.NewServer(t)
	s := apptest.Settings(t.TempDir())
	s.Addr, s.DatabaseURL, s.RedisURL, s.MaxConnections = freeAddress(t), m.url(), server.URL(), 48
	admin(t, s, "migrate", "up")
	pool := m.connect(t)
	pool.SetMaxOpenConns(1)
	return s, meter{pool: pool, redis: redistest.Connect(t, server.URL())}
}

// status reads the server's counters with matching names.
func (m meter) status(t *testing.T, like string) map[string]int {
	t.Helper()
	rows, err := m.pool.Query("SHOW GLOBAL STATUS LIKE '" + like + "'")
	require.NoError(t, err)
	defer rows.Close()
	counted := map[string]int{}
	for rows.Next() {
		var name, value string
		require.NoError(t, rows.Scan(&name, &value))
		if n, err := strconv.Atoi(value); err == nil {
			counted[name] = n
		}
	}
	require.NoError(t, rows.Err())
	return counted
}

// commands reads how often Redis ran each command, including those inside scripts.
func (m meter) commands(t *testing.T) map[string]int {
	t.Helper()
	info, err := m.redis.Info(t.Context(), "commandstats").Result()
	require.NoError(t, err)
	ran := map[string]int{}
	for line := range strings.Lines(info) {
		name, rest, found := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":calls=")
		if !found || name == "info" {
			continue
		}
		calls, _, _ := strings.Cut(rest, ",")
		ran[name], err = strconv.Atoi(calls)
		require.NoError(t, err, line)
	}
	return ran
}

// during returns the statements of MariaDB and the commands of Redis per second, and logs
// them.
func (m meter) during(t *testing.T, d time.Duration) (statements, commands float64) {
	t.Helper()
	queries, kinds, ran, start := m.status(t, "Questions")["Questions"], m.status(t, "Com\\_%"), m.commands(t), time.Now()
	pause(t.Context(), d)
	took := time.Since(start).Seconds()
	// The last query of the first reading and the query of the second one are the test's.
	own := 2
	statements = float64(m.status(t, "Questions")["Questions"]-queries-own) / took
	for _, n := range grown(ran, m.commands(t)) {
		commands += float64(n) / took
	}
	t.Logf("in %.0f s: %.2f statements a second, %.2f Redis commands a second; %d connections to MariaDB",
		took, statements, commands, m.status(t, "Threads_connected")["Threads_connected"]-1)
	t.Logf("statements: %v", grown(kinds, m.status(t, "Com\\_%")))
	t.Logf("commands: %v", grown(ran, m.commands(t)))
	return statements, commands
}

// grown returns the increase of counters.
func grown(before, after map[string]int) map[string]int {
	maps.DeleteFunc(after, func(name string, n int) bool { return n == before[name] })
	for name := range after {
		after[name] -= before[name]
	}
	return after
}
