package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
