package statements

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/proofs"
	"interlock/test/servers"
)

// Only tests use the fault driver, which makes a server behave like a distributed engine.
func TestProgramExcludesTheFaultDriver(t *testing.T) {
	servers.Uncached()
	has := func(flags ...string) bool {
		list := exec.Command("go", slices.Concat([]string{"list", "-deps"}, flags, []string{"./cmd/admin"})...)
		list.Dir = root
		output, err := list.Output()
		require.NoError(t, err)
		return slices.Contains(strings.Fields(string(output)), "interlock/internal/base/storage/distributedtest")
	}
	require.False(t, has())
	require.True(t, has("-tags", "distributed"))
}

// A renamed test would run again and fail; a deleted one would leave its reason behind.
func TestExcludedDistributedTestsExist(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(root, "test/tools/distributed.sh"))
	require.NoError(t, err)
	left := regexp.MustCompile(`(?m)^\t(Test\w+)$`).FindAllStringSubmatch(string(script), -1)
	require.NotEmpty(t, left)
	tests := proofs.List(t, root)
	for _, name := range left {
		require.True(t, tests.Has(name[1]), name[1])
	}
}
