package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxLines is the maximum number of lines of a file of the program: a longer file has
// more than one subject. Tests are lists of cases and may be longer.
const maxLines = 450

func TestProgramFilesAreShort(t *testing.T) {
	read := 0
	for _, root := range []string{"../../internal", "../../client", "../../cmd", "../../load"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err == nil && !bytes.HasPrefix(text, []byte("// Code generated")) {
				read++
				if lines := bytes.Count(text, []byte("\n")); lines > maxLines {
					t.Errorf("%s has %d lines, more than %d: split it into its parts", path, lines, maxLines)
				}
			}
			return err
		}))
	}
	require.NotZero(t, read)
}

func TestReadmeHasAtMost900Words(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, len(strings.Fields(string(text))), 900)
}
