package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPagesMatchTheDeclarations(t *testing.T) {
	for page, file := range map[string]string{"states": "../states.md", "errors": "../reference/errors.md"} {
		committed, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, pages[page](), string(committed), "run make generate and commit %s", file)
	}
}
