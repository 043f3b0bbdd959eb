package distributedtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/distributedtest"
)

func TestOnlyTrailingLockingClausesAreRemoved(t *testing.T) {
	for statement, want := range map[string][2]string{
		"SELECT a FROM t WHERE b = ? FOR UPDATE":                     {"SELECT a FROM t WHERE b = ? FOR UPDATE", "SELECT a FROM t WHERE b = ?"},
		"SELECT a FROM t LIMIT 5 FOR UPDATE SKIP LOCKED":             {"SELECT a FROM t LIMIT 5", "SELECT a FROM t LIMIT 5"},
		"SELECT a FROM t for update nowait":                          {"SELECT a FROM t for update", "SELECT a FROM t"},
		"SELECT a FROM t FOR SHARE":                                  {"SELECT a FROM t", "SELECT a FROM t"},
		"SELECT a FROM t ORDER BY id LOCK IN SHARE MODE":             {"SELECT a FROM t ORDER BY id", "SELECT a FROM t ORDER BY id"},
		"SELECT a FROM t WHERE b = 'wait FOR UPDATE' AND c = 1":      {"SELECT a FROM t WHERE b = 'wait FOR UPDATE' AND c = 1", "SELECT a FROM t WHERE b = 'wait FOR UPDATE' AND c = 1"},
		"INSERT INTO t (note) VALUES ('what they said FOR UPDATE')":  {"INSERT INTO t (note) VALUES ('what they said FOR UPDATE')", "INSERT INTO t (note) VALUES ('what they said FOR UPDATE')"},
		"UPDATE t SET a = 1 WHERE id = 2 AND note = 'no FOR UPDATE'": {"UPDATE t SET a = 1 WHERE id = 2 AND note = 'no FOR UPDATE'", "UPDATE t SET a = 1 WHERE id = 2 AND note = 'no FOR UPDATE'"},
	} {
		require.Equal(t, want[0], distributedtest.NoShare.Strip(statement))
		require.Equal(t, want[1], distributedtest.NoLocks.Strip(statement))
	}
}
