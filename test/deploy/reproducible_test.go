//go:build release

package deploy

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The image is built twice, in two folders: the second time with the web admin from its stage and an empty
// cache of Go. The web admin, the program and its bill of materials are the same, byte for byte.
func TestBuildsInDifferentFoldersAreIdentical(t *testing.T) {
	here := image{context: t.TempDir(), home: t.TempDir()}
	sendToBuild(t, here.context)
	useWebOfCheckout(t, here)
	here.build(t, "program")

	there := image{context: t.TempDir(), home: t.TempDir(), environment: []string{"GOCACHE=" + t.TempDir()}}
	sendToBuild(t, there.context)
	there.build(t, "web")
	there.build(t, "program")
	for _, folder := range []string{"/web/src/web/dist", "/program/out"} {
		require.Equal(t, digests(t, here.home+folder), digests(t, there.home+folder), folder)
	}
}

// digests returns the digests of all files of a folder, by their relative paths.
func digests(t *testing.T, folder string) map[string][sha256.Size]byte {
	t.Helper()
	found := map[string][sha256.Size]byte{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		digest := sha256.New()
		if _, err := io.Copy(digest, file); err != nil {
			return err
		}
		inside, err := filepath.Rel(folder, path)
		found[inside] = [sha256.Size]byte(digest.Sum(nil))
		return err
	}))
	require.NotEmpty(t, found)
	return found
}
