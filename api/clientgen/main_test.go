package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientMatchesTheContract(t *testing.T) {
	const folder = "../../client"
	expected, err := generate("../openapi.yaml", folder)
	require.NoError(t, err)
	committed, err := filepath.Glob(filepath.Join(folder, "*.gen.go"))
	require.NoError(t, err)
	require.Len(t, committed, len(expected), "run make generate and commit client/*.gen.go")
	for _, path := range committed {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(expected[filepath.Base(path)]), string(text), "run make generate and commit client/*.gen.go")
	}
}
