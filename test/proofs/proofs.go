// Package proofs lists the tests of the repository, for everything that names tests:
// documents, promises, mutants and the list of tests skipped on a distributed engine.
package proofs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tests contains the names of the tests by the folder of their package, relative to the
// root of the repository.
type Tests map[string][]string

var (
	declaration = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	nightly     = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n\ttier\.Nightly\(t\)`)
)

// List returns the tests of the repository whose root is at a path.
func List(t testing.TB, root string) Tests { return list(t, root, declaration) }

// Nightly returns the tests whose first statement is tier.Nightly.
func Nightly(t testing.TB, root string) Tests { return list(t, root, nightly) }

func list(t testing.TB, root string, declaration *regexp.Regexp) Tests {
	t.Helper()
	tests := Tests{}
	for _, folder := range []string{"internal", "client", "cmd", "test"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			at, err := filepath.Rel(root, filepath.Dir(path))
			for _, match := range declaration.FindAllSubmatch(text, -1) {
				tests[at] = append(tests[at], string(match[1]))
			}
			return err
		}))
	}
	require.NotEmpty(t, tests)
	return tests
}

// Has reports whether any package has a test of this name.
func (all Tests) Has(name string) bool {
	for _, names := range all {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}
