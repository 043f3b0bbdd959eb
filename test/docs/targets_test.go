package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMakeLoadRunsEveryDocumentedScript(t *testing.T) {
	runner, err := os.ReadFile("../../load/run.sh")
	require.NoError(t, err)
	readme, err := os.ReadFile("../../load/README.md")
	require.NoError(t, err)
	loop := regexp.MustCompile(`for script in ([\w ]+); do`).FindSubmatch(runner)
	require.NotNil(t, loop)
	run := strings.Fields(string(loop[1]))
	for _, crowd := range []string{"flash_sale", "taps"} {
		require.Contains(t, string(runner), "open_loop "+crowd+" ")
		run = append(run, crowd)
	}
	scripts, err := filepath.Glob("../../load/*.js")
	require.NoError(t, err)
	require.Len(t, scripts, len(run))
	for _, script := range scripts {
		name := filepath.Base(script)
		require.Contains(t, run, strings.TrimSuffix(name, ".js"))
		require.Contains(t, string(readme), "| `"+name+"` |")
	}
}

// Each target of `make bench` is in the code of the benchmark and in the table of its results.
func TestBenchmarkTargetsEqualTheTable(t *testing.T) {
	table, err := os.ReadFile("../../docs/benchmarks.md")
	require.NoError(t, err)
	sources, err := filepath.Glob("../../load/bench/*.go")
	require.NoError(t, err)
	documented := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\w/\w), .*\| ≥ ([\d.]+)`).FindAllStringSubmatch(string(table), -1) {
		documented[row[1]] = row[2]
	}
	aims := map[string]string{}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		for _, aim := range regexp.MustCompile(`\{"(\w/\w)", \w+, \w+, ([\d.]+)\}`).FindAllStringSubmatch(string(text), -1) {
			if _, ok := documented[aim[1]]; ok {
				aims[aim[1]] = aim[2]
			}
		}
	}
	require.NotEmpty(t, documented)
	require.Equal(t, documented, aims)
}
