package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContractMatchesTheRoutes(t *testing.T) {
	written := filepath.Join(t.TempDir(), "openapi.yaml")
	t.Chdir("..")
	require.NoError(t, generate("base.yaml", written))
	expected, err := os.ReadFile(written)
	require.NoError(t, err)
	committed, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	require.Equal(t, string(expected), string(committed), "run make generate and commit api/openapi.yaml")
}
