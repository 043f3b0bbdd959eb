package encryption

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/racing"
)

func TestConcurrentKeyCreationYieldsOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "interlock.db.keys")
	made := make([][]string, 20)
	for _, err := range racing.Errors(len(made), func(racer int) (err error) {
		made[racer], err = MakeFile(path)
		return err
	}) {
		require.NoError(t, err)
	}
	for _, keys := range made {
		require.Len(t, keys, 1)
		require.Equal(t, made[0], keys)
	}
	newCipher(t, made[0]...)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode(), "a key is for its owner")
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestKeyFileIsNeverOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "interlock.db.keys")
	require.NoError(t, os.WriteFile(path, []byte("# rotated\n\n"+key("new", 2)+"\n "+key("old", 1)+"\r\n"), 0o600))
	keys, err := MakeFile(path)
	require.NoError(t, err)
	require.Equal(t, []string{key("new", 2), key("old", 1)}, keys)
}

func TestKeyFileWithoutKeysIsRejectedByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	_, err := ReadFile(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, text := range []string{"", "# none\n", string(make([]byte, largestFile+1))} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := ReadFile(path)
		require.ErrorContains(t, err, path)
	}
}
