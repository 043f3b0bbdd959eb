package servers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/servers"
)

func TestProgramIsTheFirstExecutableOfItsName(t *testing.T) {
	empty, first, second := t.TempDir(), t.TempDir(), t.TempDir()
	folders := []string{filepath.Join(empty, "absent"), empty, first, second}
	require.Empty(t, servers.Find("haproxy", folders))
	require.NoError(t, os.WriteFile(filepath.Join(first, "haproxy"), nil, 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(empty, "haproxy"), 0o755))
	require.Empty(t, servers.Find("haproxy", folders), "one is a folder, and the other is not executable")
	for _, folder := range []string{second, first} {
		path := filepath.Join(folder, "haproxy")
		require.NoError(t, os.WriteFile(path, nil, 0o755))
		require.NoError(t, os.Chmod(path, 0o755))
		require.Equal(t, path, servers.Find("haproxy", folders))
	}
}
