package statements

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The fault driver has a server behave as a distributed engine, for tests alone.
func TestTheProgramHasNothingThatBreaksItsServer(t *testing.T) {
	packages := func(flags ...string) string {
		list := exec.Command("go", slices.Concat([]string{"list", "-deps"}, flags, []string{"./cmd/admin"})...)
		list.Dir = root
		output, err := list.Output()
		require.NoError(t, err)
		return string(output)
	}
	const breaks = "interlock/internal/base/storage/distributedtest"
	require.NotContains(t, packages(), breaks)
	require.Contains(t, packages("-tags", "distributed"), breaks)
}

// A test that was renamed would be run again, and fail; one that is gone would leave its reason behind.
func TestEachTestThatIsLeftOutOnADistributedEngineIsThere(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(root, "test/tools/distributed.sh"))
	require.NoError(t, err)
	left := regexp.MustCompile(`(?m)^\t(Test\w+)$`).FindAllStringSubmatch(string(script), -1)
	require.NotEmpty(t, left)
	declaration := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{$`)
	declared := map[string]bool{}
	for _, folder := range []string{"internal", "client", "test"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, test := range declaration.FindAllSubmatch(text, -1) {
				declared[string(test[1])] = true
			}
			return err
		}))
	}
	for _, name := range left {
		require.True(t, declared[name[1]], name[1])
	}
}
