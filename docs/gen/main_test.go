package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPagesMatchTheDeclarations(t *testing.T) {
	for path, page := range pages {
		committed, err := os.ReadFile(filepath.Join(root, "docs", path))
		require.NoError(t, err)
		generated, err := page()
		require.NoError(t, err)
		require.Equal(t, generated, string(committed), "run make generate and commit docs/%s", path)
	}
}
