package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// longer marks tests that `make faults` runs for longer, or alone.
var longer = regexp.MustCompile(`(?m)racing\.Rounds\(|^//go:build faults$`)

// A package that is left out of the target keeps its promised rounds unrun, and nobody notices.
func TestEveryPackageWithALongerFormIsInTheFaultsTarget(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	recipe := regexp.MustCompile(`(?m)^faults:.*\n\t(.+)$`).FindStringSubmatch(string(makefile))
	require.NotNil(t, recipe)
	run := func(folder string) bool {
		for _, pattern := range strings.Fields(recipe[1]) {
			below, all := strings.CutSuffix(pattern, "/...")
			if pattern == folder || all && (folder == below || strings.HasPrefix(folder, below+"/")) {
				return true
			}
		}
		return false
	}
	packages := map[string]bool{}
	for _, root := range []string{"internal", "client", "test", "cmd"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("../..", root), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if longer.Match(text) {
				packages["./"+strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../")] = true
			}
			return err
		}))
	}
	require.Contains(t, packages, "./internal/approvals")
	for folder := range packages {
		require.True(t, run(folder), "make faults does not run %s", folder)
	}
}

func TestEveryLoadScriptIsRunByMakeLoadAndDescribed(t *testing.T) {
	runner, err := os.ReadFile("../../load/run.sh")
	require.NoError(t, err)
	readme, err := os.ReadFile("../../load/README.md")
	require.NoError(t, err)
	loop := regexp.MustCompile(`for script in ([\w ]+); do`).FindSubmatch(runner)
	require.NotNil(t, loop)
	run := append(strings.Fields(string(loop[1])), "flash_sale")
	require.Contains(t, string(runner), "open_loop flash_sale ")
	scripts, err := filepath.Glob("../../load/*.js")
	require.NoError(t, err)
	require.Len(t, scripts, len(run))
	for _, script := range scripts {
		name := filepath.Base(script)
		require.Contains(t, run, strings.TrimSuffix(name, ".js"))
		require.Contains(t, string(readme), "| `"+name+"` |")
	}
}
