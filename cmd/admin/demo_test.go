package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgressIsALineForEachPartWhereThereIsNoTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer file.Close()
	progress := progressOn(file)
	for _, what := range []string{"configs", "items"} {
		progress.Begin(what, 200)
		for range 200 {
			progress.Step()
		}
	}
	written, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.Equal(t, "loading configs (200)\nloading items (200)\n", string(written))
}
