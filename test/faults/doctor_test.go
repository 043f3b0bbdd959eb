package faults_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/settings"
	"interlock/internal/views/engines"
	"interlock/test/tier"
)

// doctor runs `admin doctor` and returns its exit code and its output.
func doctor(t *testing.T, s settings.Settings) (code int, says string) {
	t.Helper()
	command := exec.Command(programPath, "doctor")
	command.Env = environment(s)
	output, err := command.Output()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
	}
	return command.ProcessState.ExitCode(), string(output)
}

// Proves G5.45.
func TestStartAndDoctorReportRisks(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	server := redistest.NewServer(t)
	redis := redistest.Connect(t, server.URL())
	s := fresh(t, "sqlite")
	s.Addr, s.RedisURL, s.LogLevel = freeAddress(t), server.URL(), "warn"
	p := serve(t, s)
	const sentence = "redis appendfsync: It is everysec. A crash of the machine loses about the last second"
	require.Equal(t, 1, strings.Count(p.output.String(), sentence), "one line: %s", p.output)
	require.Less(t, strings.Index(p.output.String(), sentence), strings.Index(p.output.String(), "Interlock is at"), "before it serves")

	code, says := doctor(t, s)
	require.Equal(t, 1, code, says)
	require.Regexp(t, `(?m)^BAD  redis appendfsync +It is everysec\..* Set appendfsync to always`, says)
	require.Regexp(t, `(?m)^ok   database synchronous +It is 2`, says)

	require.NoError(t, redis.ConfigSet(t.Context(), "appendfsync", "always").Err())
	code, says = doctor(t, s)
	require.Zero(t, code, says)
	require.NotContains(t, says, "BAD")
}

// awaitFinding waits for a finding with that name and level and returns it. Its text must contain
// says.
func awaitFinding(t *testing.T, db *storage.DB, name string, level engines.Level, says string) engines.Finding {
	t.Helper()
	var found engines.Finding
	require.Eventually(t, func() bool {
		report := engines.Probe{DB: db, Clock: clock.System{}}.Inspect(t.Context())
		for _, f := range report.Findings {
			if f.Name == name {
				found = f
			}
		}
		return found.Level == level && strings.Contains(found.Says, says)
	}, patience, 50*time.Millisecond, "%s was never %s and reported: %s", name, level, says)
	return found
}

// Proves G5.43.
func TestLossOnMariaDBFailoverIsReported(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	primary := newMariaDB(t, "--log-bin", "--server-id=1", "--rpl-semi-sync-master-wait-point=AFTER_SYNC", "--rpl-semi-sync-master-timeout=1000")
	replica := newMariaDB(t, "--server-id=2")
	db, err := storage.Open(t.Context(), storage.Options{URL: primary.url(), MaxConnections: 4})
	require.NoError(t, err)
	defer db.Close()
	synced := awaitFinding(t, db, "sync_binlog", engines.Risk, "")
	require.Equal(t, engines.Loss{Process: engines.Nothing, Machine: engines.HalfMinute}, synced.Loss)
	primary.run(t, "SET GLOBAL sync_binlog = 1")
	awaitFinding(t, db, "sync_binlog", engines.OK, "")
	awaitFinding(t, db, "replicas", engines.OK, "None is connected")

	replica.follow(t, primary)
	follows := awaitFinding(t, db, "replicas", engines.Risk,
		"1 replica follows asynchronously. A failover loses the acknowledged writes")
	require.Equal(t, engines.Loss{Failover: engines.Moments}, follows.Loss)

	primary.run(t, "SET GLOBAL rpl_semi_sync_master_enabled = ON")
	replica.run(t, "SET GLOBAL rpl_semi_sync_slave_enabled = ON", "STOP SLAVE IO_THREAD", "START SLAVE IO_THREAD")
	// The server counts the closed connection until it detects the disconnection.
	awaitFinding(t, db, "replicas", engines.OK, "1 replica follows semi-synchronously")

	// A replica that hangs acknowledges nothing, so the next write ends the connection.
	replica.run(t, "SET GLOBAL rpl_semi_sync_slave_enabled = OFF", "STOP SLAVE IO_THREAD", "START SLAVE IO_THREAD")
	primary.run(t, "CREATE TABLE interlock.something (id INT)")
	awaitFinding(t, db, "replicas", engines.Risk, "")
}
